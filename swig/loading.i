// The core's functions for a language's loader, its choice of a default device, and its timelines.
PYCUDA_HEADER(loading)
PYCUDA_HEADER(default_device)
PYCUDA_HEADER(observing/trace)
