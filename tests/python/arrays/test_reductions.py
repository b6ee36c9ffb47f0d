"""Reductions of arrays and ReductionKernel."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray, reduction
from pycuda.reduction import ReductionKernel
from pycuda.scan import GenericScanKernel

from conftest import close, sample

SHAPES = [(7,), (5000,), (3, 4), (64, 129), (2, 3, 4, 5), (1, 1), ()]


def roughly(ours, expected):
    ours = ours.get()
    assert ours.shape == np.shape(expected), (ours.shape, np.shape(expected))
    if ours.dtype.kind in "fc":
        tolerance = 1e3 * float(np.finfo(ours.dtype).eps)
        np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(ours, np.asarray(expected).astype(ours.dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float16, np.float32, np.float64, np.complex64], ids=lambda t: t.__name__)
def test_whole_arrays(shape, dtype, rng):
    x = sample(rng, shape, dtype) / dtype(8) if np.dtype(dtype).kind in "fc" else sample(rng, shape, dtype)
    x = x.astype(dtype)
    a = gpuarray.to_gpu(x)
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64 if np.dtype(dtype).kind == "f" else dtype
    total = gpuarray.sum(a)
    assert total.shape == () and total.dtype == dtype
    if dtype == np.float16:
        np.testing.assert_allclose(total.get(), x.sum(dtype=np.float64), rtol=1e-2, atol=1e-1)
    else:
        roughly(total, x.sum(dtype=wide))
        roughly(gpuarray.dot(a, a), (x.astype(wide) ** 2).sum(dtype=wide))
    assert gpuarray.any(a).get() == x.any() and gpuarray.all(a).get() == x.all() and gpuarray.any(a).dtype == np.bool_
    roughly(gpuarray.min(a), x.min())
    roughly(gpuarray.max(a), x.max())
    roughly(gpuarray.argmin(a), x.argmin())
    roughly(a.argmax(), x.argmax())


@pytest.mark.parametrize("axis", [0, 1, 2, -1, (0, 2), (0, 1, 2), None, ()], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis, keepdims, rng):
    host = sample(rng, (4, 50, 6), np.float64)
    for x, a in ((host, gpuarray.to_gpu(host)), (host.T, gpuarray.to_gpu(host).T), (host[:, ::-2], gpuarray.to_gpu(host)[:, ::-2])):
        roughly(gpuarray.sum(a, axis=axis, keepdims=keepdims), x.sum(axis=axis, keepdims=keepdims))
        roughly(a.max(axis=axis, keepdims=keepdims), x.max(axis=axis, keepdims=keepdims))
        roughly(np.mean(a, axis=axis, keepdims=keepdims), x.mean(axis=axis, keepdims=keepdims))
        if isinstance(axis, int):
            roughly(a.argmin(axis=axis, keepdims=keepdims), x.argmin(axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("shape,axis", [((200_000,), None), ((2, 100_000), 1), ((100_000, 2), 0)])
def test_two_stages(shape, axis, rng):
    host = sample(rng, shape, np.float64)
    a = gpuarray.to_gpu(host)
    roughly(a.sum(axis=axis), host.sum(axis=axis))
    roughly(a.mean(axis=axis), host.mean(axis=axis))
    roughly(a.argmin(axis=axis), host.argmin(axis=axis))


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex128], ids=lambda t: t.__name__)
@pytest.mark.parametrize("shape", [(100, 128), (70, 129), (2_000, 256), (3, 90, 64)])
def test_columns(shape, dtype, rng):
    """One thread sums neighbouring columns in parallel; the order does not depend on the alignment of the memory."""
    host = sample(rng, shape, dtype)
    a = gpuarray.to_gpu(host)
    wider = gpuarray.zeros((*shape[:-1], shape[-1] + 1), dtype)
    wider[..., 1:] = a
    gapped = gpuarray.zeros((*shape[:-1], shape[-1] + 4), dtype)
    gapped[..., :-4] = a
    axis = len(shape) - 2
    # All reductions share their traversal: test each dtype with two of them, and each of them with one dtype.
    for name in {"i": ("sum", "argmin"), "f": ("sum", "mean", "any", "max", "argmin"), "c": ("sum", "mean")}[host.dtype.kind]:
        expected = getattr(host, name)(axis=axis, **({"dtype": dtype} if name == "sum" else {}))
        ours = getattr(a, name)(axis=axis)
        roughly(ours, expected)
        np.testing.assert_array_equal(getattr(gapped[..., :-4], name)(axis=axis).get(), ours.get())
        roughly(getattr(wider[..., 1:], name)(axis=axis), expected)
    misaligned = gpuarray.zeros(host.size + 1, dtype)[1:].reshape(shape)
    misaligned[...] = a
    np.testing.assert_array_equal(misaligned.sum(axis=axis).get(), a.sum(axis=axis).get())


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_dot_along_axes(axis, keepdims, rng):
    x, y = sample(rng, (3, 4, 5), np.int32), sample(rng, (3, 4, 5), np.float32)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    expected = (x.astype(np.float64) * y).sum(axis=axis, keepdims=keepdims)
    for ours in (gpuarray.dot(a, b, axis=axis, keepdims=keepdims), a.dot(b, axis=axis, keepdims=keepdims)):
        assert ours.dtype == np.float64
        close(ours, expected)
    close(gpuarray.dot(a[::-1, :, ::2], b[::-1, :, ::2], axis=axis, dtype=np.float32), (x[::-1, :, ::2] * y[::-1, :, ::2].astype(np.float64)).sum(axis=axis).astype(np.float32))
    with pytest.raises(ValueError, match="same shape"):
        gpuarray.dot(a, b.reshape(5, 4, 3), axis=0)


def test_bad_axes():
    a = gpuarray.zeros((2, 3), np.float32)
    for axis in (2, -3, (0, 0)):
        with pytest.raises(ValueError):
            a.sum(axis=axis)


def test_dtypes_of_results(rng):
    x = sample(rng, 1000, np.uint8)
    a = gpuarray.to_gpu(x)
    assert gpuarray.sum(a).dtype == np.uint8
    roughly(gpuarray.sum(a, dtype=np.int64), x.sum(dtype=np.int64))
    assert gpuarray.mean(a).dtype == np.float64
    roughly(gpuarray.dot(a, gpuarray.to_gpu(x.astype(np.float32))), np.dot(x.astype(np.float64), x))


def test_empty_arrays():
    a = gpuarray.zeros((0, 3), np.float32)
    assert gpuarray.sum(a).get() == 0 and gpuarray.any(a).get() == False and gpuarray.all(a).get() == True  # noqa: E712
    assert a.sum(axis=0).get().tolist() == [0, 0, 0] and a.sum(axis=1).shape == (0,)
    for axis in (None, 0):
        for reduce in (gpuarray.argmax, gpuarray.max):
            with pytest.raises(ValueError):
                reduce(a, axis=axis)
    assert a.argmin(axis=1).shape == (0,)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.float16, np.float32, np.float64], ids=lambda t: t.__name__)
def test_indices_among_equal_elements(dtype, rng):
    """In one launch and in two, along rows for a block, a warp and less, aligned to packs of elements or not: the first of equal elements, or of NaN."""
    for shape, axis, first in (((1000,), None, 0), ((40003,), None, 0), ((300001,), None, 1), ((7, 5003), 1, 0), ((300, 304), 1, 0), ((300, 304), 1, 5),
                               ((500, 100), 1, 3), ((3000, 40), 0, 0)):
        values = rng.integers(0, 100, shape).astype(dtype) - np.array(50).astype(dtype)
        with_nan = values.copy()
        if values.dtype.kind == "f":
            with_nan.flat[rng.integers(0, values.size, 20)] = np.nan
            with_nan.flat[rng.integers(0, values.size, 9)] = -np.inf
        for x in (values, with_nan, np.full_like(values, 3), np.full_like(values, -np.inf if values.dtype.kind == "f" else np.iinfo(dtype).min)):
            a, x = gpuarray.to_gpu(x)[..., first:], x[..., first:]
            roughly(a.argmax(axis=axis), x.argmax(axis))
            roughly(a.argmin(axis=axis), x.argmin(axis))
    ends = np.zeros(200000, dtype)
    for place in (0, 7, 131071, 199992, 199999):
        x = ends.copy()
        x[place] = 1
        assert int(gpuarray.to_gpu(x).argmax().get()) == place


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.bool_], ids=lambda t: t.__name__)
def test_bytes_at_any_alignment(dtype, rng):
    x = rng.integers(-100, 100, 300001).astype(dtype)
    for first in (0, 1, 8):
        a = gpuarray.to_gpu(x)[first:]
        roughly(a.sum(dtype=np.int64), x[first:].sum(dtype=np.int64))
        roughly(a.max(), x[first:].max())


def test_nans_are_skipped():
    a = gpuarray.to_gpu(np.array([np.nan, 3, 1, np.nan], np.float32))
    assert gpuarray.min(a).get() == 1 and gpuarray.max(a).get() == 3


def test_results_are_reproducible(rng):
    a = gpuarray.to_gpu(rng.standard_normal(100000).astype(np.float32))
    assert len({float(gpuarray.sum(a).get()) for _ in range(5)}) == 1


def test_subsets(rng):
    x, y = sample(rng, 500, np.float32), sample(rng, 500, np.float32)
    subset = rng.permutation(500)[:200].astype(np.int32)
    a, b, s = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.to_gpu(subset)
    roughly(gpuarray.subset_sum(s, a), x[subset].sum(dtype=np.float64))
    roughly(gpuarray.subset_dot(s, a, b), np.dot(x[subset].astype(np.float64), y[subset]))
    roughly(gpuarray.subset_min(s, a), x[subset].min())
    roughly(gpuarray.subset_max(s, a[::-1]), x[::-1][subset].max())


def test_methods_and_numpy(rng):
    x = sample(rng, (5, 6), np.float32)
    a = gpuarray.to_gpu(x)
    roughly(a.sum(), x.sum())
    roughly(a.prod(axis=1), x.prod(axis=1))
    roughly(np.sum(a, axis=0), x.sum(axis=0))
    roughly(np.max(a), x.max())
    assert a.any() and bool(a.all().get()) == x.all()


# ---- ReductionKernel


def test_dot_product(rng):
    x, y = sample(rng, 5000, np.float32), sample(rng, 5000, np.float32)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    kernel = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y")
    result = kernel(a, b)
    assert result.shape == () and result.dtype == np.float32
    np.testing.assert_allclose(result.get(), np.dot(x.astype(np.float64), y), rtol=1e-4)
    stream = drv.Stream()
    result = kernel(a, b, stream=stream)
    stream.synchronize()
    np.testing.assert_allclose(result.get(), np.dot(x.astype(np.float64), y), rtol=1e-4)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint32, np.float16, np.float32], ids=lambda t: t.__name__)
@pytest.mark.parametrize("accumulator", [np.int64, np.float64], ids=lambda t: t.__name__)
def test_wide_accumulators(dtype, accumulator, rng):
    """Small integers, whose sums are exact: threads whose last elements are missing add nothing."""
    if np.dtype(dtype).kind == "f" and accumulator is np.int64:
        accumulator = np.complex64
    a, b = (rng.integers(0, 8, 300_037).astype(dtype) for _ in range(2))
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    for n in (300_037, 262_144, 33_333):
        assert x[:n].sum(dtype=accumulator).get() == a[:n].sum(dtype=np.int64)
        assert gpuarray.dot(x[:n], y[:n], dtype=accumulator).get() == np.dot(a[:n].astype(np.int64), b[:n].astype(np.int64))
        assert x[1:n].max().get() == a[1:n].max()


@pytest.mark.parametrize("n", [0, 1, 31, 512, 2048, 2049, 3_000_000])
def test_sizes(n):
    kernel = ReductionKernel(np.int64, "0", "a+b", "x[i]", "int *x")
    assert kernel(gpuarray.to_gpu(np.ones(n, np.int32))).get() == n


def test_out_allocator_and_wrapper(rng):
    x = sample(rng, 5000, np.float64)
    a, kernel = gpuarray.to_gpu(x), ReductionKernel(np.float64, "-1e300", "fmax(a, b)", name="biggest")
    out = gpuarray.zeros(3, np.float64)
    assert kernel(a, out=out[1]) is not None
    assert out.get()[1] == x.max() and out.get()[0] == 0
    asked, calls = [], []

    def allocator(nbytes):
        asked.append(nbytes)
        return drv.mem_alloc(nbytes)

    def wrapper(call):
        def timed(*args):
            calls.append(len(args))
            call(*args)
        return timed

    assert kernel(a, allocator=allocator, kernel_wrapper=wrapper).get() == x.max()
    assert asked and asked[-1] == 8 and len(calls) == 2
    with pytest.raises(ValueError):
        kernel(a, out=gpuarray.zeros((), np.float32))
    with pytest.raises(ValueError):
        kernel(a, out=gpuarray.zeros(0, np.float64))
    with pytest.raises(RuntimeError):
        kernel(a[::2])
    with pytest.raises(TypeError):
        kernel(a, a)
    with pytest.raises(drv.CompileError):
        ReductionKernel(np.float32, "0", "a ++ b ???")


def test_structs(rng):
    from pycuda.tools import get_or_register_dtype

    dtype = get_or_register_dtype("extent_type", np.dtype([("lo", np.int32), ("hi", np.int32)]))
    x = rng.integers(-1000, 1000, 20000).astype(np.int32)
    kernel = ReductionKernel(
        dtype, neutral="make_extent(2147483647, -2147483647)", reduce_expr="join(a, b)", map_expr="make_extent(x[i], x[i])", arguments="int *x",
        preamble="""
        struct extent_type { int lo, hi; };
        __device__ extent_type make_extent(int lo, int hi) { extent_type e; e.lo = lo; e.hi = hi; return e; }
        __device__ extent_type join(extent_type a, extent_type b) { return make_extent(min(a.lo, b.lo), max(a.hi, b.hi)); }
        """)
    assert kernel(gpuarray.to_gpu(x)).get().tolist() == (x.min(), x.max())


def test_builders(rng):
    x = sample(rng, 1000, np.int64)
    a = gpuarray.to_gpu(x)
    assert reduction.get_minmax_kernel("min", x.dtype)(a).get() == x.min()
    assert reduction.get_minmax_kernel("max", x.dtype)(a).get() == x.max()
    assert reduction.get_sum_kernel(None, x.dtype)(a).get() == x.sum()
    assert reduction.get_sum_kernel(np.float64, x.dtype)(a).get() == x.sum()
    assert reduction.get_any_kernel(np.bool_, x.dtype)(a).get() and reduction.get_all_kernel(np.bool_, x.dtype)(a).get() == x.all()
    assert reduction.get_dot_kernel(None, x.dtype, x.dtype)(a, a).get() == np.dot(x, x)
    assert reduction.get_sum_kernel(None, x.dtype) is reduction.get_sum_kernel(None, x.dtype)
    for dtype in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        limits = np.iinfo(dtype)
        extremes = gpuarray.to_gpu(np.array([limits.min, limits.max], dtype))
        assert reduction.get_minmax_kernel("max", np.dtype(dtype))(extremes[:1]).get() == limits.min
        assert reduction.get_minmax_kernel("min", np.dtype(dtype))(extremes[1:]).get() == limits.max
    with pytest.raises(TypeError):
        reduction.get_minmax_kernel("min", np.dtype(np.complex64))


def test_a_field_with_the_name_of_the_index():
    """The mapping expression's `i` is the index only where it is a variable of its own."""
    pairs = gpuarray.to_gpu(np.arange(20000, dtype=np.int32))
    total = ReductionKernel(np.int64, "0", "a + b", map_expr="reinterpret_cast<const pair_of *>(p)[i].i",
                            arguments="const int *p", preamble="struct pair_of { int i; };")
    assert total(pairs).get() == 20000 * 19999 // 2


@pytest.mark.parametrize("name", ["s", "out", "acc", "tid", "sdata", "seq_count", "first", "last", "half", "other", "x", "n0"])
def test_arguments_of_any_name(name):
    """No name clashes with the kernel's own names, in one stage or two."""
    a = gpuarray.arange(5000, dtype=np.float32)
    kernel = ReductionKernel(np.float32, "0", "a + b", f"{name}[i] + also_{name}", f"const float *{name}, float also_{name}")
    assert kernel(a, 1).get() == 5000 * 4999 / 2 + 5000
    kernel = ReductionKernel(np.float32, "0", "a + b", f"vector[i] * {name}", f"const float *vector, float {name}")
    assert kernel(a, 2).get() == 5000 * 4999


def test_vectors_that_are_too_short_are_rejected():
    """Checked for vectors that are read at every index, but not if the code may skip indices."""
    x, y = gpuarray.to_gpu(np.ones(1000, np.int32)), gpuarray.to_gpu(np.ones(10, np.int32))
    dot = ReductionKernel(np.int32, "0", "a+b", "x[i] * y[i]", "const int *x, const int *y")
    with pytest.raises(ValueError, match="'y' has 10 elements"):
        dot(x, y)
    assert dot(y, x).get() == 10
    guarded = ReductionKernel(np.int32, "0", "a+b", "i < m ? x[i] * y[i] : 0", "const int *x, const int *y, int m")
    assert guarded(x, y, np.int32(10)).get() == 10
    scan = GenericScanKernel(np.int32, "const int *x, int *out", "x[i]", "a+b", "0", "out[i] = item")
    with pytest.raises(ValueError, match="'out' has 10 elements"):
        scan(x, y)
    with pytest.raises(ValueError, match="'x' has 1000 elements"):
        scan(x, x, size=1001)
    scan(y, x)
    assert x.get()[9] == 10
    kept = GenericScanKernel(np.int32, "const int *x, int *out", "x[i]", "a+b", "0", "if (i < 10) out[i] = item")
    kept(x, y)
    assert y.get()[9] == 55


@pytest.mark.parametrize("name", ["min", "max", "nanmin", "nanmax", "argmin", "argmax", "ptp"])
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.bool_], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0), (0, 0)], ids=str)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_extrema_of_nothing(name, dtype, shape, axis):
    """An error, unless there are no results either; the same for functions, methods and PyCUDA's functions."""
    x = np.zeros(shape, dtype)
    a = gpuarray.to_gpu(x)
    calls = [lambda x: getattr(np, name)(x, axis=axis)]
    if hasattr(a, name):
        calls.append(lambda x: getattr(x, name)(axis=axis))
    for call in calls:
        try:
            expected = call(x)
        except (ValueError, TypeError):
            with pytest.raises((ValueError, TypeError)):
                call(a)
        else:
            assert call(a).shape == expected.shape
    if name in ("min", "max") and axis is None:
        with pytest.raises(ValueError, match="no minimum or maximum"):
            getattr(gpuarray, name)(a)
        assert getattr(np, name)(a, initial=1).get() == getattr(np, name)(x, initial=1)
