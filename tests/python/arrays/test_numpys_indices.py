"""Indices that contain arrays, on the device and in host memory, compared with NumPy's results and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycuda import gpuarray

from conftest import close
from made_up import few, operands, shapes

LENGTHS = [0, 1, 2, 3]


@st.composite
def arrays_of_indices(draw, length):
    """Integers of any shape, in bounds with occasional exceptions."""
    shape = draw(st.sampled_from([(), (1,), (2,), (3,), (2, 1), (2, 3), (0,)]))
    lowest, highest = (-length, length - 1) if length else (0, 0)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return rng.integers(lowest, highest + 1, shape).astype(draw(st.sampled_from([np.int64, np.int32, np.int8])))


@st.composite
def indices(draw, shape):
    """Parts of an index of an array of this shape: numbers, slices, new axes, arrays of integers, masks."""
    parts, axis = [], 0
    while axis < len(shape) and draw(st.integers(0, 5)):
        kind = draw(st.sampled_from(["array", "array", "mask", "slice", "number", "None", "bool"]))
        if kind in ("None", "bool"):
            parts.append(None if kind == "None" else draw(st.booleans()))
            continue
        if kind == "mask":
            ndim = draw(st.integers(1, len(shape) - axis))
            parts.append(np.random.default_rng(draw(st.integers(0, 99))).integers(0, 2, shape[axis:axis + ndim]).astype(bool))
            axis += ndim
            continue
        parts.append(draw(arrays_of_indices(shape[axis])) if kind == "array" else
                     draw(st.sampled_from([slice(None), slice(None, None, -1), slice(1, None), slice(0, 2)])) if kind == "slice" else draw(st.integers(-1, 1)))
        axis += 1
    if draw(st.booleans()):
        parts.append(Ellipsis)
    return tuple(parts)


@st.composite
def cases(draw):
    operand = draw(operands(draw(shapes())))
    return operand, draw(indices(operand.host.shape)), draw(st.sampled_from([gpuarray.to_gpu, np.asarray, np.ndarray.tolist]))


def on_device(index, place):
    """The index with its arrays on the device, or on the host. 0-d arrays and empty lists stay NumPy arrays, because lists have no dtype."""
    return tuple((place(part) if part.ndim and part.size else part) if isinstance(part, np.ndarray) else part for part in index)


def outcome(compute):
    try:
        return compute()
    except (IndexError, ValueError) as error:
        return type(error)


@few
@given(cases())
def test_gathering(case):
    operand, index, place = case
    expected = outcome(lambda: operand.host[index])
    ours = outcome(lambda: operand.cut(gpuarray.to_gpu(operand.whole))[on_device(index, place)])
    if isinstance(expected, type):
        assert ours is expected
    else:
        assert ours.dtype == expected.dtype
        close(ours, expected)


@few
@given(cases(), st.sampled_from(["number", "device", "host", "row"]), st.integers(0, 99))
def test_scattering(case, kind, seed):
    operand, index, place = case
    indices = outcome(lambda: np.arange(operand.host.size).reshape(operand.host.shape)[index])
    if isinstance(indices, type) or np.unique(indices).size != indices.size:
        return  # with duplicate indices, which value wins is unspecified
    shape = {"number": (), "row": indices.shape[-1:]}.get(kind, indices.shape)
    values = np.random.default_rng(seed).integers(0, 9, shape).astype(operand.host.dtype)
    if kind == "row" and indices.ndim == 1 and len(index) == 1 and values.size != 1 and not indices.size:
        return
    whole, device = operand.whole.copy(order="K"), gpuarray.to_gpu(operand.whole)
    operand.cut(whole)[index] = values
    operand.cut(device)[on_device(index, place)] = values.item() if kind == "number" else gpuarray.to_gpu(values) if kind == "device" else values
    close(device, whole)


@pytest.mark.parametrize("index", [([0, 3],), ([-4],), (0, [4]), ([0], [1], [0]), ([0, 1], [0, 1, 2]), ([0.5],), (1.5, [0]), (np.ones(2, bool),), (slice(None), np.ones(3, bool)),
                                   ([True, False],)], ids=str)
def test_bad_indices(index):
    host = np.zeros((3, 4))
    with pytest.raises(IndexError):
        host[index]
    array = gpuarray.to_gpu(host)
    with pytest.raises(IndexError):
        array[index]
    with pytest.raises(IndexError):
        array[index] = 1
    assert not array.get().any()


@pytest.mark.parametrize("values", [np.ones(3), np.ones((2, 3)), np.ones((2, 2, 4))], ids=lambda values: str(values.shape))
def test_mismatched_values(values):
    host = np.zeros((3, 4))
    for value in (values, gpuarray.to_gpu(values)):
        array = gpuarray.to_gpu(host)
        for index in ([0, 2], np.array([True, False, True])):
            with pytest.raises(ValueError):
                host[index] = values
            with pytest.raises(ValueError):
                array[index] = value
        assert not array.get().any()


def test_out_of_range_on_the_device_is_clamped():
    host = np.arange(12).reshape(3, 4)
    array, far = gpuarray.to_gpu(host), gpuarray.to_gpu(np.array([-9, 0, 9]))
    close(array[far], host[[0, 0, 2]])
    close(array[:, far], host[:, [0, 0, 3]])
    close(array[far, far], host[[0, 0, 2], [0, 0, 3]])


def test_comparisons_are_masks():
    host = np.arange(12).reshape(3, 4)
    array = gpuarray.to_gpu(host)
    close(array[array[:, 0] > 3], host[host[:, 0] > 3])
    close(array[:, array[0] > 1], host[:, host[0] > 1])
    array[array[:, 0] > 3, 1] = -1
    host[host[:, 0] > 3, 1] = -1
    close(array, host)


def test_values_that_overlap_the_destination():
    host = np.arange(12.0).reshape(3, 4)
    array = gpuarray.to_gpu(host)
    array[[2, 0, 1]] = array
    host[[2, 0, 1]] = host.copy()
    close(array, host)
    array[:, [1, 0]] = array[:, :2]
    host[:, [1, 0]] = host[:, :2].copy()
    close(array, host)


def test_results_have_the_allocator():
    from pycuda.tools import DeviceMemoryPool

    pool = DeviceMemoryPool()
    array = gpuarray.to_gpu(np.arange(12).reshape(3, 4), allocator=pool.allocate)
    assert array[[0, 2]].allocator == pool.allocate and array[:, [0]].allocator == pool.allocate


@pytest.mark.parametrize("shape, mask", [((0, 1), (0, 0)), ((3, 2), (0, 2)), ((3, 2), (3, 0)), ((2, 3), (0, 0)), ((3,), (0,)), ((2, 3), (0,))], ids=str)
def test_masks_without_elements_fit_any_length(shape, mask):
    host, nothing = np.arange(float(np.prod(shape))).reshape(shape), np.zeros(mask, bool)
    array = gpuarray.to_gpu(host)
    for index in (nothing, gpuarray.to_gpu(nothing)):
        close(array[index], host[nothing])
        array[index] = 7
        close(array, host)
