"""GPUArrays as chunks of Dask arrays, sent between processes, and in a worker's store; examples/scaling has programs for clusters."""

import numpy as np
import pycuda.gpuarray as gpuarray
import pytest

pytest.importorskip("distributed")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import pycuda.dask as pycuda_dask  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402

HOST = np.random.default_rng(5).uniform(0.1, 1, (60, 40))


@pytest.fixture(autouse=True)
def in_this_thread(context):
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("family", ["dask", "cuda", "pickle"])
@pytest.mark.parametrize("make", [
    lambda: gpuarray.to_gpu(HOST), lambda: gpuarray.to_gpu(HOST).T, lambda: gpuarray.to_gpu(HOST)[::2, ::-3],
    lambda: gpuarray.to_gpu(HOST)[20:30], lambda: gpuarray.to_gpu(np.array(7, np.int8)), lambda: gpuarray.zeros((0, 3), np.complex64),
    lambda: gpuarray.arange(5, dtype=np.int32), lambda: gpuarray.arange(24, dtype=np.int8).reshape(2, 3, 4).transpose((1, 0, 2))])
def test_arrays_are_sent_between_processes(family, make):
    array = make()
    header, frames = serialize(array, serializers=[family])
    assert header["serializer"] == family
    back = deserialize(header, frames)
    assert type(back) is gpuarray.GPUArray and back.dtype == array.dtype
    np.testing.assert_array_equal(back.get(), array.get())


def test_device_frames_share_the_arrays_memory():
    array = gpuarray.arange(10, dtype=np.float32)
    header, (frame,) = serialize(array, serializers=["cuda"])
    assert frame.ptr == array.ptr and frame.nbytes == array.nbytes
    back = deserialize(header, [frame])
    array.fill(3)
    assert back.get().tolist() == [3] * 10


@pytest.mark.parametrize("function", [
    lambda x: x + 1, lambda x: -x, lambda x: np.sqrt(x), lambda x: x.sum(), lambda x: x.sum(axis=0), lambda x: x.max(axis=1),
    lambda x: x.sum(axis=(0, 1), keepdims=True), lambda x: x.min(), lambda x: x.mean(axis=0), lambda x: x.mean(),
    lambda x: x.std(axis=1), lambda x: x.var(), lambda x: x - x.mean(axis=0), lambda x: x.T, lambda x: x.T @ x,
    lambda x: x.T.dot(x), lambda x: da.tensordot(x, x, axes=((0,), (0,))), lambda x: da.tensordot(x, x, axes=2),
    lambda x: x[10:50, ::3], lambda x: x[3], lambda x: x.rechunk((7, 40)), lambda x: da.concatenate([x, x]),
    lambda x: da.stack([x, x], axis=1), lambda x: da.where(x > 0.5, x, 0), lambda x: (x > 0.5).sum(), lambda x: (x > 2).any(),
    lambda x: x.astype(np.float32), lambda x: da.clip(x, 0.2, 0.5), lambda x: x.rechunk((60, 40)).reshape(-1),
    lambda x: x.prod(axis=1)])
def test_chunks(function):
    host = da.from_array(HOST, chunks=(15, 20))
    device = pycuda_dask.to_device(host)
    ours, expected = function(device), function(host).compute()
    assert type(ours.compute()) is gpuarray.GPUArray
    result = pycuda_dask.to_host(ours).compute()
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_chunks_of_existing_arrays():
    x = da.from_array(gpuarray.to_gpu(HOST), chunks=(20, 20), asarray=False)
    np.testing.assert_allclose(x.sum(axis=1).compute().get(), HOST.sum(axis=1))


def test_store_evicts_the_least_recently_used():
    store = pycuda_dask.DeviceStore(2500)
    arrays = {name: gpuarray.to_gpu(np.full(250, number, np.float32)) for number, name in enumerate("abc")}
    store["a"] = arrays["a"]
    store["text"] = "takes no room"
    store["b"] = {"parts": [arrays["b"], (1,)]}
    assert store.spilled == 0
    assert store["a"] is arrays["a"]
    store["c"] = arrays["c"]
    assert store.spilled >= 1 and "b" in store.slow and "c" in store.fast
    parts, other = store["b"]["parts"]
    assert type(parts) is gpuarray.GPUArray and other == (1,)
    assert parts.get().tolist() == [1] * 250
    assert {name: store[name].get()[0] for name in "ac"} == {"a": 0, "c": 2}
    del store["a"], store["b"], store["c"]
    assert store["text"] == "takes no room" and len(store) == 1
