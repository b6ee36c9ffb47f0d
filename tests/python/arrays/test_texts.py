"""repr and str of arrays: NumPy's text with a note about the device; only the printed elements are copied."""

import re

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda._arrays import copies

HOSTS = {
    "few": np.arange(6, dtype=np.float32).reshape(2, 3),
    "0-d": np.array(2.5),
    "none": np.zeros((0, 3), np.int8),
    "many": np.arange(2000.0),
    "matrix": np.arange(10**6, dtype=np.int32).reshape(1000, 1000),
    "one long axis": np.ones((2, 10**5), np.complex64),
    "just too many": np.arange(1001) % 2 == 0,
    "axes": np.arange(20 * 9 * 9 * 9, dtype=np.int16).reshape(20, 1, 9, 9, 9),
    "short axes": np.arange(5 * 7 * 8 * 6).reshape(5, 7, 8, 6),
    "structure": np.zeros((2, 2000), gpuarray.vec.float3),
}


def without_note(text):
    return re.sub(r",\s+device='(cuda|cpu):\d+'\)$", ")", text)


@pytest.mark.parametrize("name", HOSTS)
def test_texts_match_numpy(name):
    host = HOSTS[name]
    array = gpuarray.to_gpu(host)
    assert str(array) == str(host)
    assert without_note(repr(array)) == repr(host)
    assert ("device=" in repr(array)) == (host.size > 0)
    views = (np.s_[..., ::-1], np.s_[::2]) if host.ndim else ()
    for index in views:
        assert str(array[index]) == str(host[index])


@pytest.mark.parametrize("options", [{"edgeitems": 1, "threshold": 5}, {"edgeitems": 0, "threshold": 5}, {"threshold": 10**7}, {"precision": 2, "linewidth": 40}])
def test_print_options(options):
    host = np.arange(144.0).reshape(12, 12) / 7
    with np.printoptions(**options):
        assert str(gpuarray.to_gpu(host)) == str(host)
        assert without_note(repr(gpuarray.to_gpu(host))).split() == repr(host).split()


def test_only_the_printed_elements_are_copied(monkeypatch):
    copied = []
    copy = drv.memcpy_dtoh
    monkeypatch.setattr(copies.cuda, "memcpy_dtoh", lambda dest, src: (copied.append(memoryview(dest).nbytes), copy(dest, src)))
    array = gpuarray.zeros((2000, 3000), np.float32)
    str(array), repr(array)
    assert 0 < sum(copied) <= 2 * 6 * 6 * 4


def test_repr_never_raises_driver_errors():
    array = gpuarray.zeros(4, np.float32)
    array.gpudata.free()
    assert re.match(r"array\(shape=\(4,\), dtype=float32, unreadable: .*was freed", repr(array))
