"""What pycuda.gpuarray and the modules around it are made of."""
