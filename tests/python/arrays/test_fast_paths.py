"""The first call of an operation compiles, the second takes a fast path: both must return the same."""

import gc
import itertools
import operator
import weakref

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray

_DTYPES = (np.int8, np.uint16, np.float32, np.float64)
_BINARY = ("add", "truediv", "pow", "lt", "eq")
_ALL_PAIRS = ("add", "truediv", "lt")  # the others follow the dtype rule of one of these: test a part of them
_VALUES = {dtype: np.arange(1, 7).astype(dtype) for dtype in _DTYPES}


def _outcome(call):
    try:
        result = call()
    except (TypeError, ValueError, OverflowError) as error:
        return type(error), str(error)
    return result.dtype, repr(result.get().tolist())


@pytest.mark.parametrize("name", _BINARY)
def test_arrays_of_all_pairs_of_types(name):
    function = getattr(operator, name)
    arrays = {dtype: gpuarray.to_gpu(values) for dtype, values in _VALUES.items()}
    pairs = [(x, y) for x, y in itertools.product(_DTYPES, _DTYPES) if name in _ALL_PAIRS or x is y or x is np.float32]
    first = [_outcome(lambda x=x, y=y: function(arrays[x], arrays[y])) for x, y in pairs]
    again = [_outcome(lambda x=x, y=y: function(arrays[x], arrays[y])) for x, y in pairs]
    assert first == again


@pytest.mark.parametrize("name", _BINARY)
@pytest.mark.parametrize("number", [2, 300, -1, 2.5, np.float32(2), np.int16(3), 1 + 2j])
def test_arrays_with_numbers_on_either_side(name, number):
    function = getattr(operator, name)
    for dtype in _DTYPES:
        x = gpuarray.to_gpu(_VALUES[dtype])
        for call in (lambda x=x: function(x, number), lambda x=x: function(number, x)):
            if isinstance(number, np.generic) and name in ("lt", "eq"):
                continue  # NumPy's __array_ufunc__ is called first
            outcomes = [_outcome(call) for _ in range(3)]
            assert outcomes[0] == outcomes[1] == outcomes[2], (dtype, number)


def test_a_comparison_has_the_common_type_whatever_was_computed_before():
    x, y = gpuarray.to_gpu(_VALUES[np.float32]), gpuarray.to_gpu(_VALUES[np.float64])
    narrow = gpuarray.empty(x.shape, np.float32)
    np.greater(x, y, out=narrow)
    assert (x > y).dtype == np.float64
    assert (y > x).dtype == np.float64


def test_a_comparison_with_a_number_beyond_the_type():
    x = gpuarray.to_gpu(_VALUES[np.int8])
    for number in (300, 3, -300, 3):
        np.testing.assert_array_equal((x < number).get(), (_VALUES[np.int8] < number).astype(np.int8))


@pytest.mark.parametrize("index", [
    slice(2, 5), slice(None, None, -1), slice(5, 1, -2), 3, -1, Ellipsis, (slice(1, 3), slice(None, None, 2)), (0, Ellipsis, 2), (None, 1),
    (Ellipsis, None), (slice(4, 2), 1), (), slice(0, 100, 1 << 62), (slice(3, 4), slice(None, None, -3)),
])
def test_subscripts(index):
    host = np.arange(6 * 7, dtype=np.float32).reshape(6, 7)
    array = gpuarray.to_gpu(host)
    view, expected = array[index], host[index]
    assert view.shape == expected.shape
    assert type(view) is gpuarray.GPUArray
    np.testing.assert_array_equal(view.get(), expected)
    for _ in range(2):
        array[index] = 5
        host[index] = 5
        np.testing.assert_array_equal(array.get(), host)
    array[index][...] = np.float64(2.5)
    host[index] = 2.5
    np.testing.assert_array_equal(array.get(), host)


@pytest.mark.parametrize("index", [6, -7, (0, 0, 0), (Ellipsis, Ellipsis), "x", 1.5, slice("a", None)])
def test_invalid_subscripts(index):
    array = gpuarray.zeros((6, 7), np.float32)
    with pytest.raises((IndexError, TypeError)):
        array[index]
    with pytest.raises((IndexError, TypeError)):
        array[index] = 1
    with pytest.raises(TypeError):
        del array[0]


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int32, np.uint64, np.float16, np.float32, np.float64, np.complex64])
def test_fills_convert_like_copies(dtype):
    """Integers, fractions, NaN, values that wrap and values that must be rounded, through the driver's fill or a kernel."""
    for value in (0, 1, -1, 2.5, -0.0, np.nan, np.inf, 65_520.0, 300, 2**24 + 1, 2**53 + 1, 2**63 - 1, np.float32(0.1), np.int16(-3), True, 0.1, 1e300):
        if np.dtype(dtype).kind in "biu" and (not np.isfinite(value) or abs(value) > 2**31) and not isinstance(value, int):
            continue  # unspecified in C
        filled = gpuarray.zeros((4, 5), dtype)
        if np.dtype(dtype).kind in "iu" and isinstance(value, (int, float)) and not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            with pytest.raises(OverflowError):
                filled[1:3] = value
            value = np.int64(value)  # only numbers with a dtype wrap
        filled[1:3] = value  # contiguous
        gaps = gpuarray.zeros((4, 10), dtype)
        gaps[1:3, ::2] = value  # a kernel
        expected = np.zeros((4, 5), dtype)
        expected[1:3] = gaps[1:3, ::2].get()
        np.testing.assert_array_equal(filled.get(), expected, err_msg=repr(value))
        if value == value:  # the bits of a NaN may differ
            assert filled.get().tobytes() == expected.tobytes(), repr(value)


def test_views_keep_the_memory():
    array = gpuarray.to_gpu(np.arange(100, dtype=np.int32))
    view = array[10:20][::2]
    assert view.base is array
    del array
    gc.collect()
    fresh = [gpuarray.zeros(100, np.int32) for _ in range(4)]
    np.testing.assert_array_equal(view.get(), np.arange(10, 20, 2))
    del fresh


def test_memory_becomes_an_object_on_request():
    array = gpuarray.to_gpu(np.arange(5, dtype=np.int32)) + 1
    address = array.ptr
    memory = array.gpudata
    assert memory is array.gpudata
    assert int(memory) == address == array.ptr
    keeps = gpuarray.GPUArray(5, np.int32, gpudata=memory)
    del array
    other = gpuarray.zeros(5, np.int32)
    assert other.ptr != address
    np.testing.assert_array_equal(keeps.get(), np.arange(1, 6))
    memory.free()
    with pytest.raises(drv.LogicError):
        keeps.get()


def test_deleted_memory_is_freed():
    array = gpuarray.zeros(1000, np.float64) + 1
    held = drv.DeviceMemoryPool.of_current_context().held_blocks
    del array.gpudata
    with pytest.raises(AttributeError):
        array.ptr
    with pytest.raises(AttributeError):
        array + array
    assert drv.DeviceMemoryPool.of_current_context().held_blocks == held + 1


def test_arrays_in_cycles_are_collected():
    one = gpuarray.zeros(10, np.float32) + 1
    one.me = one
    two = (gpuarray.zeros(10, np.float32) + 1)[2:5]
    two.base.view = two
    watched = [weakref.ref(one), weakref.ref(two), weakref.ref(two.base)]
    del one, two
    gc.collect()
    assert [reference() for reference in watched] == [None] * 3


def test_reused_array_objects_are_clean():
    for _ in range(200):
        array = gpuarray.zeros(4, np.float32) + 1
        array.note = "text"
        array.size = 3
        array.allocator = drv.mem_alloc
        del array
        fresh = gpuarray.zeros(4, np.float32) + 1
        assert not hasattr(fresh, "note") and fresh.size == 4 and fresh.base is None
        fresh = -fresh
        np.testing.assert_array_equal(fresh.get(), [-1] * 4)


def test_arrays_are_not_hashable():
    with pytest.raises(TypeError, match="not hashable"):
        hash(gpuarray.zeros(1))


def test_functions_with_outputs_of_other_layouts():
    host = np.linspace(0, 1, 12).astype(np.float32).reshape(3, 4)
    for array in (gpuarray.to_gpu(host), gpuarray.to_gpu(np.asfortranarray(host)), gpuarray.to_gpu(host)[:, ::2]):
        for _ in range(2):
            np.testing.assert_allclose(cumath.sin(array).get(), np.sin(array.get()), rtol=1e-6)
            np.testing.assert_allclose((-array).get(), -array.get())
            np.testing.assert_array_equal((2 + array).get(), array.get() + np.float32(2))


def test_misaligned_memory_is_rejected():
    a = gpuarray.to_gpu(np.ones(8, np.float32))
    a + a  # the kernel is cached from here on
    askew = gpuarray.GPUArray((4,), np.float32, base=a, gpudata=int(a.gpudata) + 2)
    for call in (lambda: askew + askew, lambda: a[:4] + askew, lambda: askew.__iadd__(askew), lambda: -askew, lambda: askew * 2.0):
        with pytest.raises(ValueError, match="an array of float32 must be aligned to 4 bytes"):
            call()
