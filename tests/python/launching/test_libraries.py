"""Libraries and their kernels: code that belongs to no context."""

import gc
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE
from pycuda.compiler import compile as compile_source

ATTRIBUTE = drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
MANAGED = """
.version 8.0
.target sm_50
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 shared_number = 7;
.visible .global .align 4 .u32 number = 8;
.visible .entry increment()
{
    .reg .b32 %r<3>;
    ld.global.u32 %r1, [shared_number];
    add.u32 %r2, %r1, 1;
    st.global.u32 [shared_number], %r2;
    ret;
}
"""


def library():
    return drv.Library.from_buffer(SCALE)


def check_scale(launch):
    y = np.arange(10, dtype=np.float32)
    launch(drv.InOut(y), np.float32(3), np.int32(10), block=(32, 1, 1))
    assert (y == 3 * np.arange(10)).all()


@pytest.mark.parametrize("form", [str, str.encode, lambda t: bytearray(t.encode()), lambda t: t.encode() + b"\0"])
def test_from_buffer(context, form):
    check_scale(drv.Library.from_buffer(form(SCALE)).get_kernel("scale"))


def test_from_file(context, tmp_path):
    path = tmp_path / "kernel.ptx"
    path.write_text(SCALE)
    check_scale(drv.Library.from_file(path).get_kernel("scale"))
    check_scale(drv.Library.from_file(str(path), [(drv.jit_option.MAX_REGISTERS, 32)]).get_kernel("scale"))
    with pytest.raises(drv.RuntimeError, match="no-such-file"):
        drv.Library.from_file(tmp_path / "no-such-file.ptx")


def test_options_and_message_handler(context, is_cpu_device):
    messages = []
    drv.Library.from_buffer(SCALE, [(drv.jit_option.OPTIMIZATION_LEVEL, 2)], lambda *message: messages.append(message))
    wrong = SCALE.replace("mul.f32", "mull.f32")
    if is_cpu_device:
        with pytest.raises(drv.Error, match="mull"):
            drv.Library.from_buffer(wrong, message_handler=lambda *message: messages.append(message))
        assert [success for success, _, _ in messages] == [True, False]
        assert "mull" in messages[1][2]
    else:  # the driver compiles when a kernel is asked for
        with pytest.raises(drv.Error):
            drv.Library.from_buffer(wrong).get_kernel("scale").function()


def test_needs_no_context(device):
    assert drv.Context.get_current() is None
    library = drv.Library.from_buffer(SCALE)
    assert sorted(kernel.name for kernel in library.kernels()) == ["nothing", "scale"]
    kernel = library.get_kernel("scale")
    assert kernel.get_attribute(drv.function_attribute.NUM_REGS, device) > 0
    kernel.set_attribute(ATTRIBUTE, 1024, device)
    assert kernel.get_attribute(ATTRIBUTE, device) == 1024
    kernel.set_cache_config(drv.func_cache.PREFER_L1, device)
    for needs_one in (kernel.function, library.module, lambda: library.get_global("table"), lambda: kernel.parameters):
        with pytest.raises(drv.LogicError):
            needs_one()
    made = device.make_context()
    assert kernel.parameters == [(0, 8), (8, 4), (12, 4)]
    made.pop()


def test_invalid_code_is_an_error_without_a_context():
    with pytest.raises(drv.Error):
        drv.Library.from_buffer(b"neither PTX nor a cubin").get_kernel("scale")  # on a GPU, the driver may not have read it before
    with pytest.raises(ValueError, match="empty"):
        drv.Library.from_buffer(b"")


def test_the_error_for_an_unknown_kernel_lists_known_ones():
    with pytest.raises(drv.LogicError, match="no_such_kernel") as caught:
        library().get_kernel("no_such_kernel")
    assert "scale" in str(caught.value)


def test_every_context_has_its_own_function(device):
    library = drv.Library.from_buffer(SCALE)
    kernel = library.get_kernel("scale")
    handles = []
    for _ in range(2):
        context = device.make_context()
        check_scale(kernel)
        handles.append(kernel.function().handle)
        drv.Context.pop()
        del context
    first, second = device.make_context(), device.make_context()
    in_second = kernel.function()
    drv.Context.pop()
    in_first = kernel.function()
    assert in_first.handle != in_second.handle
    check_scale(in_first)
    drv.Context.pop()
    del first, second


def test_globals_belong_to_the_context(device, context):
    library = drv.Library.from_buffer(SCALE)
    address, size = library.get_global("table")
    assert size == 16
    assert drv.from_device(address, 4, np.float32).tolist() == [1, 2, 3, 4]
    assert library.module().get_global("table") == (address, size)
    with pytest.raises(drv.LogicError, match="no_such_variable"):
        library.get_global("no_such_variable")
    other = device.make_context()
    assert library.get_global("table")[0] != address
    drv.Context.pop()
    del other


def test_managed_variables(context):
    library = drv.Library.from_buffer(MANAGED)
    library.get_kernel("increment")(block=(1, 1, 1))
    context.synchronize()
    address, size = library.get_managed("shared_number")
    assert size == 4
    assert drv.from_device(address, 1, np.uint32)[0] == 8
    for name in ("number", "no_such_variable"):
        with pytest.raises(drv.LogicError, match=name):
            library.get_managed(name)


def test_a_managed_variable_needs_a_context_that_loaded_the_library(is_cpu_device):
    if not is_cpu_device:
        assert drv.Library.from_buffer(MANAGED).get_managed("shared_number")[1] == 4  # as an H200's driver (580) has it
        return
    with pytest.raises(drv.LogicError, match="'shared_number' in the library; such variables exist once a context has loaded the library"):
        drv.Library.from_buffer(MANAGED).get_managed("shared_number")


def test_unified_functions(context, device):
    if device.get_attribute(drv.device_attribute.UNIFIED_FUNCTION_POINTERS):
        pytest.skip("the device has unified functions")
    with pytest.raises(drv.LogicError, match="no unified function 'scale'"):
        library().get_unified_function("scale")


def test_attributes_hold_for_all_contexts_of_the_device(context, device):
    kernel = library().get_kernel("nothing")
    before = kernel.function()
    kernel.set_attribute(ATTRIBUTE, 60_000, device)
    assert before.get_attribute(ATTRIBUTE) == 60_000
    assert kernel.function().get_attribute(ATTRIBUTE) == 60_000
    kernel(block=(1, 1, 1), shared=60_000)
    context.synchronize()
    other = device.make_context()
    assert kernel.function().get_attribute(ATTRIBUTE) == 60_000
    drv.Context.pop()
    del other


def test_a_functions_own_attribute_takes_precedence(context, device):
    kernel = library().get_kernel("nothing")
    function = kernel.function()
    function.set_attribute(ATTRIBUTE, 2048)
    kernel.set_attribute(ATTRIBUTE, 1024, device)
    assert function.get_attribute(ATTRIBUTE) == 2048
    assert kernel.get_attribute(ATTRIBUTE, device) == 1024


def test_attributes_that_cannot_be_set(device):
    kernel = library().get_kernel("nothing")
    for attribute, value in ((drv.function_attribute.NUM_REGS, 1), (ATTRIBUTE, -1), (ATTRIBUTE, 1 << 30)):
        with pytest.raises(drv.LogicError, match=f"kernel 'nothing', attribute {int(attribute)} on device 0 to {value}"):
            kernel.set_attribute(attribute, value, device)
    with pytest.raises(TypeError):
        kernel.get_attribute(ATTRIBUTE, 0)


def test_kernels_of_cpp_names(context):
    code = compile_source("template <class T> __global__ void set(T *x) { *x = 7; } template __global__ void set<int>(int *);", no_extern_c=True,
                          target="ptx")
    kernel, = drv.Library.from_buffer(code).kernels()
    assert "set<int>(int*)" in repr(kernel)
    x = np.zeros(1, np.int32)
    kernel(drv.InOut(x), block=(1, 1, 1))
    assert x[0] == 7


# ---- lifetimes


def test_a_kernel_keeps_its_library(context):
    kernel = library().get_kernel("scale")
    gc.collect()
    check_scale(kernel)
    assert kernel.library.get_kernel("scale").handle == kernel.handle
    function = kernel.function()
    del kernel
    gc.collect()
    check_scale(function)


def test_a_module_keeps_its_library(context):
    module = library().module()
    gc.collect()
    check_scale(module.get_function("scale"))


def test_the_module_is_the_same_object_while_it_is_in_use(context):
    library = drv.Library.from_buffer(SCALE)
    module = library.module()
    assert library.module() == module
    assert module != drv.Library.from_buffer(SCALE).module()


def test_libraries_outlive_contexts(device):
    context = device.make_context()
    library = drv.Library.from_buffer(SCALE)
    function, module = library.get_kernel("scale").function(), library.module()
    context.detach()
    for gone in (lambda: function.handle, lambda: module.handle, lambda: check_scale(function)):
        with pytest.raises(drv.LogicError, match="context that is gone"):
            gone()
    again = device.make_context()
    check_scale(library.get_kernel("scale"))
    drv.Context.pop()
    del again


def test_a_captured_kernel_stays_loaded_for_the_graph(context):
    stream, memory = drv.Stream(), drv.to_device(np.ones(4, np.float32))
    function = library().get_kernel("scale").function()
    with stream.capture() as graph:
        function(memory, np.float32(3), np.int32(4), block=(4, 1, 1), stream=stream)
    node = drv.Graph()
    node.kernel(function, (memory, np.float32(5), np.int32(4)), block=(4, 1, 1))
    del function
    gc.collect()
    assert_library_is_loaded(True)
    graph.instantiate().launch(stream)
    node.instantiate().launch(stream)
    stream.synchronize()
    assert drv.from_device(memory, 4, np.float32).tolist() == [15] * 4
    del graph, node
    assert_library_is_loaded(False)


def assert_library_is_loaded(expected):
    from pycuda import _driver

    for _ in range(200):
        gc.collect()
        if (_driver._live_handles("library") > 0) == expected:
            return
        threading.Event().wait(0.02)  # another thread releases what a graph kept
    raise AssertionError(f"expected a library: {expected}")


def test_kernels_in_flight_complete_before_their_library_is_unloaded(context):
    source = 'extern "C" __global__ void wait(volatile int *flag, int *done) { for (int i = 0; i < 2000000 && *flag; ++i) {} *done = 1; }'
    ptx = compile_source(source, target="ptx")
    flag, done = drv.to_device(np.ones(1, np.int32)), drv.to_device(np.zeros(1, np.int32))
    stream = drv.Stream()
    drv.Library.from_buffer(ptx).get_kernel("wait")(flag, done, block=(1, 1, 1), stream=stream)
    gc.collect()
    stream.synchronize()
    assert drv.from_device(done, 1, np.int32)[0] == 1


def test_threads_use_a_library_at_the_same_time(context):
    library, failures = drv.Library.from_buffer(SCALE), []

    def use():
        context.push()
        try:
            for _ in range(20):
                check_scale(library.get_kernel("scale"))
                assert library.module() == library.module()
        except BaseException as failure:
            failures.append(failure)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
