// What a language's own loader, its choice of a default device, and its timelines need of the core.
PYCUDA_HEADER(loading)
PYCUDA_HEADER(default_device)
PYCUDA_HEADER(observing/trace)
