// The kernel of fat_binary_test.cpp, compiled at build time for several architectures at once.
extern "C" __global__ void architecture(int *out) { *out = __CUDA_ARCH__; }
