"""Properties of the device and the platform."""

import numpy as np

import pycuda.driver as cuda
from pycuda._memoize import context_dependent_memoize as _context_dependent_memoize

__all__ = ["platform_bits", "has_stack", "has_double_support", "sizeof"]


def platform_bits():
    """Return the size of a pointer in this Python.

    Returns
    -------
    int
        32 or 64.
    """
    return 8 * np.dtype(np.intp).itemsize


def has_stack():
    """Return whether functions on the current device can recurse.

    Returns
    -------
    bool
        True if they can.

    Raises
    ------
    LogicError
        No context is current.
    """
    return cuda.Context.get_device().compute_capability() >= (2, 0)


def has_double_support():
    """Return whether the current device computes in double precision.

    Returns
    -------
    bool
        True if it does.

    Raises
    ------
    LogicError
        No context is current.
    """
    return cuda.Context.get_device().compute_capability() >= (1, 3)


@_context_dependent_memoize
def sizeof(type_name, preamble=""):
    """Return the size of a C type on the device.

    Parameters
    ----------
    type_name : str
        Name of the type.
    preamble : str, optional
        C code that declares it.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    CompileError
        There is no such type.

    Examples
    --------
    >>> from pycuda.characterize import sizeof
    >>> sizeof("float4")
    16
    """
    from pycuda.compiler import SourceModule

    module = SourceModule(f"""
        {preamble}
        extern "C" __global__ void write_size(unsigned long long *output) {{ *output = sizeof({type_name}); }}
        """, no_extern_c=True)
    output = np.zeros((), np.uint64)
    module.get_function("write_size")(cuda.Out(output), block=(1, 1, 1))
    return int(output)
