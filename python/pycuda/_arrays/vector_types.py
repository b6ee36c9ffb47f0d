"""CUDA's vector types as structured dtypes: the namespace that pycuda.gpuarray calls `vec`."""

import numpy as np

from pycuda.compyte.dtypes import get_or_register_dtype

__all__ = ["vec"]

# Bases whose vectors have up to four components, and those with two.
_FOUR = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.dtype("l"), "ulong": np.dtype("L"), "float": np.float32}
_TWO = {"longlong": np.int64, "ulonglong": np.uint64, "double": np.float64}


class vec:
    """``vec.float3`` and its like: dtypes with fields x, y, z, w. ``vec.make_float3(x, y, z)`` makes a 0-d array of one."""


def _make_maker(name, dtype):
    def make(*components):
        if len(components) != len(dtype.names):
            raise TypeError(f"make_{name} takes {len(dtype.names)} components, given {len(components)}")
        return np.array(components, dtype)

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"A 0-d array of dtype {name}."
    return make


def _add_types():
    for bases, most in ((_FOUR, 4), (_TWO, 2)):
        for base, scalar in bases.items():
            for count in range(1, most + 1):
                name = f"{base}{count}"
                dtype = get_or_register_dtype(name, np.dtype([(field, scalar) for field in "xyzw"[:count]]))
                setattr(vec, name, dtype)
                setattr(vec, f"make_{name}", staticmethod(_make_maker(name, dtype)))


_add_types()
