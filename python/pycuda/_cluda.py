"""Macros that let one kernel source serve CUDA and OpenCL."""

__all__ = ["CLUDA_PREAMBLE"]

CLUDA_PREAMBLE = "\n".join([
    "#define CUDA",
    "#define WITHIN_KERNEL __device__",
    '#define KERNEL extern "C" __global__',
    "#define GLOBAL_MEM",
    "#define LOCAL_MEM __shared__",
    "#define LOCAL_MEM_DYNAMIC extern __shared__",
    "#define LOCAL_MEM_ARG",
    "#define CONSTANT_MEM __constant__",
    "#define INLINE __forceinline__",
    "#define SIZE_T unsigned int",
    "#define VSIZE_T unsigned int",
    "#define REQD_WG_SIZE(x, y, z) __launch_bounds__((x) * (y) * (z))",
    "#define local_barrier() __syncthreads()",
    *(f"#define {name}_{n} {variable}.{axis}"
      for name, variable in (("LID", "threadIdx"), ("GID", "blockIdx"), ("LDIM", "blockDim"), ("GDIM", "gridDim"))
      for n, axis in enumerate("xyz")),
    "",
])
