"""Random numbers on the device."""

import operator

import numpy as np

from pycuda import driver as drv  # noqa: F401  client programs import it from here
from pycuda._arrays import generators as _generators
from pycuda._arrays import operations as _operations
from pycuda._arrays.seeds import (  # noqa: F401
    direction_vector_set, generate_direction_vectors, generate_scramble_constants32, generate_scramble_constants64, get_curand_version,
    seed_getter_uniform, seed_getter_unique,
)
from pycuda.gpuarray import GPUArray as _GPUArray

__all__ = [
    "MRG32k3aRandomNumberGenerator", "Philox4_32_10RandomNumberGenerator", "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator", "Sobol32RandomNumberGenerator", "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator", "direction_vector_set", "generate_direction_vectors", "generate_scramble_constants32",
    "generate_scramble_constants64", "get_curand_version", "rand", "seed_getter_uniform", "seed_getter_unique",
]


# ---- numbers without a generator


_RAND = [np.dtype(dtype) for dtype in (np.float32, np.float64, np.int32, np.uint32)]


def rand(shape, dtype=np.float32, stream=None, allocator=None):
    """Create an array of uniform random numbers. ``numpy.random.seed`` makes them reproducible.

    Parameters
    ----------
    shape : int or tuple of int
        @shape
    dtype : dtype, optional
        float32 or float64 for numbers in [0, 1); int32 or uint32 for all bits.
    stream : Stream, optional
        @stream
    allocator : callable, optional
        @allocator

    Returns
    -------
    GPUArray
        The new array.

    Raises
    ------
    NotImplementedError
        The dtype is another one.

    Examples
    --------
    >>> from pycuda.curandom import rand
    >>> bool((rand(100).get() < 1).all())
    True
    """
    dtype = np.dtype(dtype)
    if dtype not in _RAND:
        raise NotImplementedError(f"rand: expected dtype float32, float64, int32 or uint32, given {dtype}")
    result = _GPUArray(shape, dtype, allocator=allocator)
    if result.size:
        _operations.call("random_into", (result,), (int(np.random.randint(-2**63, 2**63, dtype=np.int64)),), stream)
    return result


# ---- generators


class XORWOWRandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by XORWOW.

    The object consists of many generators, which fill an array in turn. Each has a subsequence of 2**67 numbers.

    Parameters
    ----------
    seed_getter : Callable[[int], GPUArray], optional
        Called with a number, returns as many int32 on the device; None: random seeds from numpy.random.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        `seed_getter` returns something else.

    Examples
    --------
    >>> from pycuda.curandom import XORWOWRandomNumberGenerator
    >>> XORWOWRandomNumberGenerator().gen_uniform(100, np.float32).size
    100
    """

    state_type = "curandStateXORWOW"
    _kind = 0


class Philox4_32_10RandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by Philox 4x32-10, with a small state.

    Parameters
    ----------
    seed_getter : Callable[[int], GPUArray], optional
        Called with a number, returns as many int32 on the device; None: random seeds from numpy.random.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        `seed_getter` returns something else.
    """

    state_type = "curandStatePhilox4_32_10"
    _kind = 2


class MRG32k3aRandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by MRG32k3a.

    Parameters
    ----------
    seed_getter : Callable[[int], GPUArray], optional
        Called with a number, returns as many int32 on the device; None: random seeds from numpy.random.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        `seed_getter` returns something else.
    """

    state_type = "curandStateMRG32k3a"
    _kind = 1
    _sequences = 2

    def call_skip_ahead_subsequence(self, i, stream=None):
        """Skip short subsequences in every generator.

        Parameters
        ----------
        i : int
            Number of subsequences, below 2**56.
        stream : Stream, optional
            @stream

        Raises
        ------
        ValueError
            The number is too large.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        if operator.index(i) >= 1 << 56:  # cuRAND would read past the end of its table of powers
            raise ValueError(f"fewer than 2**56 subsequences can be skipped, not {i}")
        self._skip("skip_ahead_subsequence", i, stream)

    def call_skip_ahead_subsequence_array(self, i, stream=None):
        """Skip short subsequences: generator k skips ``i[k]``.

        Parameters
        ----------
        i : GPUArray
            Array on the device, one number per generator.
        stream : Stream, optional
            @stream

        Raises
        ------
        TypeError
            The array has another dtype or size.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._skip_array("skip_ahead_subsequence", i, stream)


class Sobol32RandomNumberGenerator(_generators.SobolRandomNumberGeneratorBase):
    """Quasi-random numbers of 32 bits.

    Parameters
    ----------
    dir_vector : GPUArray, optional
        Direction vectors of shape (generators, 32), uint32 on the device; None: cuRAND's.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        `dir_vector` has another shape or dtype.
    """

    state_type = "curandStateSobol32"
    _kind = 3
    _direction = direction_vector_set.VECTOR_32
    _skip_dtype = np.dtype(np.uint32)


class ScrambledSobol32RandomNumberGenerator(_generators.ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled quasi-random numbers of 32 bits.

    Parameters
    ----------
    dir_vector : GPUArray, optional
        Direction vectors of shape (generators, 32), uint32 on the device; None: cuRAND's.
    scramble_vector : GPUArray, optional
        Scramble constants of shape (generators,), uint32 on the device; None: cuRAND's.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        A vector has another shape or dtype.
    """

    state_type = "curandStateScrambledSobol32"
    _kind = 4
    _direction = direction_vector_set.SCRAMBLED_VECTOR_32
    _skip_dtype = np.dtype(np.uint32)


_LONG_INFO = [*_generators.RandomNumberGeneratorBase.gen_info, ("uniform_long", "unsigned long long")]


class Sobol64RandomNumberGenerator(_generators.SobolRandomNumberGeneratorBase):
    """Quasi-random numbers of 64 bits.

    Parameters
    ----------
    dir_vector : GPUArray, optional
        Direction vectors of shape (generators, 64), uint64 on the device; None: cuRAND's.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        `dir_vector` has another shape or dtype.
    """

    state_type = "curandStateSobol64"
    _kind = 5
    generator_bits = 64
    gen_info = _LONG_INFO
    _direction = direction_vector_set.VECTOR_64


class ScrambledSobol64RandomNumberGenerator(_generators.ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled quasi-random numbers of 64 bits.

    Parameters
    ----------
    dir_vector : GPUArray, optional
        Direction vectors of shape (generators, 64), uint64 on the device; None: cuRAND's.
    scramble_vector : GPUArray, optional
        Scramble constants of shape (generators,), uint64 on the device; None: cuRAND's.
    offset : int, optional
        @skipped

    Raises
    ------
    TypeError
        A vector has another shape or dtype.
    """

    state_type = "curandStateScrambledSobol64"
    _kind = 6
    generator_bits = 64
    gen_info = _LONG_INFO
    _direction = direction_vector_set.SCRAMBLED_VECTOR_64
