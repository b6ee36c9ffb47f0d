"""Every operation on arrays runs entirely on its stream: it reads what the stream wrote before, and later work there reads its results."""

import contextlib
import gc
import inspect
import threading

import numpy as np
import pycuda.cumath as cumath
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from stream_rows import IN_USE, STRUCT, WITH_STREAM


def _values():
    """Elements of the operands. Before they are written all are 0, with which every operation has another result."""
    x = np.roll(np.arange(12, dtype=np.float32) - 4.75, 5).reshape(3, 4) / 4
    y = np.cos(x) + 2
    y[1], y[2], y[2, 3] = x[1], x[2] - 1, 0
    return {
        "x": x, "y": y, "w": x[::-1] * 2, "f": np.array([[0, np.nan, np.inf, -1]], np.float32), "tt": np.repeat(x, 2, axis=0) + 1,
        "tt2": np.repeat(x, 2, axis=0) * 3 + 1, "v": np.roll(x.ravel(), 5), "u": x.ravel() * 2 + 1, "q": x[0] + 1, "i": np.array([3, 1, 0, 2], np.int32),
        "m": np.arange(12) % 3 == 0, "n": np.arange(12, dtype=np.int32).reshape(3, 4) + 3, "k": np.arange(1, 13, dtype=np.int32).reshape(3, 4) % 5,
        "c": x[0] + 1j * x[1], "s": np.array(list(zip(x[1], range(4))), STRUCT),
    }


def _page_locked(values):
    memory = drv.pagelocked_empty(values.shape, values.dtype)
    memory[...] = values
    return memory


class Operands:
    """Arrays whose elements are written in stream order."""

    def __init__(self):
        self.elements = {name: _page_locked(values) for name, values in _values().items()}
        self.host = {"x": self.elements["w"], "t": self.elements["tt"].T[:, ::2]}
        for name, elements in self.elements.items():
            setattr(self, name, gpuarray.to_gpu(elements))
        self.t, self.t2, self.out = self.tt.T[:, ::2], self.tt2.T[:, ::2], None

    def write(self, wanted, stream):
        """Queue the elements, and other values where the result will be written."""
        if self.out is not None:
            drv.memset_d8_async(self.out.gpudata, 0x55, self.out.nbytes, stream)
        for name, elements in self.elements.items():
            array = getattr(self, name)
            if wanted:
                drv.memcpy_htod_async(array.gpudata, elements, stream)
            else:
                drv.memset_d8_async(array.gpudata, 0, array.nbytes, stream)


@pytest.fixture(scope="module")
def operands(module_context):
    made = Operands()
    yield made
    vars(made).clear()


def _read_later(result, stream):
    """A result, or several, as the stream reads them."""
    if isinstance(result, (tuple, list)):
        return [_read_later(part, stream) for part in result]
    if not isinstance(result, gpuarray.GPUArray):
        return result
    if not result._is_dense:
        return result.get(pagelocked=True, async_=True, stream=stream)
    host = drv.pagelocked_empty(result.nbytes, np.uint8)
    if result.size:
        drv.memcpy_dtoh_async(host, result.gpudata, stream)
    return host


def _same(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def _on(mode):
    """The stream on which operands are written and results are read, a context manager that selects it, and keywords."""
    stream = drv.Stream(0 if mode == "default" else drv.stream_flags.NON_BLOCKING)
    return stream, stream if mode == "in use" else contextlib.nullcontext(), {"stream": stream} if mode == "stream" else {}


@contextlib.contextmanager
def _held(stream, seconds):
    """Block a stream, for at most this long. Nothing is collected meanwhile: releasing an object may wait for the stream."""
    gc.disable()
    opened = threading.Event()
    last = threading.Timer(seconds, opened.set)
    last.start()
    stream.add_callback(opened.wait)
    try:
        yield opened
    finally:
        opened.set()
        last.cancel()
        drv.Context.synchronize()
        gc.enable()


ROWS = [pytest.param(row, mode, id=f"{row.name}-{mode}") for rows, modes in ((WITH_STREAM, ("stream", "in use", "default")), (IN_USE, ("in use", "default")))
        for row in rows for mode in modes]


@pytest.mark.parametrize(("row", "mode"), ROWS)
def test_order(operands, row, mode):
    """The stream is blocked until the operation is queued. Only on it, or on the default stream, which waits for it, are the operands right."""
    stream, use, keywords = _on(mode)
    operands.out = row.out and gpuarray.empty(*row.out)
    results = []
    with use:
        for wanted in (False, True):  # also loads the kernels
            operands.write(wanted, stream)
            result = _read_later(row.call(operands, **keywords), stream)
            drv.Context.synchronize()
            results.append(result)
        operands.write(False, stream)
        drv.Context.synchronize()
        with _held(stream, 0.1 if row.waits else 60) as opened:
            operands.write(True, stream)
            result = row.call(operands, **keywords)
            assert row.waits or not opened.is_set(), "it waited for the stream"
            if mode != "default" and not row.waits:
                done = drv.Event()
                done.record().synchronize()  # work on the default stream, if any, is done
            later = _read_later(result, stream)
            assert row.waits or not opened.is_set(), "reading waited for the stream"
        assert _same(later, results[1])
    assert row.name in SAME or not _same(results[0], results[1])


#: Operations whose result does not depend on the elements that are written.
SAME = {"arange", "to_gpu_async", "zeros", "ones", "zeros_like", "ones_like", "to_gpu", "a[...] = host", "np.allclose", "all, where", "all, where, out", "GPUArray.set", "GPUArray.set, x",
        "GPUArray.set, t", "GPUArray.set_async, x", "GPUArray.set_async, t", "GPUArray.fill, x", "GPUArray.fill, t", "a[all] = number"}


def _public_with(parameter):
    """Public functions and methods on arrays with this parameter."""
    for prefix, holder in (("", gpuarray), ("GPUArray.", gpuarray.GPUArray), ("cumath.", cumath)):
        for name in getattr(holder, "__all__", None) or dir(holder):
            function = getattr(holder, name)
            if not name.startswith("_") and callable(function) and not isinstance(function, type) and parameter in inspect.signature(function).parameters:
                yield prefix + name


def test_every_operation_with_a_stream_is_in_the_table():
    names = {row.name.partition(",")[0].partition(" ")[0] for row in WITH_STREAM}
    assert set(_public_with("stream")) - {"from_dlpack"} <= names  # its stream is for the producer: test_dlpack.py


def test_every_operation_with_out_is_in_the_table():
    names = {row.name.partition(",")[0].partition(" ")[0] for row in [*WITH_STREAM, *IN_USE] if row.out or "out" in row.name}
    assert set(_public_with("out")) <= names
