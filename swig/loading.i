// What a language's own loader, and its choice of a default device, need of the core.
PYCUDA_HEADER(loading)
PYCUDA_HEADER(default_device)
