"""The Python array API standard 2025.12 on the device.

Arrays are instances of `Array`, a GPUArray with the standard's operators: comparisons return bool, division of integers is an error, and
types are promoted by the standard's rules. `pycuda.gpuarray` keeps PyCUDA's behaviour.

>>> import pycuda.autoinit
>>> import pycuda.array_api as xp
>>> x = xp.arange(4) / 2.0
>>> bool(xp.all(x < 2))
True
"""

import math as _math

from numpy import bool_ as bool
from numpy import complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64

from pycuda.array_api import _creation, _dtypes, _elementwise, _info, _manipulation, _products, _searching, _sets, _statistics
from pycuda.array_api._array import Array
from pycuda.array_api._array import of_arrays as _of_arrays
from pycuda.array_api._creation import *  # noqa: F403
from pycuda.array_api._dtypes import *  # noqa: F403
from pycuda.array_api._elementwise import *  # noqa: F403
from pycuda.array_api._info import __array_namespace_info__
from pycuda.array_api._manipulation import *  # noqa: F403
from pycuda.array_api._products import *  # noqa: F403
from pycuda.array_api._searching import *  # noqa: F403
from pycuda.array_api._sets import *  # noqa: F403
from pycuda.array_api._statistics import *  # noqa: F403

from pycuda.array_api import fft, linalg  # noqa: E402, F401 - they are made of the functions above

for _module in (_creation, _elementwise, _manipulation, _products, _searching, _sets, _statistics):
    for _name in set(_module.__all__) - {"asarray", "from_dlpack"}:
        globals()[_name] = _of_arrays(globals()[_name])

__array_api_version__ = "2025.12"
e, inf, nan, newaxis, pi = _math.e, _math.inf, _math.nan, None, _math.pi

__all__ = [
    "Array", "__array_api_version__", "__array_namespace_info__", "e", "inf", "nan", "newaxis", "pi",
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128",
    *(name for module in (_creation, _dtypes, _elementwise, _manipulation, _products, _searching, _sets, _statistics) for name in module.__all__),
]
