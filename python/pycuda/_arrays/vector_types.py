"""CUDA's vector types as structured dtypes: the namespace that pycuda.gpuarray calls `vec`."""

import numpy as np

from pycuda.compyte.dtypes import get_or_register_dtype

__all__ = ["vec"]

# Element types whose vectors have up to four components, and those with two.
_FOUR = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
         "long": np.dtype("l"), "ulong": np.dtype("L"), "float": np.float32}
_TWO = {"longlong": np.int64, "ulonglong": np.uint64, "double": np.float64}


class vec:
    """CUDA's vector types: ``vec.float3`` and the others are dtypes with fields x, y, z and w.

    ``vec.make_float3(x, y, z)`` and the others create a value of such a type.

    Examples
    --------
    >>> gpuarray.vec.make_float3(1, 2, 3)["y"].item()
    2.0
    """


def _make_maker(name, dtype):
    def make(*components):
        if len(components) != len(dtype.names):
            raise TypeError(f"make_{name} takes {len(dtype.names)} components, given {len(components)}")
        return np.array(components, dtype)

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"""Create a value of CUDA's vector type {name}.

        Parameters
        ----------
        components : number
            The {len(dtype.names)} components.

        Returns
        -------
        numpy.ndarray
            A 0-d array with the fields {", ".join(dtype.names)}.

        Raises
        ------
        TypeError
            The number of components is wrong.
        """
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
