"""pycuda.array_api.Array: operators, indices, conversions and devices."""

import itertools

import numpy as np
import pycuda.array_api as xp
import pycuda.driver as drv
import pytest
from pycuda import gpuarray


pytestmark = pytest.mark.usefixtures("module_context")

HOST = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
INDICES = [
    0, -1, (1, 2), (1, 2, 3), slice(1, None), slice(None, None, -2), (slice(None), 1), (Ellipsis, 2), (None, 1, Ellipsis, None), (),
    np.array([2, 0]), np.array([[0, -1], [1, 1]]), (slice(None), np.array([3, 0, 1])), (np.array([0, 2]), np.array([1, 3])), (np.array([0, 2]), slice(None), np.array([1, 4])),
    (0, np.array([1, 2])), (Ellipsis, np.array([0, 4])), (np.array([[0], [2]]), np.array([1, 3, 0])), (np.array([1]), None, slice(1, 3)),
    (slice(None), np.array([1, 0]), np.array([2, 3])), (np.array([0, 1]), 2, slice(None, None, 2)), (slice(0, 2), 1, np.array([0, 1, 1])),
    np.array([True, False, True]), HOST % 3 == 0, (slice(None), np.array([True, False, True, True])), (np.array([True, False, True]), 1),
    (HOST[:, :, 0] % 2 == 0), np.zeros(3, bool), np.array([], dtype=np.int64),
]


def on_device(index):
    if isinstance(index, tuple):
        return tuple(map(on_device, index))
    return xp.asarray(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("number", range(len(INDICES)))
@pytest.mark.parametrize("order", ["C", "F"])
def test_indexing_agrees_with_numpy(number, order):
    index = INDICES[number]
    array = xp.asarray(HOST) if order == "C" else xp.permute_dims(xp.asarray(np.ascontiguousarray(HOST.T)), (2, 1, 0))
    np.testing.assert_array_equal(array[on_device(index)].get(), HOST[index])


@pytest.mark.parametrize("number", range(len(INDICES)))
@pytest.mark.parametrize("order", ["C", "F"])
def test_assignment_agrees_with_numpy(number, order):
    index = INDICES[number]
    for value in (-7, np.arange(HOST[index].size, dtype=np.int32).reshape(HOST[index].shape)):
        expected = HOST.copy()
        expected[index] = value
        array = xp.asarray(HOST) if order == "C" else xp.permute_dims(xp.asarray(np.ascontiguousarray(HOST.T)), (2, 1, 0))
        array[on_device(index)] = value if isinstance(value, int) else xp.asarray(value)
        indices = index if isinstance(index, tuple) else (index,)
        if not any(isinstance(part, np.ndarray) and part.dtype != bool for part in indices) or isinstance(value, int):  # with duplicate indices, which value wins is unspecified
            np.testing.assert_array_equal(array.get(), expected)


@pytest.mark.parametrize("host", [np.array(3.5), np.array(True)])
def test_masks_without_axes(host):
    array = xp.asarray(host)
    for mask in (True, False):
        np.testing.assert_array_equal(array[xp.asarray(mask)].get(), host[np.array(mask)])
        changed, expected = xp.asarray(host, copy=True), host.copy()
        changed[xp.asarray(mask)], expected[np.array(mask)] = 0, 0
        np.testing.assert_array_equal(changed.get(), expected)


@pytest.mark.parametrize(("index", "error"), [
    (3, IndexError), ((0, 0, 0, 0), IndexError), ("x", (IndexError, TypeError, AttributeError)), (1.5, (IndexError, TypeError, AttributeError)),
    (np.array([0.5]), IndexError), (np.array([True, False]), (IndexError, ValueError)), ((Ellipsis, Ellipsis), IndexError),
])
def test_invalid_indices_are_rejected(index, error):
    with pytest.raises(error):
        xp.asarray(HOST)[on_device(index)]


def test_views_share_memory_and_copies_do_not():
    array = xp.asarray(HOST)
    array[1, :, 2][...] = -1
    assert (array.get()[1, :, 2] == -1).all()
    array[xp.asarray([0])][...] = -2
    assert (array.get()[0] != -2).all()
    array.mT[0, 3, 1] = 99
    assert array.get()[0, 1, 3] == 99


OPERATORS = {
    "float64": "+ - * / // % ** == != < <= > >=", "int32": "+ - * // % ** & | ^ << >> == != < <= > >=", "bool": "& | ^ == !=", "complex128": "+ - * / ** == !=",
}


@pytest.mark.parametrize("dtype", OPERATORS)
def test_operators_between_arrays_and_numbers(dtype):
    host = [np.array([1, 3, 2], dtype), np.array([2, 1, 3], dtype)]
    number = {"float64": 2.5, "int32": 2, "bool": True, "complex128": 1 + 2j}[dtype]
    for operator in OPERATORS[dtype].split():
        for x, y in ((host[0], host[1]), (host[0], number), (number, host[0])):
            ours = eval(f"x {operator} y", {"x": xp.asarray(x) if isinstance(x, np.ndarray) else x, "y": xp.asarray(y) if isinstance(y, np.ndarray) else y})
            expected = eval(f"x {operator} y", {"x": x, "y": y})
            assert isinstance(ours, xp.Array) and ours.dtype == expected.dtype, operator
            np.testing.assert_allclose(ours.get(), expected, rtol=1e-14, err_msg=operator)
        if "=" not in operator and operator not in "<>":
            names = {"x": xp.asarray(host[0], copy=True), "y": xp.asarray(host[1])}
            before = names["x"]
            exec(f"x {operator}= y", names)
            assert names["x"] is before
            np.testing.assert_allclose(before.get(), eval(f"x {operator} y", {"x": host[0], "y": host[1]}), rtol=1e-14, err_msg=operator)


DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(DTYPES[1:], 2)))
def test_promotion(one, other):
    x, y = xp.ones(2, dtype=getattr(xp, one)), xp.ones(2, dtype=getattr(xp, other))
    result = x + y
    assert result.dtype == xp.result_type(x, y) == np.result_type(one, other)
    assert (result.get() == 2).all()


@pytest.mark.parametrize("call", [
    lambda x: x.__itruediv__(x), lambda x: x & 1.5, lambda x: xp.sin(x), lambda x: x + "x", lambda x: x + np.ones(3), lambda x: x < 1j, lambda x: xp.imag(x), lambda x: xp.add(1, 2),
    lambda x: xp.mean(x), lambda x: xp.logical_and(x, x), lambda x: xp.astype(xp.ones(2, dtype=xp.complex64), xp.float32), lambda x: xp.asarray(["x"]),
    lambda x: xp.zeros(3, dtype="S3"), lambda x: x @ 3, lambda x: x.__iadd__(1.5), lambda x: bool(xp.ones(2)), lambda x: int(xp.ones(2)), lambda x: len(xp.asarray(1)),
    lambda x: iter(xp.asarray(1)), lambda x: xp.asarray(1.5).__index__(), lambda x: hash(x), lambda x: x @ xp.ones((2, 2)), lambda x: xp.asarray(object()),
], ids=range(23))
def test_arguments_outside_the_standard_are_rejected(call):
    with pytest.raises((TypeError, ValueError)):
        call(xp.asarray([1, 2, 3]))


def test_python_numbers():
    assert (int(xp.asarray(3)), float(xp.asarray(2.5)), complex(xp.asarray(1j)), bool(xp.asarray(0))) == (3, 2.5, 1j, False)
    assert [10, 20, 30][xp.asarray(1)] == 20
    assert [int(x) for x in xp.arange(3)] == [0, 1, 2]


def test_copies_on_request():
    array = xp.asarray([1.0, 2.0])
    assert xp.asarray(array) is array
    assert xp.asarray(array, copy=True).ptr != array.ptr
    assert xp.astype(array, xp.float64, copy=False) is array
    for obj, given in ((array, {"dtype": xp.float32}), ([1.0], {}), (np.ones(2), {})):
        with pytest.raises(ValueError, match="copy=False"):
            xp.asarray(obj, copy=False, **given)
    flipped = xp.flip(array)
    assert (xp.reshape(flipped, (2, 1), copy=False).get() == [[2], [1]]).all()  # a view, as of NumPy's arrays
    with pytest.raises(ValueError, match="copy=False"):
        xp.reshape(xp.reshape(xp.arange(4.0), (2, 2)).mT, (4,), copy=False)
    assert xp.reshape(array, (2, 1), copy=False).ptr == array.ptr != xp.reshape(array, (2, 1), copy=True).ptr


def test_arrays_of_gpuarray_and_of_other_libraries():
    ours = gpuarray.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3).T)

    class Foreign:
        __cuda_array_interface__ = ours.__cuda_array_interface__

    for obj in (ours, Foreign()):
        array = xp.asarray(obj)
        assert isinstance(array, xp.Array) and array.ptr == ours.ptr
        np.testing.assert_array_equal((array + 1).get(), ours.get() + 1)
    assert type(ours) is gpuarray.GPUArray
    assert (xp.asarray([xp.asarray(1), 2]).get() == [1, 2]).all()


def test_namespace_and_device():
    array = xp.ones(3)
    info = xp.__array_namespace_info__()
    assert array.__array_namespace__() is array.__array_namespace__(api_version="2024.12") is xp
    assert array.device == info.default_device() == drv.Context.get_device()
    assert array.to_device(array.device) is array
    assert xp.zeros(2, device=array.device).device == array.device
    assert info.default_dtypes()["real floating"] == xp.float64
    assert set(info.dtypes(kind=("bool", "real floating"))) == {"bool", "float32", "float64"}
    with pytest.raises(ValueError, match="api_version"):
        array.__array_namespace__(api_version="2030.01")
    for call in (lambda: xp.zeros(2, device="cpu"), lambda: array.to_device("gpu")):
        with pytest.raises(ValueError, match="expected the device of the current context"):
            call()


def test_data_types():
    assert xp.isdtype(xp.int8, "integral") and xp.isdtype(xp.int8, ("bool", "signed integer")) and not xp.isdtype(xp.int8, "real floating")
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.asarray(1.5), xp.int64)
    assert (xp.finfo(xp.float32).bits, xp.iinfo(xp.uint8).max, xp.finfo(xp.complex64).dtype) == (32, 255, xp.float32)
    with pytest.raises(ValueError, match="expected a kind"):
        xp.isdtype(xp.int8, "small")


def test_special_values():
    x = xp.asarray([np.inf, -np.inf, np.nan, 0.0, 5.0])
    np.testing.assert_array_equal(xp.max(x).get(), np.nan)
    np.testing.assert_array_equal(xp.minimum(x, 1.0).get(), np.minimum(x.get(), 1))
    np.testing.assert_array_equal(xp.floor_divide(xp.asarray([np.inf, 3.0]), xp.asarray([2.0, -np.inf])).get(), [np.inf, -0.0])
    np.testing.assert_array_equal(xp.logaddexp(x, x[::-1]).get()[:2], [np.inf, 0.0])
    assert np.isnan(xp.sort(x).get()[-1])
    limits = xp.tanh(xp.asarray([complex(np.inf, 2.0), complex(np.inf, -2.0), complex(-np.inf, 2.0)])).get()
    assert limits.real.tolist() == [1, 1, -1] and np.signbit(limits.imag).tolist() == [False, True, False] and not limits.imag.any()
