"""ElementwiseKernel and the builders of kernels that client packages call."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import elementwise, gpuarray, tools
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import GenericScanKernel

from conftest import close, sample


@pytest.fixture
def vectors(rng):
    x, y = sample(rng, 1000, np.float32), sample(rng, 1000, np.float32)
    return x, y, gpuarray.to_gpu(x), gpuarray.to_gpu(y)


def test_linear_combination(vectors):
    x, y, a, b = vectors
    c = gpuarray.empty_like(a)
    kernel = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]", "linear_combination")
    assert kernel(5, a, 6, b, c) is None
    close(c, 5 * x + 6 * y)
    stream = drv.Stream()
    kernel(1, a, np.float32(2), b, c, stream=stream)
    stream.synchronize()
    close(c, x + 2 * y)


@pytest.mark.parametrize("bounds", [(None, None, None), (3, 50, 7), (-10, None, 1), (None, 20, None), (50, 3, -7), (None, None, -1), (5, 5, 1), (0, 10**6, 3)])
def test_slice(bounds, vectors):
    x, y, a, _ = vectors
    expected = x.copy()
    expected[slice(*bounds)] *= 2
    ElementwiseKernel("float *z", "z[i] = 2*z[i]")(a, slice=slice(*bounds))
    close(a, expected)


@pytest.mark.parametrize("bounds", [(0, 10), (3, 50, 7), (50, 3, -7), (5, 5), (7, 3)])
def test_range(bounds, vectors):
    x, y, a, _ = vectors
    expected = x.copy()
    expected[list(range(*bounds))] = 1
    ElementwiseKernel("float *z", "z[i] = 1")(a, range=slice(*bounds))
    close(a, expected)


def test_all_names_of_the_module(vectors):
    x, y, a, _ = vectors
    out = gpuarray.zeros(1000, np.float32)
    ElementwiseKernel(
        [tools.VectorArg(np.float32, "z"), tools.VectorArg(np.float32, "x"), tools.ScalarArg(np.int32, "k")],
        "z[i] = twice(x[i]) + offset + (i == cta_start + tid ? 0.f : 0.f) + (total_threads > n ? 0.f : 0.f)", "named",
        preamble="template <class T> __device__ T twice(T v) { return v + v; }", loop_prep="const float offset = k",
        after_loop="if (tid == 0 && cta_start == 0) z[0] = -1")(out, a, 3)
    drv.Context.synchronize()
    expected = 2 * x + 3
    close(out[1:], expected[1:])
    assert out[0].get() in (-1, expected[0]) if gpuarray.splay(1000)[0][0] > 1 else out[0].get() == -1


def test_complex_and_struct_arguments(rng):
    z = sample(rng, 100, np.complex64)
    out = gpuarray.empty_like(a := gpuarray.to_gpu(z))
    ElementwiseKernel("pycuda::complex<float> *out, pycuda::complex<float> *z, pycuda::complex<float> f", "out[i] = f * z[i]")(out, a, 2 + 1j)
    close(out, z * np.complex64(2 + 1j))
    vec = gpuarray.vec
    points = gpuarray.zeros(50, vec.float4)
    ElementwiseKernel("float4 *p, float4 v", "p[i] = make_float4(v.x, v.y, i, v.w)")(points, vec.make_float4(1, 2, 3, 4))
    assert points.get()[7].tolist() == (1, 2, 7, 4)


def test_bad_calls(vectors):
    x, y, a, b = vectors
    kernel = ElementwiseKernel("float *x, float *y", "x[i] += y[i]", "adds")
    with pytest.raises(TypeError, match="takes 2 arguments, given 1"):
        kernel(a)
    with pytest.raises(TypeError):
        kernel(a, b, range=slice(0, 1), slice=slice(0, 1))
    with pytest.raises(TypeError):
        kernel(a, b, strean=None)
    with pytest.raises(RuntimeError, match="contiguous"):
        kernel(a[::2], b)
    with pytest.raises(ValueError, match="fewer"):
        ElementwiseKernel("float *x, float *y", "x[n - 1 - i] += y[i]", "adds")(a, b[:999])
    with pytest.raises(TypeError):
        ElementwiseKernel("float *x, int n_", "x[i] = n_")(a, 2.5)
    with pytest.raises(RuntimeError, match="at least one vector"):
        ElementwiseKernel("float x", "x")(1.5)
    with pytest.raises(drv.CompileError) as raised:
        ElementwiseKernel("float *x", "x[i] = unknown")(a)
    assert raised.value.__context__ is None
    close(a, x)


@pytest.mark.parametrize(("given", "named"), [(np.ones(4, np.float32), "numpy.ndarray"), ([1.0], "list"), (1.5, "float")])
def test_vectors_must_be_on_the_device(given, named):
    for kernel in (ElementwiseKernel("float *x", "x[i] = 1"), ReductionKernel(np.float32, "0", "a + b", "x[i]", "float *x")):
        with pytest.raises(TypeError, match=f"must be an array on the device, given {named}; copy it with gpuarray.to_gpu"):
            kernel(given)


def test_indices_beyond_a_vector_are_skipped(vectors):
    """PyCUDA computes as many elements as the first vector has, and client packages pass shorter results."""
    x, y, a, b = vectors
    differences = gpuarray.zeros(1001, np.float32)
    ElementwiseKernel("float *x, float *d", "d[i] = x[i + 1] - x[i]")(a, differences[:999])
    close(differences[:999], np.diff(x))
    assert differences[999:].get().tolist() == [0, 0]
    ElementwiseKernel("float *x, float *y", "x[i] += y[i]")(a, b[:10])
    close(a, np.concatenate([x[:10] + y[:10], x[10:]]))
    ElementwiseKernel("float *x, float *y", "x[i] += y[i]")(a, b[:0])


CHOOSING = {
    "a choice": ("y[i] = i < 3 ? x[i] : 0.f", [1, 2, 3, 0, 0, 0]), "a condition": ("y[i] = 0; if (i < 3) y[i] = x[i]", [1, 2, 3, 0, 0, 0]),
    "a loop": ("float s = 0; for (int i = 0; i < 3; ++i) s += x[i]; y[i] = s", [6] * 6), "one thread": ("y[i] = 1; if (i == 0) x[i] = 42", [1] * 6),
    "short circuit": ("y[i] = i < 3 && x[i] > 0", [1, 1, 1, 0, 0, 0]), "another index": ("const long j = i; { size_t i = j % 3; y[j] = x[i]; }", [1, 2, 3] * 2),
    "a changed index": ("const long j = i; i = j % 3; y[j] = x[i]; i = j", [1, 2, 3] * 2), "a macro": ("y[i] = PICK(i < 3, x[i])", [1, 2, 3, 0, 0, 0]),
}


@pytest.mark.filterwarnings("ignore:The CUDA compiler succeeded")
@pytest.mark.parametrize("name", CHOOSING)
def test_kernels_with_conditions_run_for_all_of_the_first_vector(name):
    code, expected = CHOOSING[name]
    y, x = gpuarray.zeros(6, np.float32), gpuarray.to_gpu(np.array([1, 2, 3], np.float32))
    ElementwiseKernel("float *y, float *x", code, preamble="#define PICK(condition, value) ((condition) ? (value) : 0)" if "PICK" in code else "")(y, x)
    assert y.get().tolist() == expected


#: A declared type, a dtype, and whether arrays of that dtype are accepted.
TYPES = [
    ("float", np.float32, True), ("int", np.uint32, True), ("unsigned char", np.bool_, True), ("signed char", np.bool_, True), ("unsigned long", "l", True),
    ("unsigned short", np.float16, True), ("float2", np.complex64, True), ("pycuda::complex<float>", gpuarray.vec.float2, True), ("long long", "M8[s]", True),
    ("float", np.float64, False), ("float", np.int32, False), ("int", np.float32, False), ("double", np.int64, False), ("long", np.float64, False),
    ("int", np.int64, False), ("float", np.complex64, False), ("pycuda::complex<float>", np.float32, False), ("pycuda::complex<float>", np.float64, False),
    ("double", np.float32, False), ("unsigned char", np.int32, False), ("float4", np.float32, False), ("short", np.int8, False), ("float", ">f4", False),
]


@pytest.mark.parametrize("declared, dtype, taken", TYPES, ids=lambda value: np.dtype(value).str if isinstance(value, type) else str(value))
def test_elements_must_have_the_declared_type(declared, dtype, taken):
    """Other types would be reinterpreted: PyCUDA does that, and computes garbage."""
    kernel = ElementwiseKernel(f"{declared} *first, int count", "(void)count", "mine")
    if taken:
        kernel(gpuarray.zeros(4, dtype), 1)
    else:
        name = "int" if declared == "long" and np.dtype("l").itemsize == 4 else declared
        with pytest.raises(TypeError, match=f"'mine': vector 'first' is declared `{name}`.*{np.dtype(dtype)}.*astype"):
            kernel(gpuarray.zeros(4, dtype), 1)


def test_reductions_and_scans_require_the_declared_types():
    kernels = [ReductionKernel(np.int32, "0", "a+b", map_expr="1", arguments="const float *first, int count", name="mine"),
               GenericScanKernel(np.int32, "float *first, int count", "1", "a+b", "0", "(void)count", name_prefix="mine")]
    for kernel in kernels:
        kernel(gpuarray.zeros(4, np.float32), 1)
        with pytest.raises(TypeError, match="'mine': vector 'first' is declared `float`.*int32.*astype"):
            kernel(gpuarray.zeros(4, np.int32), 1)


def test_shorter_vectors_used_as_tables(vectors):
    x, y, a, b = vectors
    table = gpuarray.to_gpu(np.array([10, 20], np.float32))
    ElementwiseKernel("float *x, float *table", "x[i] = table[i % 2]")(a, table)
    close(a, np.tile([10, 20], 500))


def test_empty_vectors():
    ElementwiseKernel("float *x", "x[i] = 1")(gpuarray.zeros(0, np.float32))


def test_arguments_are_unchanged(vectors):
    arguments = [tools.VectorArg(np.float32, "x")]
    kernel = ElementwiseKernel(arguments, "x[i] = 1")
    kernel(vectors[2])
    kernel(vectors[2], slice=slice(3))
    assert len(arguments) == 1


def test_used_in_two_contexts():
    kernel = ElementwiseKernel("float *x", "x[i] = i", "twice_used")
    results = []
    for _ in range(2):
        context = drv.Device(0).make_context()
        try:
            a = gpuarray.zeros(5, np.float32)
            kernel(a)
            results.append(a.get().tolist())
            del a
        finally:
            context.pop()
        del context
    assert results == [[0, 1, 2, 3, 4]] * 2
    from pycuda._arrays import kernel_cache as _kernel_cache
    _kernel_cache.clear_all()


# ---- builders


def run(function, *arguments, n):
    function.prepared_call((4, 1), (32, 1, 1), *(a.gpudata if hasattr(a, "gpudata") else a for a in arguments), n)


def test_builders(vectors):
    x, y, a, b = vectors
    out, n, f4 = gpuarray.empty_like(a), a.size, np.dtype(np.float32)

    def check(function, *arguments, expected):
        out.fill(-1)
        run(function, *arguments, n=n)
        close(out, expected)

    check(elementwise.get_axpbyz_kernel(f4, f4, f4), 2, a, 3, b, out, expected=2 * x + 3 * y)
    check(elementwise.get_axpbz_kernel(f4, f4), 2, a, 3, out, expected=2 * x + 3)
    check(elementwise.get_binary_op_kernel(f4, f4, f4, "*"), a, b, out, expected=x * y)
    check(elementwise.get_binary_op_kernel(f4, f4, f4, "*", y_is_scalar=True), a, b, out, expected=x * y[0])
    check(elementwise.get_rdivide_elwise_kernel(f4, f4), a, 2, out, expected=2 / x)
    check(elementwise.get_binary_func_kernel("fmaxf", f4, f4, f4), a, b, out, expected=np.maximum(x, y))
    check(elementwise.get_binary_func_scalar_kernel("fmaxf", f4, f4, f4), a, 0.5, out, expected=np.maximum(x, np.float32(0.5)))
    check(elementwise.get_binary_minmax_kernel("min", f4, f4, f4, False), a, b, out, expected=np.minimum(x, y))
    check(elementwise.get_fill_kernel(f4), 3, out, expected=np.full(n, 3))
    check(elementwise.get_copy_kernel(f4, f4), out, a, expected=x)
    check(elementwise.get_reverse_kernel(f4), a, out, expected=x[::-1])
    check(elementwise.get_unary_func_kernel("sinf", f4), a, out, expected=np.sin(x))
    check(elementwise.get_scalar_op_kernel(f4, f4, f4, "+"), a, 2, out, expected=x + 2)
    check(elementwise.get_pow_kernel(f4), 2, a, out, expected=x ** 2)
    check(elementwise.get_pow_array_kernel(f4, f4, f4, True, False), a, 2, out, expected=x ** 2)
    check(elementwise.get_if_positive_kernel(f4, f4), a, a, b, out, expected=np.where(x > 0, x, y))
    check(elementwise.get_where_kernel(f4, f4), a, a, b, out, expected=x)
    check(elementwise.get_arange_kernel(f4), out, 1, 2, expected=1 + 2 * np.arange(n))
    check(elementwise.get_fmod_kernel(), a, b, out, expected=np.fmod(x, y))
    check(elementwise.get_ldexp_kernel(), a, gpuarray.to_gpu(np.full(n, 2, np.float32)), out, expected=4 * x)
    indices = gpuarray.to_gpu(np.arange(n, dtype=np.int32)[::-1].copy())
    check(elementwise.get_put_kernel(f4, np.int32), indices, out, a, expected=x[::-1])
    assert elementwise.get_fill_kernel(f4) is elementwise.get_fill_kernel(f4)


def test_builders_that_read_textures(rng):
    x, y = sample(rng, 10, np.float32), sample(rng, 10, np.float32)
    a, b, f4, i4 = gpuarray.to_gpu(x), gpuarray.to_gpu(y), np.dtype(np.float32), np.dtype(np.int32)
    wanted = np.array([3, 1, 1, 9], np.int32)
    indices, to = gpuarray.to_gpu(wanted), gpuarray.to_gpu(np.arange(4, dtype=np.int32))

    function, references = elementwise.get_take_kernel(f4, i4, 2)
    for reference, array in zip(references, (a, b), strict=True):
        array.bind_to_texref_ext(reference, allow_double_hack=True)
    first, second = gpuarray.empty(4, np.float32), gpuarray.empty(4, np.float32)
    run(function, indices, first, second, n=4)
    close(first, x[wanted])
    close(second, y[wanted])

    for offset in (None, 1):
        function, (reference,) = elementwise.get_take_put_kernel(f4, i4, offset is not None, 1)
        a.bind_to_texref_ext(reference, allow_double_hack=True)
        run(function, to, gpuarray.to_gpu(wanted % 9), first, *(() if offset is None else (offset,)), n=4)
        close(first, x[wanted % 9 + (offset or 0)])

    out = gpuarray.empty(10, np.float64)
    function, references = elementwise.get_linear_combination_kernel(((False, f4, f4), (False, np.dtype(np.float64), np.dtype(np.float64))), np.dtype(np.float64))
    assert not references
    run(function, 2, a, 3, gpuarray.to_gpu(y.astype(np.float64)), out, n=10)
    close(out, 2 * x.astype(np.float64) + 3 * y.astype(np.float64))
    function, (reference,) = elementwise.get_linear_combination_kernel(((True, f4, f4), (False, f4, f4)), f4)
    five = gpuarray.to_gpu(np.array([5], np.float32))
    five.bind_to_texref_ext(reference)
    run(function, a, 3, b, first := gpuarray.empty(10, np.float32), n=10)
    close(first, 5 * x + 3 * y)


def test_builders_of_two_results(rng):
    x = sample(rng, 100, np.float32)
    a, first, second = gpuarray.to_gpu(x), gpuarray.empty(100, np.float32), gpuarray.empty(100, np.float32)
    run(elementwise.get_modf_kernel(), a, first, second, n=100)
    close(first, np.modf(x)[1])
    close(second, np.modf(x)[0])
    run(elementwise.get_frexp_kernel(), a, first, second, n=100)
    close(first, np.frexp(x)[0])
    close(second, np.frexp(x)[1].astype(np.float32))
    none = gpuarray.empty(100, np.bool_)
    run(elementwise.get_logical_not_kernel(np.dtype(np.float32), np.dtype(np.bool_)), a, none, n=100)
    close(none, x == 0)


def test_modules_without_a_wrapper():
    """get_elwise_module and the related functions, for all elements and for a range."""
    out = gpuarray.zeros(10, np.float32)
    arguments = [tools.VectorArg(np.float32, "z"), tools.ScalarArg(np.uintp, "n")]
    full = elementwise.get_elwise_module(arguments, "z[i] = n", name="full").get_function("full")
    full(out, np.uintp(10), grid=out._grid, block=out._block)
    close(out, np.full(10, 10))
    arguments = [tools.VectorArg(np.float32, "z"), *(tools.ScalarArg(np.intp, name) for name in ("start", "stop", "step"))]
    part = elementwise.get_elwise_range_module(arguments, "z[i] = step", name="part").get_function("part")
    part(out, np.intp(2), np.intp(9), np.intp(3), grid=out._grid, block=out._block)
    close(out, np.where(np.isin(np.arange(10), (2, 5, 8)), 3, 10))


def test_complex_builders(rng):
    z = sample(rng, 100, np.complex64)
    a, c8, f4 = gpuarray.to_gpu(z), np.dtype(np.complex64), np.dtype(np.float32)
    real = gpuarray.zeros(100, np.float32)
    run(elementwise.get_real_kernel(c8, f4), a, real, n=100)
    close(real, z.real)
    run(elementwise.get_imag_kernel(c8, f4), a, real, n=100)
    close(real, z.imag)
    out = gpuarray.empty_like(a)
    run(elementwise.get_conj_kernel(c8, c8), a, out, n=100)
    close(out, z.conj())
    run(elementwise.get_axpbyz_kernel(c8, f4, c8), 2j, a, 1, real, out, n=100)
    close(out, 2j * z + z.imag)


@pytest.mark.parametrize("dtypes", ["fff", "ddd", "bbb", "hfd", "iil"])
@pytest.mark.parametrize("start", [0, 1, 4])
def test_packs_of_adjacent_elements(rng, dtypes, start):
    """Plain formulas run in packs where all vectors are aligned to them."""
    names = [{"f": "float", "d": "double", "b": "signed char", "h": "short", "i": "int", "l": "long"}[code] for code in dtypes]
    kernel = ElementwiseKernel(", ".join(f"{name} *{vector}" for name, vector in zip(names, "zxy")), "z[i] = x[i] * 2 + y[i]; y[i] -= 1")
    for n in (1, 5, 1000, 70_001):
        x, y = (sample(rng, n + start, np.dtype(code)) for code in dtypes[1:])
        on_device = [gpuarray.zeros(n + start, np.dtype(dtypes[0])), gpuarray.to_gpu(x), gpuarray.to_gpu(y)]
        kernel(*(array[start:] for array in on_device))
        z, same_x, less = (array.get() for array in on_device)
        x_, y_ = (array.astype(np.int64 if code in "bhil" else array.dtype) for array, code in zip((x, y), dtypes[1:]))
        np.testing.assert_allclose(z[start:], (x_ * 2 + y_)[start:].astype(dtypes[0]), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(z[:start], 0)
        np.testing.assert_array_equal(same_x, x)
        np.testing.assert_array_equal(less[start:], (y - np.dtype(dtypes[2]).type(1))[start:])
        np.testing.assert_array_equal(less[:start], y[:start])


def test_packs_of_one_array_that_two_parameters_name():
    kernel = ElementwiseKernel("float *x, float *y", "y[i] = 1; x[i] = 2")
    both = gpuarray.zeros(1000, np.float32)
    kernel(both, both)
    assert (both.get() == 2).all()
