"""Ending the last reference to a context waits for its work, including Python functions in streams: so it must not hold the GIL,
which these need, wherever the reference ends. A test that hangs ends the process, and prints where."""

import gc
import threading
import time

import pycuda.driver as drv
import pytest
from last_references import KINDS
from watchdog import PATIENCE, watchdog  # noqa: F401


def last_reference(device, kind):
    """[an object with the last reference to a context], and the event of a Python function in a stream of that context."""
    context = device.make_context()
    kept = [KINDS[kind]()]
    done = threading.Event()

    def function():
        time.sleep(0.02)  # the GIL is released, and requested again
        done.set()

    drv.Stream().add_callback(function)
    context.pop()
    return kept, done


def drop(kept):
    del kept[:]
    gc.collect()


def drop_with_its_owner(kept):
    class Owner:
        def __init__(self, held):
            self.held = held

    Owner(kept.pop())
    gc.collect()


def drop_on_another_thread(kept):
    thread = threading.Thread(target=drop, args=(kept,))
    thread.start()
    thread.join()


def drop_behind_an_exception(kept):
    def fail(held):
        raise ValueError

    with pytest.raises(ValueError):
        fail(kept.pop())
    gc.collect()


@pytest.mark.parametrize("way", [drop, drop_with_its_owner, drop_on_another_thread, drop_behind_an_exception], ids=lambda way: way.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_ending_a_context_lets_functions_run(device, kind, way):
    kept, done = last_reference(device, kind)
    way(kept)
    assert done.wait(PATIENCE / 2)


@pytest.mark.parametrize("kind", KINDS)
def test_the_collector_may_release_the_last_reference(device, kind):
    kept, done = last_reference(device, kind)
    kept.append(kept)
    del kept
    gc.collect()
    assert done.wait(PATIENCE / 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_in_a_stream_may_release_it(device, context, kind):
    kept, done = last_reference(device, kind)
    stream = drv.Stream()
    stream.add_callback(lambda: drop(kept))
    stream.synchronize()
    assert done.wait(PATIENCE / 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_in_the_contexts_own_stream_may_release_it(device, kind):
    context = device.make_context()
    kept, done = [KINDS[kind]()], threading.Event()
    drv.Stream().add_callback(lambda: (time.sleep(0.02), drop(kept), done.set()))
    context.pop()
    del context
    assert done.wait(PATIENCE / 2)
