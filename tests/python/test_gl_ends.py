"""pycuda.gl: objects that are released on other threads, by many threads, and after the end of the context."""

import gc
import threading

import gl_program
import pycuda.driver as drv
import pycuda.gl as gl
import pytest
from pycuda import _driver


def test_the_context_may_have_ended(buffer, device, capfd):
    other = device.make_context()
    registered = gl.RegisteredBuffer(buffer)
    mapping = registered.map()
    other.detach()
    for use in (mapping.unmap, mapping.device_ptr_and_size, registered.map, registered.unregister):
        with pytest.raises(drv.LogicError, match="context that is gone"):
            use()
    del mapping, registered
    gc.collect()
    assert capfd.readouterr().err == ""


def dropped_elsewhere(kept):
    thread = threading.Thread(target=kept.clear)
    thread.start()
    thread.join()
    gc.collect()


def test_released_on_other_threads(buffer, capfd):
    """The collector may run on a thread without OpenGL: objects that it could not release are released by the next call on a thread with it."""
    for mapped in (False, True):
        kept = [gl.RegisteredBuffer(buffer)]
        if mapped:
            kept.append(kept[0].map())
        dropped_elsewhere(kept)
        assert _driver._live_handles("registered OpenGL object") == _driver._live_handles("OpenGL mapping") == 0
        gl.RegisteredBuffer(buffer).map().unmap()  # releases the other one: a buffer can be mapped only once
    assert capfd.readouterr().err == ""


def test_a_mapping_released_on_another_thread(buffer, capfd):
    registered = gl.RegisteredBuffer(buffer)
    for use in (lambda: registered.map().unmap(), lambda: registered.set_map_flags(gl.graphics_map_flags.READ_ONLY), registered.unregister):
        dropped_elsewhere([registered.map()])
        assert _driver._live_handles("OpenGL mapping") == 0
        use()
    assert capfd.readouterr().err == ""


def test_an_object_whose_mapping_was_released_on_another_thread(buffer, capfd):
    """It is still mapped when it ends."""
    registered = gl.RegisteredBuffer(buffer)
    dropped_elsewhere([registered.map()])
    del registered
    assert _driver._live_handles("registered OpenGL object") == _driver._live_handles("OpenGL mapping") == 0
    gl.RegisteredBuffer(buffer).map().unmap()
    assert capfd.readouterr().err == ""


def test_many_threads_release_one_mapping(buffer):
    registered = gl.RegisteredBuffer(buffer)
    opengl = gl_program.take_context()
    ended, lock = [], threading.Lock()
    context = drv.Context.get_current()

    def end(mapping):
        context.push()
        with lock:  # OpenGL's context is current on one thread at a time
            gl_program.give_context(opengl)
            try:
                mapping.unmap()
                ended.append(True)
            except drv.LogicError:
                pass
            finally:
                gl_program.take_context()
        drv.Context.pop()

    for _ in range(10):
        gl_program.give_context(opengl)
        mapping = registered.map()
        gl_program.take_context()
        threads = [threading.Thread(target=end, args=(mapping,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    gl_program.give_context(opengl)
    assert len(ended) == 10
