"""Initial values of random number generators: seeds, direction vectors, scramble constants."""

import enum
import operator
import random as _random

import numpy as np

from pycuda import _driver
from pycuda._arrays.operations import call, new_array
from pycuda.gpuarray import to_gpu

__all__ = [
    "direction_vector_set", "generate_direction_vectors", "generate_scramble_constants32", "generate_scramble_constants64",
    "get_curand_version", "seed_getter_uniform", "seed_getter_unique",
]


class direction_vector_set(enum.IntEnum):
    """cuRAND's sets of direction vectors."""

    VECTOR_32 = 101
    SCRAMBLED_VECTOR_32 = 102
    VECTOR_64 = 103
    SCRAMBLED_VECTOR_64 = 104


def get_curand_version():
    """Return the version of cuRAND's library.

    Returns
    -------
    tuple[int, int, int]
        Major, minor and revision number.

    Raises
    ------
    RuntimeError
        cuRAND is not installed.
    """
    version = _driver._native.curand_version()
    return version // 1000, version // 100 % 10, version % 100


def seed_getter_uniform(n):
    """Return the same random seed for all generators.

    Parameters
    ----------
    n : int
        Number of generators.

    Returns
    -------
    GPUArray
        Seeds of int32, on the device.
    """
    return to_gpu(np.full(operator.index(n), _random.randrange(-2**31, 2**31), np.int32))


def seed_getter_unique(n):
    """Return a random seed for each generator, from numpy.random.

    Parameters
    ----------
    n : int
        Number of generators.

    Returns
    -------
    GPUArray
        Seeds of int32, on the device.
    """
    return to_gpu(np.random.randint(-2**31, 2**31, size=operator.index(n), dtype=np.int64).astype(np.int32))


def generate_direction_vectors(count, direction=direction_vector_set.VECTOR_32):
    """Return cuRAND's direction vectors.

    Parameters
    ----------
    count : int
        Number of vectors.
    direction : direction_vector_set, optional
        The set; None: VECTOR_32.

    Returns
    -------
    GPUArray
        Array of shape (count, 32) and uint32, or (count, 64) and uint64.

    Raises
    ------
    RuntimeError
        cuRAND is not installed.
    """
    direction = direction_vector_set.VECTOR_32 if direction is None else direction_vector_set(direction)
    bits = 32 if direction.name.endswith("32") else 64
    vectors = new_array((count, bits), f"u{bits // 8}")
    call("direction_vectors_into", (vectors,), (direction.name.startswith("SCRAMBLED"),))
    return vectors


def generate_scramble_constants32(count):
    """Return cuRAND's scramble constants of 32 bits.

    Parameters
    ----------
    count : int
        Number of constants.

    Returns
    -------
    GPUArray
        Array of uint32, on the device.

    Raises
    ------
    RuntimeError
        cuRAND is not installed.
    """
    return _scramble_constants(count, np.uint32)


def generate_scramble_constants64(count):
    """Return cuRAND's scramble constants of 64 bits.

    Parameters
    ----------
    count : int
        Number of constants.

    Returns
    -------
    GPUArray
        Array of uint64, on the device.

    Raises
    ------
    RuntimeError
        cuRAND is not installed.
    """
    return _scramble_constants(count, np.uint64)


def _scramble_constants(count, dtype):
    constants = new_array((count,), dtype)
    call("scramble_constants_into", (constants,))
    return constants
