"""Views of arrays: indexing, reshaping, transposing, other dtypes."""

from collections.abc import Iterable

import numpy as np
import pytest
from pycuda import gpuarray

from conftest import close

HOST = np.arange(60, dtype=np.int32).reshape(3, 4, 5)

INDICES = [
    np.s_[0], np.s_[-1], np.s_[1:], np.s_[::2, 1], np.s_[..., 0], np.s_[:, ::-1], np.s_[::-2, 1:3, ::-1], np.s_[np.newaxis, 1], np.s_[1, ..., np.newaxis],
    np.s_[2, 3, 4], np.s_[5:], np.s_[2:1], np.s_[:, 1:1], np.s_[...], (), np.s_[:, :, 3:0:-1], np.s_[np.int64(1), np.uint8(2)], np.s_[-100:100:3],
]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing(index, order):
    host = np.array(HOST, order=order)
    view = gpuarray.to_gpu(host)[index]
    expected = host[index]
    assert view.shape == expected.shape
    np.testing.assert_array_equal(view.get(), expected)
    if expected.size > 1 and np.ndim(expected):
        assert [s for s, n in zip(view.strides, view.shape) if n > 1] == [s for s, n in zip(expected.strides, expected.shape) if n > 1]


@pytest.mark.parametrize("index", [3, -4, (0, 0, 0, 0), (Ellipsis, Ellipsis), 1.5, "a", ([0, 3],), (0, 4), [0.5], ([0], [1, 2], [0, 1, 1])])
def test_bad_indices(index):
    with pytest.raises(IndexError):
        gpuarray.to_gpu(HOST)[index]


@pytest.mark.parametrize("index", INDICES, ids=str)
@pytest.mark.parametrize("kind", ["scalar", "array", "host", "broadcast", "other dtype"])
def test_assignment(index, kind):
    host, ours = HOST.copy(), gpuarray.to_gpu(HOST)
    shape = host[index].shape
    value = {"scalar": 7, "array": np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) + 100,
             "host": np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) + 200,
             "broadcast": np.full(shape[-1:] or (1,) * 0, 9, np.int32), "other dtype": np.full(shape, 3.7, np.float64)}[kind]
    host[index] = value
    ours[index] = gpuarray.to_gpu(value) if kind in ("array", "broadcast", "other dtype") else value
    np.testing.assert_array_equal(ours.get(), host)


def test_assignment_of_a_wrong_shape():
    ours = gpuarray.to_gpu(HOST)
    with pytest.raises(ValueError):
        ours[0] = gpuarray.zeros((4, 4), np.int32)
    with pytest.raises(ValueError):
        ours[0] = np.zeros((2, 4, 5), np.int32)


def test_assignment_from_itself():
    host, ours = np.arange(10), gpuarray.to_gpu(np.arange(10))
    host[2:], ours[2:] = host[:-2].copy(), ours[:-2]
    np.testing.assert_array_equal(ours.get(), host)
    host[:], ours[:] = host[::-1].copy(), ours[::-1]
    np.testing.assert_array_equal(ours.get(), host)


@pytest.mark.parametrize("shape", [(60,), (3, -1), (-1,), (5, 4, 3), (60, 1, 1), (3, 4, 5), (2, 2, 15, -1)])
@pytest.mark.parametrize("order", "CF")
def test_reshape(shape, order):
    host = np.array(HOST, order=order)
    ours = gpuarray.to_gpu(host)
    for result in (ours.reshape(shape, order=order), ours.reshape(*shape, order=order), gpuarray.reshape(ours, shape, order=order)):
        np.testing.assert_array_equal(result.get(), host.reshape(shape, order=order))
        assert result.size == 0 or result.ptr == ours.ptr


def test_reshape_errors():
    ours = gpuarray.to_gpu(HOST)
    for shape in ((-1, -1), (7, -1), (61,), (-2, 30)):
        with pytest.raises(ValueError):
            ours.reshape(shape)
    with pytest.raises(RuntimeError):
        ours[:, ::2].reshape(-1)
    assert ours.reshape(HOST.shape) is ours


@pytest.mark.parametrize("index", [i for i in INDICES if HOST[i].size > 1], ids=str)
def test_reshaping_strided_views(index):
    """A view where NumPy returns one, else a RuntimeError."""
    host, ours = HOST[index], gpuarray.to_gpu(HOST)[index]
    for shape in ((-1,), (host.size, 1), (1, *host.shape), (host.shape[0], -1), (2, -1), (*host.shape[:-1], 2, -1)):
        try:
            expected = host.reshape(shape)
        except ValueError:
            with pytest.raises(ValueError):
                ours.reshape(shape)
            continue
        if np.shares_memory(expected, host):
            np.testing.assert_array_equal(ours.reshape(shape).get(), expected)
            assert ours.reshape(shape).ptr == ours.ptr
        else:
            with pytest.raises(RuntimeError, match="copy"):
                ours.reshape(shape)


def test_shape_of_axes():
    ours = gpuarray.to_gpu(HOST)
    for axes in (None, (0, 1, 2), (2, 0, 1), (-1, 0, 1)):
        np.testing.assert_array_equal(ours.transpose(axes).get(), HOST.transpose(axes))
        np.testing.assert_array_equal(gpuarray.transpose(ours, axes).get(), HOST.transpose(axes))
    np.testing.assert_array_equal(ours.T.get(), HOST.T)
    assert ours.T.gpudata is ours.gpudata and ours.T.base is ours
    for axes in ((0, 1), (0, 0, 1), (0, 1, 3)):
        with pytest.raises(ValueError):
            ours.transpose(axes)
    np.testing.assert_array_equal(ours[:1, :, :1].squeeze().get(), HOST[:1, :, :1].squeeze())
    np.testing.assert_array_equal(ours.ravel().get(), HOST.ravel())
    np.testing.assert_array_equal(ours[:, ::2].flatten().get(), HOST[:, ::2].flatten())
    assert gpuarray.zeros((0, 1), np.int8).squeeze().shape == (0,)
    np.testing.assert_array_equal(np.squeeze(ours[:1, :, :1], axis=-1).get(), np.squeeze(HOST[:1, :, :1], axis=-1))
    assert ours[:1, :, :1].squeeze((0, 2)).shape == HOST[:1, :, :1].squeeze((0, 2)).shape
    for axis in (1, 3, (0, 0)):
        with pytest.raises(ValueError):
            ours[:1, :, :1].squeeze(axis)


def test_view_of_another_dtype():
    ours = gpuarray.to_gpu(HOST)
    for dtype in (np.int32, np.float32, np.int16, np.int8):
        np.testing.assert_array_equal(ours.view(dtype).get(), HOST.view(dtype))
    np.testing.assert_array_equal(ours[:, :, :4].copy().view(np.complex64).get(), HOST[:, :, :4].copy().view(np.complex64))
    with pytest.raises(ValueError, match="contiguous last axis"):
        gpuarray.to_gpu(np.asfortranarray(HOST[:2])).view(np.int64)
    with pytest.raises(ValueError):
        ours.view(np.int64)
    with pytest.raises(ValueError):
        gpuarray.zeros((), np.int32).view(np.int8)
    assert gpuarray.zeros((), np.int32).view(np.float32).shape == ()


def test_iteration():
    assert [row.get().tolist() for row in gpuarray.to_gpu(HOST[0, :2])] == HOST[0, :2].tolist()


def test_arrays_are_not_treated_as_containers():
    # reikna flattens every Iterable: an array must remain a leaf there, so iteration works through its indices only.
    assert not isinstance(gpuarray.to_gpu(HOST), Iterable)


def test_numpy_functions_that_read_attributes():
    ours = gpuarray.to_gpu(HOST)
    for function in (np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj):
        assert function(ours) == function(HOST)
    assert np.size(ours, 1) == np.size(HOST, 1)
    z = HOST + 1j * HOST[::-1]
    device = gpuarray.to_gpu(z)
    assert np.iscomplexobj(device) and not np.isrealobj(device)
    for function in (np.real, np.imag, np.ravel):
        np.testing.assert_array_equal(function(device).get(), function(z))
    np.testing.assert_array_equal(np.squeeze(ours[:1]).get(), np.squeeze(HOST[:1]))


def test_fields_of_structures(rng):
    dtype = np.dtype([("place", np.int32), ("mass", np.float64)], align=True)
    x = np.zeros((2, 3), dtype)
    x["place"], x["mass"] = rng.integers(0, 9, (2, 3)), rng.standard_normal((2, 3))
    a = gpuarray.to_gpu(x)
    assert a["place"].strides == x["place"].strides and a["mass"].dtype == np.float64
    close(a["mass"] * 2, x["mass"] * 2)
    close(a[::-1, ::2]["place"], x[::-1, ::2]["place"])
    a["place"], a["mass"] = 4, gpuarray.to_gpu(x["mass"] + 1)
    assert (a.get()["place"] == 4).all()
    np.testing.assert_array_equal(a.get()["mass"], x["mass"] + 1)
    for array in (a, a["mass"]):
        with pytest.raises(IndexError, match="no field 'charge'"):
            array["charge"]


@pytest.mark.parametrize("values", [7, np.array([1, 2, 3]), np.array([[5.5]])], ids=["number", "array", "broadcast"])
def test_assigning_to_indexed_elements(values):
    """An integer array acts as indices, even if it is as long as the array."""
    for step in (1, -2):
        x = np.arange(6, dtype=np.float32)
        a = gpuarray.to_gpu(x)
        indices = np.array([2, 0, -2], np.int32)
        x[::step][indices] = values if np.ndim(values) < 2 else 5.5
        a[::step][gpuarray.to_gpu(indices)] = values if np.ndim(values) < 2 else 5.5
        close(a, x)
    same = gpuarray.zeros(3, np.float32)
    same[gpuarray.to_gpu(np.array([2, 0, 2], np.int32))] = gpuarray.to_gpu(np.array([1, 2, 1], np.int32))
    close(same, np.array([2, 0, 1], np.float32))
    same[same > 1] = 5  # numeric masks, as comparisons return them
    close(same, np.array([5, 0, 1], np.float32))
    close(same[same < 5], np.array([0, 1], np.float32))
    for bad in (gpuarray.zeros(3, np.complex64), gpuarray.zeros((3, 1), np.bool_)):
        with pytest.raises(IndexError):
            same[bad] = 1
        with pytest.raises(IndexError):
            same[bad]
    rows = gpuarray.zeros((2, 2), np.float32)
    rows[gpuarray.zeros(1, np.int32)] = 1
    close(rows, np.array([[1, 1], [0, 0]], np.float32))


def test_conveniences():
    x = np.arange(1, 7).reshape(2, 3)
    a = gpuarray.to_gpu(x)
    for ours, numpys in zip(divmod(a, 4) + divmod(7, a), divmod(x, 4) + divmod(7, x)):
        close(ours, numpys)
    assert f"{a[1, 2]:04.1f}" == "06.0" and f"{a}" == str(x)
    with pytest.raises(TypeError):
        f"{a:.2f}"


@pytest.mark.parametrize("seen", [lambda x: x, lambda x: x.T, lambda x: x.transpose(0, 2, 1), lambda x: x[::2], lambda x: x[..., ::2], lambda x: x[..., :1], lambda x: x[0, 0, 0], lambda x: x[:0].T],
                         ids=["C", "F", "mixed", "rows", "gaps", "one column", "0-d", "empty"])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.complex128, np.float32], ids=lambda dtype: dtype.__name__)
def test_views_of_another_item_size_divide_the_last_axis(seen, dtype):
    x = np.arange(2 * 4 * 8, dtype=np.int32).reshape(2, 4, 8)
    try:
        expected = seen(x).view(dtype)
    except (ValueError, TypeError):
        with pytest.raises((ValueError, TypeError)):
            seen(gpuarray.to_gpu(x)).view(dtype)
    else:
        assert seen(gpuarray.to_gpu(x)).view(dtype).get().tobytes() == expected.tobytes()
