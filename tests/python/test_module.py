import gc

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE


def run_scale(module):
    y = np.arange(10, dtype=np.float32)
    module.get_function("scale")(drv.InOut(y), np.float32(3), np.int32(10), block=(32, 1, 1))
    assert (y == 3 * np.arange(10)).all()


@pytest.mark.parametrize("form", [str, str.encode, lambda t: bytearray(t.encode()), lambda t: np.frombuffer(t.encode(), np.uint8),
                                  lambda t: t.encode() + b"\0"])
def test_from_buffer(context, form):
    run_scale(drv.module_from_buffer(form(SCALE)))


def test_from_file(context, tmp_path):
    path = tmp_path / "kernel.ptx"
    path.write_text(SCALE)
    run_scale(drv.module_from_file(str(path)))
    run_scale(drv.module_from_file(path))


def test_missing_file(context, tmp_path):
    with pytest.raises(drv.RuntimeError, match="no-such-file"):
        drv.module_from_file(str(tmp_path / "no-such-file.ptx"))


def test_options_and_message_handler(context):
    messages = []
    module = drv.module_from_buffer(SCALE, options=[(drv.jit_option.OPTIMIZATION_LEVEL, 2), (drv.jit_option.MAX_REGISTERS, 32)],
                                    message_handler=lambda *message: messages.append(message))
    run_scale(module)
    (success, info, error), = messages
    assert success is True and isinstance(info, str) and isinstance(error, str)


def test_message_handler_hears_of_failure(context):
    messages = []
    with pytest.raises(drv.Error) as caught:
        drv.module_from_buffer(SCALE.replace("mul.f32", "mull.f32"), message_handler=lambda *message: messages.append(message))
    (success, _, error), = messages
    assert success is False and "mull" in error
    assert "mull" in str(caught.value)


def test_exceptions_of_the_handler_propagate(context):
    with pytest.raises(ZeroDivisionError):
        drv.module_from_buffer(SCALE, message_handler=lambda *message: 1 / 0)


def test_bad_options(context):
    for options in (5, [5], [(drv.jit_option.MAX_REGISTERS,)], [("MAX_REGISTERS", 3)], [(drv.jit_option.MAX_REGISTERS, "many")]):
        with pytest.raises(TypeError):
            drv.module_from_buffer(SCALE, options)


def test_data_that_is_not_a_module(context):
    with pytest.raises(drv.Error):
        drv.module_from_buffer(b"neither PTX nor a cubin")
    with pytest.raises(TypeError):
        drv.module_from_buffer(5)


def test_the_error_for_an_unknown_function_lists_known_ones(context):
    module = drv.module_from_buffer(SCALE)
    with pytest.raises(drv.LogicError, match="no_such_kernel") as caught:
        module.get_function("no_such_kernel")
    assert "scale" in str(caught.value)


def test_get_global(context):
    module = drv.module_from_buffer(SCALE)
    pointer, size = module.get_global("table")
    assert size == 16
    assert list(drv.from_device(pointer, 4, np.float32)) == [1, 2, 3, 4]
    with pytest.raises(drv.LogicError, match="no_such_global"):
        module.get_global("no_such_global")


def test_function_keeps_its_module(context):
    function = drv.module_from_buffer(SCALE).get_function("nothing")
    gc.collect()
    function(block=(1, 1, 1))
    context.synchronize()


def test_needs_a_context():
    with pytest.raises(drv.LogicError):
        drv.module_from_buffer(SCALE)


def test_cubin_on_the_cpu_device(context, is_cpu_device):
    if not is_cpu_device:
        pytest.skip("this is about the CPU device")
    elf = b"\x7fELF\x02\x01\x01" + bytes(57)
    with pytest.raises(drv.Error, match="no kernel image is available") as caught:
        drv.module_from_buffer(elf)
    assert caught.value.code == 209
