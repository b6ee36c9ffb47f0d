"""cuRAND's host library, opened when it is needed: its version, direction vectors and scramble constants."""

import ctypes
import functools
import glob
import os

import numpy as np

import pycuda.driver as drv
from pycuda import _driver

__all__ = ["library_version", "direction_vectors", "scramble_constants"]


@functools.cache
def _library():
    candidates = []
    for toolkit in _driver.find_toolkits():
        for folder in toolkit.library_dirs:
            candidates += sorted(glob.glob(os.path.join(folder, "libcurand.so*")), reverse=True)
    candidates += ["libcurand.so.10", "libcurand.so"]
    reasons = []
    for path in candidates:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise drv.RuntimeError("this needs the cuRAND library, which was not found; install it with: pip install nvidia-curand. Tried: "
                           + "; ".join(reasons))


def _check(name, status):
    if status:
        raise drv.RuntimeError(f"{name} failed: cuRAND status {status}")


def library_version():
    """(major, minor, revision)."""
    version = ctypes.c_int()
    _check("curandGetVersion", _library().curandGetVersion(ctypes.byref(version)))
    return version.value // 1000, version.value // 100 % 10, version.value % 100


_LIBRARY_VECTORS = 20000


def direction_vectors(direction):
    """All vectors of a set, as an array of (20000, 32) uint32 or (20000, 64) uint64. The library owns the memory."""
    bits, code = {"VECTOR_32": (32, 101), "SCRAMBLED_VECTOR_32": (32, 102), "VECTOR_64": (64, 103), "SCRAMBLED_VECTOR_64": (64, 104)}[direction]
    element = ctypes.c_uint32 if bits == 32 else ctypes.c_uint64
    vectors = ctypes.POINTER(element)()
    name = f"curandGetDirectionVectors{bits}"
    _check(name, getattr(_library(), name)(ctypes.byref(vectors), code))
    return np.ctypeslib.as_array(vectors, (_LIBRARY_VECTORS, bits))


def scramble_constants(bits):
    """All constants, as an array of 20000 uint32 or uint64. The library owns the memory."""
    element = ctypes.c_uint32 if bits == 32 else ctypes.c_uint64
    constants = ctypes.POINTER(element)()
    name = f"curandGetScrambleConstants{bits}"
    _check(name, getattr(_library(), name)(ctypes.byref(constants)))
    return np.ctypeslib.as_array(constants, (_LIBRARY_VECTORS,))
