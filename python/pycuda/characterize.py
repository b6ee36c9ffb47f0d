"""What the device and the platform are like."""

import numpy as np

import pycuda.driver as cuda
from pycuda._memoize import context_dependent_memoize as _context_dependent_memoize

__all__ = ["platform_bits", "has_stack", "has_double_support", "sizeof"]


def platform_bits():
    """Bits of a pointer of this Python: 32 or 64."""
    return 8 * np.dtype(np.intp).itemsize


def has_stack():
    """Whether functions on the current device can recurse."""
    return cuda.Context.get_device().compute_capability() >= (2, 0)


def has_double_support():
    """Whether the current device computes in double precision."""
    return cuda.Context.get_device().compute_capability() >= (1, 3)


@_context_dependent_memoize
def sizeof(type_name, preamble=""):
    """Bytes of a C type on the device; `preamble` is code that comes before its use."""
    from pycuda.compiler import SourceModule

    module = SourceModule(f"""
        {preamble}
        extern "C" __global__ void write_size(unsigned long long *output) {{ *output = sizeof({type_name}); }}
        """, no_extern_c=True)
    output = np.zeros((), np.uint64)
    module.get_function("write_size")(cuda.Out(output), block=(1, 1, 1))
    return int(output)
