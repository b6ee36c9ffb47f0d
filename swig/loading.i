// The core's functions for a language's loader, its choice of a default device, and its timelines.
PYCUDA_HEADER(driver/loading)
PYCUDA_HEADER(devices/default_device)
PYCUDA_HEADER(timeline/trace)
