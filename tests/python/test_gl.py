"""pycuda.gl, in a program that draws nothing with OpenGL (tests/gl)."""

import gc
import threading
import warnings

import gl_program
import numpy as np
import pycuda.driver as drv
import pycuda.gl as gl
import pytest
from pycuda import _driver
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void twice(float *data) { data[threadIdx.x] *= 2; }
texture<float, 2> image;
__global__ void read(float *out) { out[threadIdx.y * 4 + threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, threadIdx.y + 0.5f); }
__global__ void paint(unsigned long long sheet) { surf2Dwrite<float>(threadIdx.x + 10 * threadIdx.y, sheet, threadIdx.x * 4, threadIdx.y); }
"""
COUNTING = np.arange(16, dtype=np.float32)


@pytest.fixture
def module(context):
    return SourceModule(SOURCE)


def twice(module, pointer, stream=None):
    module.get_function("twice")(np.uint64(pointer), block=(16, 1, 1), stream=stream)


def test_a_kernel_writes_a_buffer(buffer, module):
    registered = gl.RegisteredBuffer(buffer)
    assert registered.gl_handle() == buffer
    for factor in (2, 4):
        mapping = registered.map()
        pointer, size = mapping.device_ptr_and_size()
        assert size == COUNTING.nbytes
        twice(module, pointer)
        mapping.unmap()
        assert (gl_program.read_buffer(buffer, 16) == factor * COUNTING).all()
    registered.unregister()


def test_unmap_uses_the_stream_of_map(buffer, module):
    registered = gl.RegisteredBuffer(buffer)
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    slow = threading.Event()
    stream.add_callback(lambda: slow.wait(0.05))
    mapping = registered.map(stream)
    twice(module, mapping.device_ptr_and_size()[0], stream)
    mapping.unmap()
    assert (gl_program.read_buffer(buffer, 16) == 2 * COUNTING).all()
    mapping = registered.map(stream=stream)
    twice(module, mapping.device_ptr_and_size()[0], stream)
    mapping.unmap(stream)
    assert (gl_program.read_buffer(buffer, 16) == 4 * COUNTING).all()


def test_the_stream_of_map_may_have_ended(buffer, module):
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    slow = threading.Event()
    stream.add_callback(lambda: slow.wait(0.05))
    mapping = gl.RegisteredBuffer(buffer).map(stream)
    twice(module, mapping.device_ptr_and_size()[0], stream)
    del stream
    gc.collect()
    others = [drv.Stream() for _ in range(4)]  # one of them may reuse its handle
    mapping.unmap()
    assert (gl_program.read_buffer(buffer, 16) == 2 * COUNTING).all()
    del others


def test_flags(buffer, is_cpu_device):
    registered = gl.RegisteredBuffer(buffer, gl.graphics_map_flags.WRITE_DISCARD)
    mapping = registered.map()
    with pytest.raises(drv.LogicError, match="already mapped"):
        registered.set_map_flags(gl.graphics_map_flags.NONE)
    drv.memcpy_htod(mapping.device_ptr_and_size()[0], COUNTING + 1)
    mapping.unmap()
    assert (gl_program.read_buffer(buffer, 16) == COUNTING + 1).all()
    registered.set_map_flags(gl.graphics_map_flags.READ_ONLY)
    mapping = registered.map()
    assert (drv.from_device(mapping.device_ptr_and_size()[0], 16, np.float32) == COUNTING + 1).all()
    if is_cpu_device:  # elsewhere this would write to the buffer itself
        drv.memset_d32(mapping.device_ptr_and_size()[0], 0, 16)
    mapping.unmap()
    assert (gl_program.read_buffer(buffer, 16) == COUNTING + 1).all()


def test_every_state_can_end_only_once(buffer):
    registered = gl.RegisteredBuffer(buffer)
    mapping = registered.map()
    with pytest.raises(drv.LogicError, match="already mapped"):
        registered.map()
    with pytest.raises(drv.LogicError, match="already mapped.*unmap it first"):
        registered.unregister()
    mapping.unmap()
    for use in (mapping.unmap, lambda: mapping.unmap(None), mapping.device_ptr_and_size, lambda: mapping.array(0, 0), lambda: mapping.handle):
        with pytest.raises(drv.LogicError, match="OpenGL mapping was unmapped"):
            use()
    registered.unregister()
    for use in (registered.unregister, registered.map, lambda: registered.set_map_flags(0), mapping.unmap, lambda: registered.handle):
        with pytest.raises(drv.LogicError, match="was un(registered|mapped)"):
            use()
    assert registered.gl_handle() == buffer
    assert "was unregistered" in repr(registered) and "was unregistered" in repr(mapping)


def test_an_old_mapping_is_not_a_later_one(buffer):
    registered = gl.RegisteredBuffer(buffer)
    first = registered.map()
    first.unmap()
    second = registered.map()
    with pytest.raises(drv.LogicError, match="was un(registered|mapped)"):
        first.unmap()
    assert second.device_ptr_and_size()[1] == COUNTING.nbytes
    assert first != second and len({first, second}) == 2


def test_a_mapping_keeps_its_object_alive(buffer):
    mapping = gl.RegisteredBuffer(buffer).map()
    gc.collect()
    drv.memcpy_htod(mapping.device_ptr_and_size()[0], COUNTING + 3)
    del mapping  # unmaps, then unregisters
    assert _driver._live_handles("OpenGL mapping") == _driver._live_handles("registered OpenGL object") == 0
    assert (gl_program.read_buffer(buffer, 16) == COUNTING + 3).all()


def test_dropping_waits_for_the_work(buffer, module):
    stream = drv.Stream(drv.stream_flags.NON_BLOCKING)
    slow = threading.Event()
    stream.add_callback(lambda: slow.wait(0.05))
    mapping = gl.RegisteredBuffer(buffer).map()
    twice(module, mapping.device_ptr_and_size()[0], stream)
    del mapping
    assert (gl_program.read_buffer(buffer, 16) == 2 * COUNTING).all()


def test_images(opengl, module, capfd):
    name = gl_program.new_image(COUNTING.reshape(4, 4))
    registered = gl.RegisteredImage(name, gl_program.TEXTURE_2D, drv.graphics_register_flags.SURFACE_LDST)
    mapping = registered.map()
    array = mapping.array(0, 0)
    shape = array.get_descriptor_3d()
    assert (shape.width, shape.height, shape.num_channels, shape.format) == (4, 4, 1, drv.array_format.FLOAT)
    image = module.get_texref("image")
    image.set_array(array)
    out = np.zeros((4, 4), np.float32)
    module.get_function("read")(drv.Out(out), block=(4, 4, 1), texrefs=[image])
    assert (out.ravel() == COUNTING).all()
    sheet = drv.SurfaceObject(array)
    module.get_function("paint")(np.uint64(sheet.handle), block=(4, 4, 1))
    mapping.unmap()
    assert (gl_program.read_image(name, (4, 4)) == np.arange(4) + 10 * np.arange(4)[:, None]).all()
    # The array has ended: its old memory is not read.
    for use in (array.get_descriptor, lambda: array.handle, lambda: image.set_array(array), lambda: drv.SurfaceObject(array)):
        with pytest.raises(drv.LogicError, match="was un(registered|mapped)"):
            use()
    with pytest.raises(drv.LogicError, match="nothing is bound"):
        module.get_function("read")(drv.Out(out), block=(4, 4, 1), texrefs=[image])
    del sheet
    assert capfd.readouterr().err == ""


def test_an_array_keeps_the_mapping(opengl):
    name = gl_program.new_image(COUNTING.reshape(4, 4))
    array = gl.RegisteredImage(name, gl_program.TEXTURE_2D).map().array(0, 0)
    gc.collect()
    copy = drv.Memcpy2D()
    copy.set_src_host(np.ascontiguousarray(COUNTING + 5))
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = 16
    copy.height = 4
    copy(aligned=True)
    del array, copy
    gc.collect()
    assert (gl_program.read_image(name, (4, 4)).ravel() == COUNTING + 5).all()


def test_layers(opengl):
    layers = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    name = gl_program.new_image(layers, gl_program.TEXTURE_2D_ARRAY)
    mapping = gl.RegisteredImage(name, gl_program.TEXTURE_2D_ARRAY).map()
    out = np.zeros((3, 4), np.float32)
    copy = drv.Memcpy2D()
    copy.set_src_array(mapping.array(1, 0))
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = 16
    copy.height = 3
    copy(aligned=True)
    assert (out == layers[1]).all()
    with pytest.raises(drv.LogicError, match="index 2, level 0"):
        mapping.array(2, 0)
    with pytest.raises(drv.LogicError, match=r"array\(index, level\)"):
        mapping.device_ptr_and_size()
    mapping.unmap()


def test_a_buffer_has_no_array(buffer):
    mapping = gl.RegisteredBuffer(buffer).map()
    with pytest.raises(drv.LogicError, match=r"device_ptr_and_size\(\)"):
        mapping.array(0, 0)


def test_names_that_opengl_does_not_know(opengl):
    with pytest.raises(drv.Error, match="cuGraphicsGLRegisterBuffer failed.*buffer 12345, flags 0"):
        gl.RegisteredBuffer(12345)
    with pytest.raises(drv.Error, match="cuGraphicsGLRegisterImage failed.*image 12345.*target 3553"):
        gl.RegisteredImage(12345, gl_program.TEXTURE_2D)
    for wrong in ("1", 1.5, -1, 1 << 32, None):
        with pytest.raises((TypeError, OverflowError, ValueError)):
            gl.RegisteredBuffer(wrong)


def test_on_a_thread_without_opengl(buffer, context):
    registered = gl.RegisteredBuffer(buffer)
    mapping = registered.map()
    failures = []

    def elsewhere():
        context.push()
        try:
            mapping.unmap()
        except drv.LogicError as error:
            failures.append(str(error))
        finally:
            drv.Context.pop()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert "an OpenGL context of this driver must be current on this thread" in failures[0]
    mapping.unmap()  # unchanged


def test_without_opengl(context, is_cpu_device):
    failures = []
    for what in (lambda: gl.RegisteredBuffer(1), lambda: gl.RegisteredImage(1, gl_program.TEXTURE_2D)):
        with pytest.raises(drv.Error, match="cuGraphicsGLRegister") as failure:
            what()
        failures.append(failure.value)
    if is_cpu_device:
        assert [failure.code for failure in failures] == [219, 219]
    assert all("OpenGL context" in str(failure) for failure in failures)


def test_no_context_remains_without_opengl(context, device):
    with pytest.raises(drv.Error, match="cuGLGetDevices"):
        gl.make_context(device)
    assert drv.Context.get_current() == context


def test_make_context(opengl, device, context):
    made = gl.make_context(device, drv.ctx_flags.SCHED_BLOCKING_SYNC)
    assert drv.Context.get_current() == made != context
    drv.Context.pop()


def test_deprecated_names(buffer):
    with pytest.deprecated_call(match="RegisteredBuffer"):
        old = gl.BufferObject(buffer)
    with pytest.deprecated_call(match="nothing to be done"):
        gl.init()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old.handle() == buffer
        mapping = old.map()
        assert mapping.size() == COUNTING.nbytes
        drv.memcpy_htod(mapping.device_ptr(), COUNTING + 9)
        mapping.unmap()
        for use in (mapping.unmap, mapping.device_ptr, mapping.size):
            with pytest.raises(drv.LogicError):
                use()
        old.unregister()
        with pytest.raises(drv.LogicError):
            old.unregister()
    assert (gl_program.read_buffer(buffer, 16) == COUNTING + 9).all()


AUTOINIT = """
import warnings; warnings.simplefilter("ignore")
import sys; sys.path.insert(0, {folder!r})
import gl_program
print(gl_program.start())
try:
    import pycuda.gl.autoinit as auto, pycuda.driver as drv
    print(drv.Context.get_current() == auto.context, auto.device == drv.Device(0))
except Exception as error:
    print(type(error).__name__, error)
"""


def test_autoinit(run_python, opengl):
    done = run_python(AUTOINIT.format(folder=gl_program.__file__.rpartition("/")[0]))
    assert done.stdout.split() == ["None", "True", "True"], done.stderr


def test_autoinit_without_opengl(run_python):
    program = AUTOINIT.replace("print(gl_program.start())", "").format(folder=gl_program.__file__.rpartition("/")[0])
    done = run_python(program)
    assert "RuntimeError" in done.stdout and "cuGLGetDevices" in done.stdout, done.stderr


def test_mappings_alive_at_exit(run_python, opengl):
    """A mapping that is still alive when the process exits."""
    done = run_python(AUTOINIT.format(folder=gl_program.__file__.rpartition("/")[0]) + """
import numpy, pycuda.gl
mapping = pycuda.gl.RegisteredBuffer(gl_program.new_buffer(numpy.zeros(16))).map()
""")
    assert done.returncode == 0 and "Traceback" not in done.stderr
