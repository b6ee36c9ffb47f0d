"""Random numbers on the device."""

import numpy as np

from pycuda._arrays import generators as _generators
from pycuda._arrays.seeds import (  # noqa: F401
    direction_vector_set, generate_direction_vectors, generate_scramble_constants32, generate_scramble_constants64, get_curand_version,
    seed_getter_uniform, seed_getter_unique,
)
from pycuda.elementwise import get_elwise_kernel as _get_elwise_kernel
from pycuda.gpuarray import GPUArray as _GPUArray
from pycuda.tools import ScalarArg as _ScalarArg
from pycuda.tools import VectorArg as _VectorArg
from pycuda.tools import context_dependent_memoize as _context_dependent_memoize

__all__ = [
    "MRG32k3aRandomNumberGenerator", "Philox4_32_10RandomNumberGenerator", "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator", "Sobol32RandomNumberGenerator", "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator", "direction_vector_set", "generate_direction_vectors", "generate_scramble_constants32",
    "generate_scramble_constants64", "get_curand_version", "rand", "seed_getter_uniform", "seed_getter_unique",
]


# ---- numbers without a generator


# Philox 4x32-10 of the index, keyed by a seed: no state, and the same numbers on every device.
_PHILOX = """
__device__ inline uint4 pycuda_philox(unsigned long long index, unsigned key0, unsigned key1)
{
  uint4 x = make_uint4((unsigned) index, (unsigned) (index >> 32), 0, 0);
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, x.x), low0 = 0xD2511F53u * x.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, x.z), low1 = 0xCD9E8D57u * x.z;
    x = make_uint4(high1 ^ x.y ^ key0, low1, high0 ^ x.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return x;
}
"""

_RAND = {
    np.dtype(np.float32): "(float) x.x * 2.3283064365386963e-10f",
    np.dtype(np.float64): "(double) (((unsigned long long) x.x << 21) ^ (x.y >> 11)) * 1.1102230246251565e-16",
    np.dtype(np.int32): "(int) x.x",
    np.dtype(np.uint32): "x.x",
}


@_context_dependent_memoize
def _rand_kernel(dtype):
    return _get_elwise_kernel(
        [_VectorArg(dtype, "dest"), _ScalarArg(np.uint32, "key0"), _ScalarArg(np.uint32, "key1")],
        f"const uint4 x = pycuda_philox(i, key0, key1); dest[i] = {_RAND[dtype]}", "rand", preamble=_PHILOX)


def rand(shape, dtype=np.float32, stream=None, allocator=None):
    """A new array of uniform random numbers: from 0 to 1 of float32 and float64, all bits of int32 and uint32.

    numpy.random.seed makes it repeatable.
    """
    dtype = np.dtype(dtype)
    if dtype not in _RAND:
        raise NotImplementedError(f"rand gives float32, float64, int32 and uint32, not {dtype}")
    result = _GPUArray(shape, dtype, allocator=allocator)
    if result.size:
        keys = np.random.randint(0, 2**32, size=2, dtype=np.uint32)
        _rand_kernel(dtype).prepared_async_call(result._grid, result._block, stream, result.gpudata, keys[0], keys[1], result.size)
    return result


# ---- generators


class XORWOWRandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by XORWOW; a subsequence has 2**67.

    seed_getter: given a count, gives as many int32 on the device; by default of numpy.random. offset: numbers to skip.
    """

    state_type = "curandStateXORWOW"


class Philox4_32_10RandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by Philox 4x32-10, of small state."""

    state_type = "curandStatePhilox4_32_10"


class MRG32k3aRandomNumberGenerator(_generators.PseudoRandomNumberGeneratorBase):
    """Pseudo-random numbers by MRG32k3a."""

    state_type = "curandStateMRG32k3a"
    _sequences = 2

    def call_skip_ahead_subsequence(self, i, stream=None):
        """Every generator skips i of its short subsequences."""
        self._skip("skip_ahead_subsequence", i, stream)

    def call_skip_ahead_subsequence_array(self, i, stream=None):
        """Generator k skips i[k] of its short subsequences; i is on the device."""
        self._skip_array("skip_ahead_subsequence", i, stream)


class Sobol32RandomNumberGenerator(_generators.SobolRandomNumberGeneratorBase):
    """Quasi-random numbers of 32 bits.

    dir_vector: (generators, 32) uint32 on the device; by default cuRAND's. offset: numbers to skip.
    """

    state_type = "curandStateSobol32"
    _vectors = "curandDirectionVectors32_t"
    _direction = direction_vector_set.VECTOR_32
    _skip_dtype = np.dtype(np.uint32)


class ScrambledSobol32RandomNumberGenerator(_generators.ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled quasi-random numbers of 32 bits. scramble_vector: (generators,) uint32 on the device; by default cuRAND's."""

    state_type = "curandStateScrambledSobol32"
    _vectors = "curandDirectionVectors32_t"
    _direction = direction_vector_set.SCRAMBLED_VECTOR_32
    _skip_dtype = np.dtype(np.uint32)


_LONG_INFO = [*_generators.RandomNumberGeneratorBase.gen_info, ("uniform_long", "unsigned long long")]


class Sobol64RandomNumberGenerator(_generators.SobolRandomNumberGeneratorBase):
    """Quasi-random numbers of 64 bits. dir_vector: (generators, 64) uint64 on the device; by default cuRAND's."""

    state_type = "curandStateSobol64"
    generator_bits = 64
    gen_info = _LONG_INFO
    _vectors = "curandDirectionVectors64_t"
    _direction = direction_vector_set.VECTOR_64


class ScrambledSobol64RandomNumberGenerator(_generators.ScrambledSobolRandomNumberGeneratorBase):
    """Scrambled quasi-random numbers of 64 bits. scramble_vector: (generators,) uint64 on the device; by default cuRAND's."""

    state_type = "curandStateScrambledSobol64"
    generator_bits = 64
    gen_info = _LONG_INFO
    _vectors = "curandDirectionVectors64_t"
    _direction = direction_vector_set.SCRAMBLED_VECTOR_64
