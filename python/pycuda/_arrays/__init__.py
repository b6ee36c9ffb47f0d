"""The implementation of pycuda.gpuarray and the modules around it."""
