"""pycuda.curandom: distributions, seeds, skipping."""

import zlib

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import curandom, gpuarray

PSEUDO = [curandom.XORWOWRandomNumberGenerator, curandom.MRG32k3aRandomNumberGenerator, curandom.Philox4_32_10RandomNumberGenerator]
QUASI = [curandom.Sobol32RandomNumberGenerator, curandom.ScrambledSobol32RandomNumberGenerator, curandom.Sobol64RandomNumberGenerator,
         curandom.ScrambledSobol64RandomNumberGenerator]


def needs_curand(cls):
    if cls in QUASI:
        try:
            curandom.get_curand_version()
        except drv.RuntimeError:
            pytest.skip("the cuRAND library is not installed")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint32])
def test_rand(dtype):
    np.random.seed(17)
    first = curandom.rand((200, 50), dtype)
    np.random.seed(17)
    again = curandom.rand((200, 50), dtype)
    np.testing.assert_array_equal(first.get(), again.get())
    assert not np.array_equal(first.get(), curandom.rand((200, 50), dtype).get())
    values = first.get().astype(np.float64)
    if np.dtype(dtype).kind == "f":
        assert 0 <= values.min() and values.max() <= 1 and abs(values.mean() - 0.5) < 0.02 and abs(values.var() - 1 / 12) < 0.01
    else:
        assert len(np.unique(values)) > 9900
    with pytest.raises(NotImplementedError):
        curandom.rand(3, np.complex64)
    assert curandom.rand((0,)).size == 0


@pytest.mark.parametrize("cls", PSEUDO, ids=lambda c: c.__name__)
def test_distributions(cls):
    generator = cls()
    u = generator.gen_uniform((20000,), np.float32).get()
    assert 0 < u.min() and u.max() <= 1 and abs(u.mean() - 0.5) < 0.02
    for shape in ((20000,), (19999,)):
        for dtype in (np.float32, np.float64):
            normal = generator.gen_normal(shape, dtype).get()
            assert abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05
            log_normal = generator.gen_log_normal(shape, dtype, 1.0, 0.5).get()
            assert abs(np.log(log_normal).mean() - 1) < 0.05 and abs(np.log(log_normal).std() - 0.5) < 0.05
    poisson = generator.gen_poisson((20000,), np.uint32, 7).get()
    assert abs(poisson.mean() - 7) < 0.2 and abs(poisson.var() - 7) < 0.5
    data = gpuarray.to_gpu(np.full(20000, 4, np.float32))
    generator.fill_poisson(data)
    assert abs(data.get().mean() - 4) < 0.2
    bits = generator.gen_uniform((1000,), np.uint32).get()
    assert len(np.unique(bits)) > 990 and generator.gen_uniform((10,), np.int32).dtype == np.int32
    for call in (lambda: generator.gen_uniform(3, np.int64), lambda: generator.gen_normal(3, np.int32), lambda: generator.gen_poisson(3, np.float32, 2)):
        with pytest.raises(NotImplementedError):
            call()
    assert generator.gen_uniform((0,), np.float32).size == 0


@pytest.mark.parametrize("cls", QUASI, ids=lambda c: c.__name__)
def test_quasi_random(cls):
    needs_curand(cls)
    generator = cls()
    assert not generator.has_box_muller
    u = generator.gen_uniform((4 * generator.block_count * generator.generators_per_block,), np.float64).get()
    assert 0 < u.min() and u.max() <= 1
    if generator.generator_bits == 64:
        assert generator.gen_uniform((10,), np.uint64).dtype == np.uint64
    else:
        with pytest.raises(NotImplementedError):
            generator.gen_uniform((10,), np.uint64)
    assert generator.gen_normal((100,), np.float32).get().std() > 0


@pytest.mark.parametrize("cls", PSEUDO, ids=lambda c: c.__name__)
def test_equal_seeds_give_equal_numbers(cls):
    def seeds(n):
        return gpuarray.arange(n, dtype=np.int32)

    first, second = cls(seeds), cls(seeds)
    np.testing.assert_array_equal(first.gen_uniform((5000,), np.float32).get(), second.gen_uniform((5000,), np.float32).get())
    assert not np.array_equal(first.gen_uniform((5000,), np.uint32).get(), cls().gen_uniform((5000,), np.uint32).get())
    for wrong in (lambda n: gpuarray.zeros(n, np.int64), lambda n: gpuarray.zeros(n - 1, np.int32), lambda n: np.zeros(n, np.int32)):
        with pytest.raises(TypeError):
            cls(wrong)


# Sums over 1024 numbers of uint32, float32 and float64, one from each generator: every device has at least 1024 generators.
SUMS = {
    "XORWOW": (0x5CD5DD1D, 0xB45A8419, 0x592DB0C1),
    "MRG32k3a": (0xB604004D, 0x304D30F2, 0xFC35F4EF),
    "Sobol32": (0xC71C0011, 0x79267940, 0x2798587E),
    "ScrambledSobol32": (0xA42E8DBA, 0x81F99DB5, 0xD34267B0),
    "Sobol64": (0xC71C0011, 0x79267940, 0xEF35D5F6),
    "ScrambledSobol64": (0xA42E8DBA, 0x81F99DB5, 0x10F13F37),
}


@pytest.mark.parametrize("name", SUMS)
def test_numbers_are_the_same_on_every_device(name):
    cls = getattr(curandom, f"{name}RandomNumberGenerator")
    needs_curand(cls)
    arguments = {"seed_getter": lambda n: gpuarray.arange(n, dtype=np.int32)} if cls in PSEUDO else {}
    sums = [zlib.crc32(cls(**arguments).gen_uniform(1024, dtype).get().tobytes()) for dtype in (np.uint32, np.float32, np.float64)]
    assert tuple(sums) == SUMS[name]


def test_rand_is_the_same_on_every_device():
    np.random.seed(5)
    sums = [zlib.crc32(curandom.rand(1000, dtype).get().tobytes()) for dtype in (np.int32, np.uint32, np.float32, np.float64)]
    assert sums == [0xAB356B92, 0xAAE81360, 0xE719E0E6, 0x8D57A155]


@pytest.mark.parametrize("cls", PSEUDO + QUASI, ids=lambda c: c.__name__)
def test_skipping_reaches_every_generator(cls):
    needs_curand(cls)
    arguments = {"seed_getter": lambda n: gpuarray.arange(n, dtype=np.int32)} if cls in PSEUDO else {}
    first, second, third = cls(**arguments), cls(**arguments), cls(offset=3, **arguments)
    count = first.block_count * first.generators_per_block
    numbers = first.gen_uniform((4, count), np.uint32).get()
    second.call_skip_ahead(3)
    np.testing.assert_array_equal(second.gen_uniform((count,), np.uint32).get(), numbers[3])
    np.testing.assert_array_equal(third.gen_uniform((count,), np.uint32).get(), numbers[3])
    skips = np.arange(count) % 4
    fourth = cls(**arguments)
    fourth.call_skip_ahead_array(gpuarray.to_gpu(skips.astype(fourth._skip_dtype)))
    np.testing.assert_array_equal(fourth.gen_uniform((count,), np.uint32).get(), numbers[skips, np.arange(count)])
    if cls in PSEUDO:
        fifth = cls(**arguments)
        fifth.call_skip_ahead_sequence(1)
        assert not np.array_equal(fifth.gen_uniform((count,), np.uint32).get(), numbers[0])
    with pytest.raises(TypeError):
        fourth.call_skip_ahead_array(gpuarray.zeros(3, np.uint64))


def test_vectors_from_the_library():
    needs_curand(QUASI[0])
    major, minor, revision = curandom.get_curand_version()
    assert major >= 10
    vectors = curandom.generate_direction_vectors(7)
    assert vectors.shape == (7, 32) and vectors.dtype == np.uint32
    assert vectors.get()[0].tolist() == [2**(31 - k) for k in range(32)]  # the first dimension: van der Corput
    assert curandom.generate_direction_vectors(3, curandom.direction_vector_set.VECTOR_64).shape == (3, 64)
    many = curandom.generate_direction_vectors(20003).get()
    np.testing.assert_array_equal(many[20000:], many[:3])
    assert curandom.generate_scramble_constants32(5).dtype == np.uint32
    assert curandom.generate_scramble_constants64(5).dtype == np.uint64
    with pytest.raises(TypeError):
        curandom.Sobol32RandomNumberGenerator(gpuarray.zeros((3, 32), np.uint32))


def test_seed_getters():
    assert len(np.unique(curandom.seed_getter_uniform(100).get())) == 1
    assert len(np.unique(curandom.seed_getter_unique(100).get())) > 95


def test_strided_arrays_are_rejected():
    """The kernels would write between their elements, and beyond their ends."""
    generator = PSEUDO[0]()
    a = gpuarray.zeros((40, 50), np.float32)
    for view in (a[::2], a[:, ::-1], a[::-1]):
        for fill in (generator.fill_uniform, generator.fill_normal, generator.fill_poisson):
            with pytest.raises(RuntimeError, match="contiguous"):
                fill(view)
    generator.fill_uniform(a.T)
    assert (a.get() > 0).all()
    counts = gpuarray.zeros((generator._count, 2), np.uint64)[:, 0]
    with pytest.raises(RuntimeError, match="contiguous"):
        generator.call_skip_ahead_array(counts)
    with pytest.raises(RuntimeError, match="contiguous"):
        PSEUDO[0](lambda n: gpuarray.zeros((n, 2), np.int32)[:, 0])


def test_skipping_beyond_the_last_subsequence_is_an_error():
    """cuRAND would read beyond the end of its table."""
    generator = curandom.MRG32k3aRandomNumberGenerator()
    for count in (1 << 56, 1 << 63):
        with pytest.raises(ValueError, match="fewer than"):
            generator.call_skip_ahead_subsequence(count)
