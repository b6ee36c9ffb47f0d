"""GPUArray: creating arrays, their attributes, assignment, subclasses."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray

LAYOUTS = [((), "C"), ((5,), "C"), ((2, 3), "C"), ((2, 3), "F"), ((2, 0, 3), "C"), ((1, 4, 1), "F"), ((2, 3, 4, 5), "C")]


@pytest.mark.parametrize("shape, order", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex128, np.float16])
def test_attributes_match_numpy(shape, order, dtype):
    ours, theirs = GPUArray(shape, dtype, order=order), np.empty(shape, dtype, order)
    assert ours.strides == theirs.strides or not ours.size
    assert (ours.shape, ours.dtype, ours.size, ours.nbytes, ours.ndim, ours.itemsize, ours.mem_size) == \
        (theirs.shape, theirs.dtype, theirs.size, theirs.nbytes, theirs.ndim, theirs.itemsize, theirs.size)
    assert (ours.flags.c_contiguous, ours.flags.f_contiguous) == (theirs.flags.c_contiguous, theirs.flags.f_contiguous)
    assert type(ours.shape) is tuple and all(type(n) is int for n in ours.shape)
    if ours.size:
        assert int(ours.gpudata) == ours.ptr != 0
    else:
        assert ours.gpudata is None
        with pytest.raises(AttributeError):
            ours.ptr


@pytest.mark.parametrize("shape", [3, np.int64(3), [3], (np.int32(3),), np.array([3]), np.array(3)])
def test_accepted_forms_of_a_shape(shape):
    assert GPUArray(shape, np.float32).shape == (3,)
    assert type(GPUArray(shape, np.float32).shape[0]) is int


@pytest.mark.parametrize("arguments, error", [
    (((-1,), np.float32), ValueError), (((2**40, 2**40), np.float32), ValueError), ((2.5, np.float32), TypeError), (("x", np.float32), TypeError),
    (((3,), "no dtype"), TypeError), (((3,), np.float32, None, None, None, None, "K"), ValueError),
    (((3,), np.float32, None, None, None, (4, 4)), ValueError), ((None, np.float32), TypeError), (((3,), np.float32, None, object()), ValueError),
])
def test_bad_arguments(arguments, error):
    with pytest.raises(error):
        GPUArray(*arguments)


def test_memory_errors_name_the_bytes():
    with pytest.raises(drv.MemoryError, match=str(2**52)):
        GPUArray((2**52,), np.int8)


def test_roundtrip_keeps_layout(rng):
    base = rng.standard_normal((3, 4, 5)).astype(np.float32)
    for host in (base, np.asfortranarray(base), base.transpose(1, 0, 2), base[::2, :, ::-1], base[:, :1], base[:0], base[0, 0, 0]):
        ours = gpuarray.to_gpu(host)
        np.testing.assert_array_equal(ours.get(), host)
        expected = np.empty_like(host)  # NumPy's order "K"
        if host.size and all(step > 0 for step in host.strides):
            assert ours.strides == ours.get().strides == expected.strides


def test_structured_dtypes():
    dtype = np.dtype([("a", np.int32), ("b", np.float64)])
    host = np.array([(1, 2.5), (3, 4.5)], dtype)
    ours = gpuarray.to_gpu(host)
    assert ours.get().tolist() == host.tolist()
    assert gpuarray.zeros(3, dtype).get().tolist() == [(0, 0.0)] * 3
    assert ours.copy()[::-1].get().tolist() == host[::-1].tolist()
    ours.fill(np.array((7, 8.0), dtype))
    assert ours.get().tolist() == [(7, 8.0)] * 2


def test_vec_types():
    vec = gpuarray.vec
    assert vec.float3.names == ("x", "y", "z") and vec.float3.itemsize == 12
    one = vec.make_float4(1, 2, 3, 4)
    assert one.dtype == vec.float4 and one.tolist() == (1, 2, 3, 4)
    with pytest.raises(TypeError):
        vec.make_int2(1)
    ours = gpuarray.zeros(5, vec.float4)
    ours.fill(one)
    assert ours.get().tolist() == [(1, 2, 3, 4)] * 5


# ---- assignment of attributes


def test_reinterpreting_by_assignment():
    a = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    a.shape, a.strides = (2, 3), (12, 4)
    np.testing.assert_array_equal(a.get(), np.arange(6).reshape(2, 3))
    a.dtype = np.int32
    assert a.get().dtype == np.int32
    a.size = a.mem_size = 4
    assert (a.size, a.mem_size) == (4, 4)
    a._grid = (7, 1)
    assert a._grid == (7, 1)
    a.anything = "else"
    assert a.anything == "else"


def test_operations_reject_incomplete_assignments():
    a = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    a.shape = (2, 3)
    with pytest.raises(ValueError, match="do not fit together"):
        a + a
    a.strides = (12, 4)
    np.testing.assert_array_equal((a + a).get(), 2 * np.arange(6).reshape(2, 3))


@pytest.mark.parametrize("name, value", [("shape", "x"), ("shape", (2.5,)), ("strides", None), ("dtype", "nonsense"), ("shape", (-1,))])
def test_invalid_assignments_have_no_effect(name, value):
    a = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    before = (a.shape, a.strides, a.dtype)
    with pytest.raises((TypeError, ValueError)):
        setattr(a, name, value)
    assert (a.shape, a.strides, a.dtype) == before
    with pytest.raises(AttributeError):
        del a.shape


def test_gpudata_can_be_replaced():
    a, b = gpuarray.zeros(4, np.int32), gpuarray.to_gpu(np.arange(4, dtype=np.int32))
    a.gpudata = b.gpudata
    assert a.get().tolist() == [0, 1, 2, 3]
    a.gpudata.free()
    with pytest.raises(drv.LogicError):
        a + 1
    a.gpudata = drv.mem_alloc(16)
    a.fill(3)
    assert a.get().tolist() == [3] * 4
    del a.gpudata
    with pytest.raises(AttributeError):
        a + 1


def test_page_locked_results():
    """The allocation is the base of the array that get() returns, where programs look for it."""
    a = gpuarray.zeros((2, 3), np.float32)
    assert isinstance(a.get(pagelocked=True).base, drv.PagelockedHostAllocation)
    assert isinstance(a.get(pagelocked=True, async_=True, stream=drv.Stream()).base, drv.PagelockedHostAllocation)


@pytest.mark.parametrize("fetch", [lambda a, stream: a.get_async(stream), lambda a, stream: a.get(async_=True, stream=stream),
                                   lambda a, stream: a.get_async(stream=stream, ary=np.empty(a.shape, a.dtype))], ids=["get_async", "get", "into memory"])
@pytest.mark.parametrize("part", [slice(None), slice(None, None, -2)], ids=["packed", "strided"])
def test_what_an_asynchronous_copy_returns_is_complete(fetch, part):
    """PyCUDA's programs read it at once; only page-locked memory is filled later."""
    compute_long = SourceModule("""
        __global__ void compute_long(float *a, int n)
        {
            for (int i = threadIdx.x; i < n; i += 32) {
                for (int k = 0; k < 20000; ++k) a[i] = a[i] * 0.5f;
                a[i] = 7;
            }
        }
    """).get_function("compute_long")
    stream, a = drv.Stream(), gpuarray.zeros(1000, np.float32)
    drv.Context.synchronize()
    compute_long(a, np.int32(1000), block=(32, 1, 1), stream=stream)
    assert (fetch(a[part], stream) == 7).all()


@pytest.mark.parametrize("allocator", [None, drv.mem_alloc], ids=["default", "mem_alloc"])
@pytest.mark.parametrize("create", [lambda **k: gpuarray.empty(4, np.float32, **k), lambda **k: gpuarray.zeros(4, np.float32, **k), lambda **k: gpuarray.to_gpu(np.ones(4, np.float32), **k),
                                    lambda **k: gpuarray.arange(4, dtype=np.float32, **k), lambda **k: gpuarray.zeros(4, np.float32, **k) + 1,
                                    lambda **k: gpuarray.zeros(4, np.float32, **k).sum()], ids=["empty", "zeros", "to_gpu", "arange", "sum", "reduction"])
def test_gpudata_is_a_device_allocation(create, allocator):
    """PyCUDA's programs tell pointers from numbers by this class."""
    data = create(allocator=allocator).gpudata
    assert isinstance(data, drv.DeviceAllocation) and issubclass(type(data), drv.DeviceAllocation)
    assert not isinstance(4, drv.DeviceAllocation) and not isinstance(drv.pagelocked_zeros(1, np.int32).base, drv.DeviceAllocation)
    assert isinstance(drv.mem_alloc(4), drv.DeviceAllocation) and drv.DeviceAllocation.as_buffer(data, 4) is not None


@pytest.mark.parametrize("arguments, dtype", [((5, 0, -1), np.uint8), ((0, 256), np.uint8), ((0, 4), np.complex64), ((0, 1, 0.25), np.float16),
                                              ((0.5, 3), np.int32), ((10, 1, -4), np.int64), ((3, 0), np.float32)])
def test_arange(arguments, dtype):
    ours = gpuarray.arange(*arguments, dtype=dtype)
    assert ours.dtype == dtype
    np.testing.assert_array_equal(ours.get(), np.arange(*arguments, dtype=dtype))


def test_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.array([1, 2, 3.5, -4], bfloat16)
    a = gpuarray.to_gpu(x)
    for compute in (lambda u: u + u, lambda u: 1 - u, lambda u: u * 2.5, lambda u: u + bfloat16(1), lambda u: u / u, lambda u: u // 2, lambda u: u % 3,
                    abs, lambda u: -u, lambda u: u ** 2, lambda u: u[::-2]):
        ours = compute(a)
        assert ours.dtype == bfloat16  # also with 2.5, where ml_dtypes returns float32
        np.testing.assert_array_equal(ours.get(), compute(x).astype(bfloat16))
    for name in ("sum", "min", "max", "mean", "argmin", "argmax", "cumsum", "sort", "unique"):
        np.testing.assert_array_equal(getattr(gpuarray, name)(a).get(), getattr(np, name)(x.astype(np.float32)), err_msg=name)
    assert gpuarray.mean(a).dtype == gpuarray.max(a).dtype == bfloat16
    np.testing.assert_array_equal(gpuarray.arange(0, 4, 1, dtype=bfloat16).get(), np.arange(4))
    np.testing.assert_array_equal((a > 1).get(), x > 1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(a)).get(), x)
    ElementwiseKernel("__nv_bfloat16 *x", "x[i] = __float2bfloat16(2 * __bfloat162float(x[i]))")(a)
    np.testing.assert_array_equal(a.get(), x * bfloat16(2))


def test_wrapping_memory():
    memory = drv.mem_alloc(32)
    a = GPUArray((8,), np.int32, gpudata=memory)
    assert a.gpudata is memory and a.base is None
    owner = object()
    view = GPUArray((4,), np.int32, base=owner, gpudata=int(memory) + 16)
    a.fill(1)
    view.fill(2)
    assert a.get().tolist() == [1] * 4 + [2] * 4 and view.base is owner


def test_allocators():
    asked = []

    def allocator(nbytes):
        asked.append(nbytes)
        return drv.mem_alloc(nbytes)

    a = gpuarray.zeros((3, 2), np.float64, allocator=allocator)
    assert asked == [48] and a.allocator is allocator
    b = a + 1
    assert asked == [48, 48] and b.allocator is allocator and a.T.allocator is allocator and b[1:].copy().allocator is allocator
    GPUArray((0,), np.float32, allocator=allocator)
    assert asked == [48, 48, 32]

    def failing(nbytes):
        raise KeyError("no")

    with pytest.raises(KeyError):
        GPUArray((1,), np.float32, allocator=failing)


# ---- subclasses, collection, pickling


class Plain(GPUArray):
    pass


class Own(GPUArray):
    made = 0

    def _new_like_me(self, dtype=None, order="C"):
        Own.made += 1
        return super()._new_like_me(dtype, order)


class Initialised(GPUArray):
    def __init__(self, shape, dtype, *args, **kwargs):
        super().__init__(shape, dtype, *args, **kwargs)
        self.tag = "tag"


def test_results_have_the_class_of_subclasses():
    for cls in (Plain, Own, Initialised):
        a = cls((4,), np.float32)
        a.fill(2)
        before = Own.made
        for _ in range(2):  # the second time, the kernel is cached
            result = a + a
            assert type(result) is cls and result.get().tolist() == [4] * 4
        assert Own.made == before + (2 if cls is Own else 0)
        assert type(a[1:]) is GPUArray and type(a.copy()) is GPUArray
    assert (Initialised((2,), np.int32) * 2).tag == "tag"


def test_a_subclass_without_init():
    class Broken(GPUArray):
        def __init__(self):
            pass

    with pytest.raises((TypeError, AttributeError)):
        Broken() + 1
    with pytest.raises(AttributeError):
        Broken().shape


def test_cycles_are_collected():
    a = gpuarray.zeros(4, np.float32)
    a.self = a
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None


def test_views_keep_memory_alive():
    a = gpuarray.to_gpu(np.arange(10))
    view = a[2:5][1:].reshape(2, 1).T
    del a
    gc.collect()
    assert view.get().tolist() == [[3, 4]]


def test_pickling(rng):
    a = gpuarray.to_gpu(rng.standard_normal((3, 4)).astype(np.float32, order="F"))
    again = pickle.loads(pickle.dumps(a))
    assert type(again) is GPUArray and again.strides == a.strides
    np.testing.assert_array_equal(again.get(), a.get())
    plain = Plain((2,), np.int8)
    plain.note = "kept"
    again = pickle.loads(pickle.dumps(plain))
    assert type(again) is Plain and vars(again) == vars(plain) == {"note": "kept"}


# ---- conveniences


def test_conversions():
    a = gpuarray.to_gpu(np.array([3], np.int32))
    assert (len(a), bool(a), int(a), float(a), a.item()) == (1, True, 3, 3.0, 3)
    assert [1, 2, 3][gpuarray.to_gpu(np.array(1))] == 2
    with pytest.raises(ValueError):
        bool(gpuarray.zeros(2, np.int32))
    with pytest.raises(TypeError):
        len(gpuarray.zeros((), np.int32))
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError, match="get()"):
        np.asarray(a)


def test_cuda_array_interface():
    a = gpuarray.to_gpu(np.zeros((3, 4), np.float32))[:, ::2]
    interface = a.__cuda_array_interface__
    assert interface["shape"] == (3, 2) and interface["strides"] == (16, 8) and interface["typestr"] == "<f4" and interface["version"] == 3
    assert interface["data"] == (a.ptr, False)
    assert gpuarray.zeros(0, np.int32).__cuda_array_interface__["data"][0] == 0


def test_splay_and_geometry():
    device = drv.Context.get_device()
    warp, processors = device.warp_size, device.multiprocessor_count
    most = 32 * processors
    for n, expected in ((1, ((1, 1), (warp, 1, 1))), (warp, ((1, 1), (warp, 1, 1))), (3 * warp - 1, ((3, 1), (warp, 1, 1))),
                        (10**9, ((most, 1), (128, 1, 1))), (most * warp * 2, ((most, 1), (2 * warp, 1, 1)))):
        assert gpuarray.splay(n) == expected == gpuarray.splay(n, device)
    a = GPUArray((1000,), np.float32)
    assert (a._grid, a._block) == gpuarray.splay(1000)


@pytest.mark.parametrize("shape, strides", [((3,), (-4,)), ((3,), (400_000_000_000,)), ((2, 3), (16, 4)), ((2, 3), (-12, 4))])
def test_strides_beyond_new_memory(shape, strides):
    """Strides are only for given memory."""
    with pytest.raises(ValueError, match="beyond"):
        GPUArray(shape, np.float32, strides=strides)
    assert GPUArray((2, 3), np.float32, strides=(4, 8)).fill(1).get().sum() == 6


@pytest.mark.parametrize("cut", [(), slice(None, None, 2), slice(None, None, -1)], ids=str)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_set_accepts_device_arrays(cut, asynchronous):
    """scikit-cuda copies in this way."""
    source, target = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(4, 3))[cut], gpuarray.zeros((8, 6), np.float32)
    target = target[:source.shape[0], ::2]
    stream = drv.Stream() if asynchronous else None
    target.set_async(source, stream) if asynchronous else target.set(source)
    drv.Context.synchronize()
    np.testing.assert_array_equal(target.get(), source.get())
    with pytest.warns(UserWarning, match="different shape"):
        gpuarray.zeros(source.size, np.float32).set(source)
    with pytest.raises(ValueError, match="same size"):
        target.set(gpuarray.zeros(3, np.float32))
    with pytest.raises(ValueError, match="same dtype"):
        target.set(gpuarray.zeros(target.shape, np.int32))
    ours = gpuarray.to_gpu(np.arange(5, dtype=np.int32))
    ours[1:].set(ours[:-1])
    assert ours.get().tolist() == [0, 0, 1, 2, 3]


class Labelled(gpuarray.GPUArray):
    """A subclass whose __init__ needs more arguments than an array's."""

    def __init__(self, host, label):
        super().__init__(host.shape, host.dtype)
        self.set(host)
        self.label = label


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda array: pickle.loads(pickle.dumps(array))], ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("make", [lambda host: Labelled(host, ["a"]), gpuarray.to_gpu], ids=["subclass", "GPUArray"])
def test_copies_keep_class_and_attributes(make, duplicate):
    array = make(np.arange(6, dtype=np.float32).reshape(2, 3))
    array.label = ["a"]
    array.itself = array if duplicate is copy.deepcopy else None
    result = duplicate(array)
    assert type(result) is type(array) and result.label == ["a"]
    assert (result.label is array.label) == (duplicate is copy.copy)
    assert result.itself is (result if duplicate is copy.deepcopy else None)
    array.fill(0)
    assert (result.get() == np.arange(6).reshape(2, 3)).all() and result.strides == array.strides
    array.itself = result.itself = None
