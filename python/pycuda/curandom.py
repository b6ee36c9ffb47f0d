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
    """A new array of uniform random numbers: from 0 to 1 of float32 and float64, all bits of int32 and uint32.

    numpy.random.seed makes it repeatable.
    """
    dtype = np.dtype(dtype)
    if dtype not in _RAND:
        raise NotImplementedError(f"rand gives float32, float64, int32 and uint32, not {dtype}")
    result = _GPUArray(shape, dtype, allocator=allocator)
    if result.size:
        _operations.call("random_into", (result,), (int(np.random.randint(-2**63, 2**63, dtype=np.int64)),), stream)
    return result


# ---- generators


class XORWOWRandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by XORWOW; a subsequence has 2**67.

    seed_getter: given a count, gives as many int32 on the device; by default of numpy.random. offset: numbers to skip.
    """

    state_type = "curandStateXORWOW"
    _kind = 0


class Philox4_32_10RandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by Philox 4x32-10, of small state."""

    state_type = "curandStatePhilox4_32_10"
    _kind = 2


class MRG32k3aRandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by MRG32k3a."""

    state_type = "curandStateMRG32k3a"
    _kind = 1
    _sequences = 2

    def call_skip_ahead_subsequence(self, i, stream=None):
        """Every generator skips i of its short subsequences, fewer than 2**56."""
        if operator.index(i) >= 1 << 56:  # cuRAND reads behind its table of powers
            raise ValueError(f"fewer than 2**56 subsequences can be skipped, not {i}")
        self._skip("skip_ahead_subsequence", i, stream)

    def call_skip_ahead_subsequence_array(self, i, stream=None):
        """Generator k skips i[k] of its short subsequences; i is on the device."""
        self._skip_array("skip_ahead_subsequence", i, stream)


class Sobol32RandomNumberGenerator(_generators.SobolRandomNumberGeneratorBase):
    """Quasi-random numbers of 32 bits.

    dir_vector: (generators, 32) uint32 on the device; by default cuRAND's. offset: numbers to skip.
    """

    state_type = "curandStateSobol32"
    _kind = 3
    _direction = direction_vector_set.VECTOR_32
    _skip_dtype = np.dtype(np.uint32)


class ScrambledSobol32RandomNumberGenerator(_generators.ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled quasi-random numbers of 32 bits. scramble_vector: (generators,) uint32 on the device; by default cuRAND's."""

    state_type = "curandStateScrambledSobol32"
    _kind = 4
    _direction = direction_vector_set.SCRAMBLED_VECTOR_32
    _skip_dtype = np.dtype(np.uint32)


_LONG_INFO = [*_generators.RandomNumberGeneratorBase.gen_info, ("uniform_long", "unsigned long long")]


class Sobol64RandomNumberGenerator(_generators.SobolRandomNumberGeneratorBase):
    """Quasi-random numbers of 64 bits. dir_vector: (generators, 64) uint64 on the device; by default cuRAND's."""

    state_type = "curandStateSobol64"
    _kind = 5
    generator_bits = 64
    gen_info = _LONG_INFO
    _direction = direction_vector_set.VECTOR_64


class ScrambledSobol64RandomNumberGenerator(_generators.ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled quasi-random numbers of 64 bits. scramble_vector: (generators,) uint64 on the device; by default cuRAND's."""

    state_type = "curandStateScrambledSobol64"
    _kind = 6
    generator_bits = 64
    gen_info = _LONG_INFO
    _direction = direction_vector_set.SCRAMBLED_VECTOR_64
