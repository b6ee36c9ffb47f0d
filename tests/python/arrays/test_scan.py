"""Scan kernels, running sums, sorting."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel
from pycuda.tools import get_or_register_dtype

from conftest import close, sample

SIZES = [0, 1, 10, 127, 128, 129, 1024, 4097, 100_000, 300_001]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32], ids=lambda t: t.__name__)
def test_sums(n, dtype, rng):
    x = rng.integers(0, 10, n).astype(dtype)
    inclusive, exclusive = InclusiveScanKernel(dtype, "a+b"), ExclusiveScanKernel(dtype, "a+b", "0")
    a = gpuarray.to_gpu(x)
    expected = np.cumsum(x, dtype=dtype)
    np.testing.assert_array_equal(inclusive(a, "new").get(), expected)
    np.testing.assert_array_equal(a.get(), x)
    out = gpuarray.empty_like(a)
    assert exclusive(a, out) is out
    np.testing.assert_array_equal(out.get(), expected - x)
    assert inclusive(a) is a
    np.testing.assert_array_equal(a.get(), expected)


def test_not_commutative(rng):
    dtype = get_or_register_dtype("affine_map", np.dtype([("f", np.int32), ("s", np.int32)]))
    x = np.zeros(5000, dtype)
    x["f"], x["s"] = rng.integers(0, 2, 5000), rng.integers(-3, 4, 5000)
    kernel = InclusiveScanKernel(dtype, "compose(a, b)", preamble="""
        struct affine_map { int f, s; };
        __device__ affine_map compose(affine_map a, affine_map b) { affine_map c; c.f = a.f * b.f; c.s = a.s * b.f + b.s; return c; }
        """)
    f, s, expected = 1, 0, []
    for step_f, step_s in x.tolist():
        f, s = f * step_f, s * step_f + step_s
        expected.append((f, s))
    expected[0] = tuple(x[0].tolist())
    assert kernel(gpuarray.to_gpu(x)).get().tolist() == expected


# A tile of four bytes has 6,400 elements, a group 255 tiles.
@pytest.mark.parametrize("n", [1_632_000, 1_632_001, 3_264_000, 3_500_000])
def test_groups_of_tiles(n, rng):
    x = rng.integers(-3, 4, n).astype(np.int32)
    a = gpuarray.to_gpu(x)
    np.testing.assert_array_equal(gpuarray.cumsum(a).get(), np.cumsum(x))
    last = InclusiveScanKernel(np.int32, "b != 0 ? b : a")  # the order matters
    indices = np.maximum.accumulate(np.where(x != 0, np.arange(n), 0))
    np.testing.assert_array_equal(last(a, "new").get(), x[indices])
    before = ExclusiveScanKernel(np.int32, "b != 0 ? b : a", "7")(a).get()
    np.testing.assert_array_equal(before[1:], x[indices][:-1])
    assert before[0] == 7


def test_sums_of_floats_are_always_the_same(rng):
    a = gpuarray.to_gpu(rng.standard_normal(3_500_000).astype(np.float32))
    first = gpuarray.cumsum(a).get()
    np.testing.assert_allclose(first, np.cumsum(a.get(), dtype=np.float64), atol=1e-2)
    for _ in range(5):
        assert np.array_equal(gpuarray.cumsum(a).get(), first)


def test_streams_and_errors(rng):
    kernel = InclusiveScanKernel(np.int32, "max(a, b)", neutral="-2147483647")
    x = rng.integers(-1000, 1000, 3000).astype(np.int32)
    a, stream = gpuarray.to_gpu(x), drv.Stream()
    kernel(a, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), np.maximum.accumulate(x))
    with pytest.raises(ValueError):
        kernel(gpuarray.zeros((3, 4), np.int32))
    with pytest.raises(ValueError):
        kernel(a, gpuarray.zeros(3, np.int32))
    with pytest.raises(RuntimeError):
        kernel(a[::2])
    with pytest.raises(TypeError):
        kernel(gpuarray.zeros(3, np.float32))
    with pytest.raises(ValueError):
        ExclusiveScanKernel(np.int32, "a+b")
    with pytest.raises(drv.CompileError):
        InclusiveScanKernel(np.int32, "a ++ b ???")


def test_generic_copy_if(rng):
    x = rng.integers(0, 100, 20_000).astype(np.int32)
    a, out, count = gpuarray.to_gpu(x), gpuarray.zeros(20_000, np.int32), gpuarray.zeros((), np.int32)
    kernel = GenericScanKernel(
        np.int32, "int *ary, int *out, int limit, int *count", "(ary[i] > limit) ? 1 : 0", "a+b", "0",
        "if (prev_item != item) out[item - 1] = ary[i]; if (i + 1 == N) *count = item;")
    kernel(a, out, 50, count)
    expected = x[x > 50]
    assert count.get() == len(expected)
    np.testing.assert_array_equal(out.get()[:len(expected)], expected)


@pytest.mark.parametrize("name", ["n", "scratch", "tile", "count", "begin", "value", "before", "sum", "p0", "out", "lane"])
def test_generic_arguments_of_any_name(name):
    a = gpuarray.arange(1000, dtype=np.float32)
    out = gpuarray.empty_like(a)
    GenericScanKernel(np.float32, f"const float *{name}, float *result, float more", f"{name}[i] + more", "a + b", "0", "result[i] = item + N")(a, out, 1)
    close(out, np.cumsum(a.get() + 1) + 1000)



def test_generic_segments(rng):
    x = rng.integers(0, 10, 9_000).astype(np.int32)
    starts = (rng.random(9_000) < 0.01).astype(np.int32)
    out = gpuarray.zeros(9_000, np.int32)
    kernel = GenericScanKernel(
        np.int32, "int *ary, int *starts, int *out", "ary[i]", "across_seg_boundary ? b : (a+b)", "0", "out[i] = item",
        is_segment_start_expr="start_here", input_fetch_exprs=[("start_here", "starts", 0)])
    kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(starts), out)
    expected, total = [], 0
    for value, start in zip(x.tolist(), starts.tolist()):
        total = value if start else total + value
        expected.append(total)
    assert out.get().tolist() == expected
    short = gpuarray.zeros(9_000, np.int32)
    kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(starts), short, size=100)
    assert short.get().tolist() == expected[:100] + [0] * 8_900
    with pytest.raises(TypeError):
        kernel(short)


@pytest.mark.parametrize("n", [1, 100, 9_000, 70_000])
def test_generic_last_item(n, rng):
    x = rng.integers(0, 3, n).astype(np.int32)
    out = gpuarray.zeros(n, np.int32)
    partition = GenericScanKernel(np.int32, "int *x, int *out", "x[i] == 0 ? 1 : 0", "a+b", "0",
                                  "out[x[i] == 0 ? prev_item : last_item + i - item] = x[i]")
    partition(gpuarray.to_gpu(x), out)
    np.testing.assert_array_equal(out.get(), np.concatenate([x[x == 0], x[x != 0]]))
    ours = gpuarray.to_gpu(x + 1)
    GenericScanKernel(np.int64, "int *x", "x[i]", "a+b", None, "x[i] = last_item - item", name_prefix="left")(ours)
    np.testing.assert_array_equal(ours.get(), (x + 1).sum() - np.cumsum(x + 1))


def test_generic_last_item_of_segments(rng):
    x = rng.integers(1, 100, 20_000).astype(np.float64)
    ours, last = gpuarray.to_gpu(x), gpuarray.zeros(20_000, np.float64)
    GenericScanKernel(np.float64, "double *x, double *last", "x[i]", "max(a, b)", "0", "last[i] = last_item", "i % 1000 == 0")(ours, last)
    assert set(last.get().tolist()) == {x[-1000:].max()}


@pytest.mark.parametrize("size, segmented", [*((size, False) for size in (1, 2, 3, 6, 12, 20, 28, 64, 72, 128, 256)), (1, True), (12, True), (128, True), (256, True)])
def test_generic_values_of_every_size(size, segmented, rng):
    """The words of wide values do not interfere: each is the sum of its own column."""
    n, unit = 13_000, np.int8 if size % 2 else np.int16 if size % 4 else np.int32
    count = size // np.dtype(unit).itemsize
    x = rng.integers(-9, 10, (n, count)).astype(unit)
    struct = np.dtype([("v", unit, (count,))])
    ctype = {np.int8: "signed char", np.int16: "short", np.int32: "int"}[unit]
    preamble = f"""struct many_{size} {{ {ctype} v[{count}]; }};
__device__ many_{size} join(const many_{size} &a, const many_{size} &b)
{{ many_{size} r; for (int k = 0; k < {count}; ++k) r.v[k] = a.v[k] + b.v[k]; return r; }}"""
    get_or_register_dtype(f"many_{size}", struct)
    kernel = GenericScanKernel(struct, f"{ctype} *x, {ctype} *out", f"*(const many_{size}*)(x + i * {count})", "join(a, b)", None,
                               f"*(many_{size}*)(out + i * {count}) = item", "i % 7000 == 5000" if segmented else None, preamble=preamble)
    out = gpuarray.zeros(n * count, unit)
    kernel(gpuarray.to_gpu(x.ravel()), out, size=n)
    parts = np.split(x, [5_000, 12_000] if segmented else [])
    np.testing.assert_array_equal(out.get().reshape(n, count), np.concatenate([np.cumsum(part, axis=0, dtype=unit) for part in parts]))


# ---- of arrays


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_running_sums(axis, rng):
    x = sample(rng, (30, 40), np.int32)
    a = gpuarray.to_gpu(x)
    np.testing.assert_array_equal(gpuarray.cumsum(a, axis).get(), np.cumsum(x, axis, dtype=np.int32))
    np.testing.assert_array_equal(np.cumsum(a[::2, ::-1], axis=axis).get(), np.cumsum(x[::2, ::-1], axis, dtype=np.int32))
    np.testing.assert_array_equal(a.cumsum(axis, np.int64).get(), np.cumsum(x, axis, dtype=np.int64))
    small = gpuarray.to_gpu((x % 3).astype(np.float64))
    np.testing.assert_allclose(gpuarray.cumprod(small, axis).get(), np.cumprod((x % 3).astype(np.float64), axis))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64], ids=lambda t: t.__name__)
def test_sorting(dtype, rng):
    x = sample(rng, (7, 501), dtype)
    a = gpuarray.to_gpu(x)
    for axis in (-1, 0, None):
        np.testing.assert_array_equal(gpuarray.sort(a, axis).get(), np.sort(x, axis))
        indices = gpuarray.argsort(a, axis).get()
        np.testing.assert_array_equal(indices, np.argsort(x, axis, kind="stable"))
    np.testing.assert_array_equal(gpuarray.unique(a).get(), np.unique(x))
    np.testing.assert_array_equal(a.get(), x)
    values = gpuarray.to_gpu(np.arange(501))
    np.testing.assert_array_equal(gpuarray.sort(values, keys=a[0]).get(), np.argsort(x[0], kind="stable"))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float16, np.uint32, np.float32, np.int64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("shape", [(9, 256), (4, 257), (3, 2048), (3, 2049), (2, 3, 5000), (30000,)], ids=str)
def test_sorting_rows_of_every_length(shape, dtype, rng):
    """By ranks, and by digits in one tile and in several; with equal elements, NaN and both zeros."""
    x = rng.integers(0, 2 if dtype == np.bool_ else 200, shape).astype(dtype)
    if x.dtype.kind == "f":
        x.flat[rng.integers(0, x.size, 40)] = [np.nan, -np.inf, np.inf, -1] * 10
    a = gpuarray.to_gpu(x)
    np.testing.assert_array_equal(gpuarray.sort(a).get(), np.sort(x))
    np.testing.assert_array_equal(gpuarray.argsort(a).get(), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(gpuarray.unique(a).get(), np.unique(x))


@pytest.mark.parametrize("shape", [(1,), (512,), (513,), (1025,), (8192,), (8193,), (300, 600), (3, 20000), (70000, 33)], ids=str)
def test_running_sums_of_every_length(shape, rng):
    x = rng.integers(-9, 10, shape).astype(np.int32)
    np.testing.assert_array_equal(gpuarray.cumsum(gpuarray.to_gpu(x), -1).get(), np.cumsum(x, -1, dtype=np.int32))
    mask = x.ravel() > 3
    np.testing.assert_array_equal(gpuarray.nonzero(gpuarray.to_gpu(mask))[0].get(), np.nonzero(mask)[0])
    np.testing.assert_array_equal(gpuarray.to_gpu(x.ravel())[gpuarray.to_gpu(mask)].get(), x.ravel()[mask])


def test_masks(rng):
    x = sample(rng, (20, 30), np.float32)
    a, mask = gpuarray.to_gpu(x), x > 0.3
    m = gpuarray.to_gpu(mask)
    np.testing.assert_array_equal(a[m].get(), x[mask])
    np.testing.assert_array_equal(a[a > 0.3].get() if (a > 0.3).dtype == np.bool_ else a[m].get(), x[mask])
    np.testing.assert_array_equal(gpuarray.nonzero(m.ravel())[0].get(), np.nonzero(mask.ravel())[0])
    a[m] = 7
    x[mask] = 7
    np.testing.assert_array_equal(a.get(), x)
    values = sample(rng, int(mask.sum()), np.float32)
    a[m], x[mask] = gpuarray.to_gpu(values), values
    np.testing.assert_array_equal(a.get(), x)
    with pytest.raises(ValueError):
        a[m] = gpuarray.zeros(3, np.float32)
    with pytest.raises(IndexError):
        a[m[:3]]
    assert a[gpuarray.zeros((20, 30), np.bool_)].shape == (0,)


SEGMENTS = """
import numpy as np, pycuda.autoprimaryctx
from pycuda import gpuarray
from pycuda.scan import GenericScanKernel
for dtype, name in ((np.int8, "signed char"), (np.int32, "int"), (np.float64, "double")):
    scan = GenericScanKernel(dtype, f"{name} *x, {name} *out", "x[i]", "across_seg_boundary ? b : a + b", "0", "out[i] = item", "i % 7 == 0")
    x, out = gpuarray.to_gpu(np.ones(5000, dtype)), gpuarray.zeros(5000, dtype)
    scan(x, out)
    assert (out.get() == np.arange(5000) % 7 + 1).all()
"""


def test_segments_have_no_uninitialised_bytes(run_python):
    done = run_python(SEGMENTS, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK="init")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.int32], ids=lambda t: t.__name__)
def test_large_products(dtype, rng):
    """Large enough for cuBLAS, if it is installed: all memory orders, gaps between rows, steps, vectors, and an operand as `out`."""
    n = 512 if drv.driver_info().is_cpu_device else 1024
    x, y = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((n + 8, n + 1), (n + 1, n + 2)))
    if x.dtype.kind == "c":
        x, y = x * (1 + 2j), y - 1j * x[:1, :1]
    exact = np.complex128 if x.dtype.kind == "c" else np.float64
    expected = (x.astype(exact) @ y.astype(exact)).astype(dtype)  # integers: exact
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    np.testing.assert_array_equal((a @ b).get(), expected)
    if dtype in (np.float32, np.complex64):
        columns_a, columns_b = gpuarray.to_gpu(np.asfortranarray(x)), gpuarray.to_gpu(np.asfortranarray(y))
        np.testing.assert_array_equal((columns_a @ b).get(), expected)
        np.testing.assert_array_equal((b.T @ columns_a.T).get(), expected.T)
        np.testing.assert_array_equal((a @ columns_b).get(), expected)
        np.testing.assert_array_equal((a[:, :n] @ b[1:]).get(), x[:, :n] @ y[1:])
        np.testing.assert_array_equal((a[::-1] @ b).get(), expected[::-1])
        wide = gpuarray.zeros((2 * n, n + 2), dtype)
        wide[: n + 2] = b.T @ b
        square = wide[: n + 2]
        product = square.get() @ square.get()
        assert gpuarray.matmul(square, square, out=square) is square
        np.testing.assert_allclose(square.get(), product, rtol=1e-5, atol=1e-5 * abs(product).max())
        assert not wide[n + 2 :].get().any()


@pytest.mark.parametrize("shapes", [((3, 4), (4, 5)), ((33, 70), (70, 17)), ((150, 130), (130, 140)), ((4,), (4, 5)), ((3, 4), (4,)), ((7,), (7,)), ((0, 3), (3, 2)), ((2, 0), (0, 3))], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.int32], ids=lambda t: t.__name__)
def test_matmul(shapes, dtype, rng):
    x, y = (sample(rng, shape, dtype) for shape in shapes)
    ours = gpuarray.to_gpu(x) @ gpuarray.to_gpu(y)
    np.testing.assert_allclose(ours.get(), x @ y, rtol=1e-4, atol=1e-4)
    assert ours.shape == (x @ y).shape
    with pytest.raises(ValueError):
        gpuarray.matmul(gpuarray.zeros((2, 3), np.float32), gpuarray.zeros((2, 3), np.float32))


def test_outputs_of_another_type_are_rejected():
    """The kernel would write beyond the end of an array with a smaller dtype."""
    for dtype, other in ((np.float32, np.int32), (np.float64, np.float32), (np.int32, np.uint32)):
        for kernel in (InclusiveScanKernel(dtype, "a+b"), ExclusiveScanKernel(dtype, "a+b", 0)):
            out = gpuarray.zeros(1000, other)
            with pytest.raises(TypeError, match=f"output of this scan must have dtype {np.dtype(dtype)}, not {np.dtype(other)}"):
                kernel(gpuarray.ones(1000, dtype), out)
            assert not out.get().any()


@pytest.mark.parametrize("shape,axis", [((3,), 0), ((3000,), 0), ((70_000,), 0), ((40, 300), 0), ((300, 300), 0), ((3, 70_000), 0), ((300, 50), 1)])
def test_scans_begin_with_their_first_element(shape, axis):
    """Nothing is joined to it: 0 + -0.0 would be 0.0, and 1 * inf has an imaginary NaN. By blocks, threads, columns and tiles."""
    for value in (-0.0, complex(-0.0, -0.0), complex(np.inf, 0), complex(1, np.nan), complex(-0.0, 1)):
        x = np.full(shape, value)
        a = gpuarray.to_gpu(x)
        for scan in (gpuarray.cumsum, gpuarray.cumprod):
            first, expected = (np.atleast_1d(np.take(array, 0, axis)).view(np.float64) for array in (scan(a, axis).get(), x))
            np.testing.assert_array_equal(first, expected)
            np.testing.assert_array_equal(np.signbit(first), np.signbit(expected))
    zeros = gpuarray.cumsum(gpuarray.to_gpu(np.full(shape, -0.0)), axis).get()
    assert np.signbit(zeros).all() and not zeros.any()
