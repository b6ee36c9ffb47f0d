"""Blocks of code on a stream, and in its capture, begin after what is queued on the stream that was in use before."""

import contextlib

import numpy as np
import pycuda.driver as drv
import pytest
from gate import Gate
from pycuda.gpuarray import to_gpu


@pytest.fixture
def x():
    array = to_gpu(np.full(3, 2, np.float32))
    assert ((array + array).get() == 4).all()  # the kernels are loaded
    array.fill(0)
    drv.Context.synchronize()
    return array


def non_blocking():
    return drv.Stream(drv.stream_flags.NON_BLOCKING)


@pytest.mark.parametrize("outer", [None, non_blocking], ids=["default", "another"])
@pytest.mark.parametrize("make", [non_blocking, drv.Stream])
def test_a_use_follows_the_stream_in_use_before(x, outer, make):
    before, inner = outer and outer(), make()
    gate = Gate(before or drv.Stream.from_handle(1))
    with before or contextlib.nullcontext():
        gate.close()
        x.fill(2)
        with inner:
            total = x + x
            assert not gate.stream.is_done()  # the host has not waited
            gate.open()
    assert (total.get() == 4).all()


def test_a_capture_follows_the_stream_in_use_before(x):
    stream, gate = non_blocking(), Gate(drv.Stream.from_handle(1))
    gate.close()
    x.fill(2)
    with stream.capture() as graph:
        total = x + x
    run = graph.instantiate()
    run.launch(stream)
    gate.open()
    stream.synchronize()
    assert (total.get() == 4).all()


def test_a_use_inside_a_capture_takes_part_in_it(x):
    outer, inner = non_blocking(), non_blocking()
    x.fill(2)
    with outer.capture(mode="relaxed") as graph:
        with inner:
            assert inner.is_capturing()
            total = x + x
        x += 3
    run = graph.instantiate()
    run.launch(outer)
    outer.synchronize()
    assert (total.get() == 4).all()
    assert (x.get() == 5).all()


def test_a_stream_of_another_context_follows_nothing(x):
    other = drv.Device(0).make_context()
    stream = non_blocking()
    drv.Context.pop()
    with stream:
        assert ((x + x).get() == 0).all()
    other.detach()
