import builtins
import os
import pickle

import numpy as np
import pycuda._driver
import pycuda.driver as drv
import pytest
from pycuda.compiler import compile


def test_family():
    assert issubclass(drv.Error, Exception)
    for name in ("LogicError", "MemoryError", "LaunchError", "RuntimeError", "CompileError"):
        cls = getattr(drv, name)
        assert issubclass(cls, drv.Error)
        assert cls is getattr(pycuda._driver, name)
        assert (cls.__module__, cls.__name__) == ("pycuda.driver", name)
    assert not issubclass(drv.MemoryError, builtins.MemoryError)


def test_driver_failures_carry_code_and_routine():
    with pytest.raises(drv.LogicError, match="^cuDeviceGet failed: invalid device ordinal") as caught:
        drv.Device(999)
    assert (caught.value.code, caught.value.routine) == (101, "cuDeviceGet")


def test_out_of_memory(context):
    with pytest.raises(drv.MemoryError, match="^cuMemAlloc failed: out of memory.*1152921504606846976") as caught:
        drv.mem_alloc(1 << 60)
    assert caught.value.code == 2


def test_without_a_context():
    with pytest.raises(drv.LogicError, match="context"):
        drv.mem_alloc(4)


def test_raised_from_python():
    error = drv.LogicError("a mistake")
    assert str(error) == "a mistake"
    assert (error.code, error.routine) == (0, "")


def test_compile_error_reads_well():
    error = drv.CompileError("nvcc failed", ["nvcc", "-O3", "kernel.cu"], stdout="", stderr="kernel.cu(1): error: no\n")
    assert (error.msg, error.command_line, error.stdout) == ("nvcc failed", ["nvcc", "-O3", "kernel.cu"], "")
    text = str(error)
    assert text.startswith("nvcc failed\n")
    assert "nvcc -O3 kernel.cu" in text and "kernel.cu(1): error: no" in text and "stdout" not in text


@pytest.mark.parametrize("error", [drv.LogicError("x"), drv.CompileError("m", ["c"], "o", "e")])
def test_pickle(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error)


def test_advice_without_a_context(contexts_to_share):
    contexts_to_share.clear()  # no context exists
    with pytest.raises(drv.LogicError, match="no context is current on this thread: import pycuda.autoinit"):
        drv.Context.synchronize()


def test_advice_before_init(run_python):
    result = run_python("import pycuda.driver as drv; drv.Device.count()")
    assert "CUDA is not initialized: import pycuda.autoinit, or call pycuda.driver.init()" in result.stderr


def test_runtime_errors_derive_from_pythons():
    assert issubclass(drv.RuntimeError, builtins.RuntimeError)


def test_classes_have_the_name_of_the_public_module():
    names = [name for name, cls in vars(drv).items()
             if isinstance(cls, type) and not name.startswith("_") and not issubclass(cls, int) and cls.__module__ != "pycuda.driver"]
    assert names == []
    assert pickle.loads(pickle.dumps(drv.LaunchError("text"))).args == ("text",)


@pytest.mark.parametrize("call, message", [
    (lambda: drv.Event("x"), r"Event: wrong number or types of arguments: expected Event\(int\) or Event\(\), given \(str\)"),
    (lambda: drv.Device(None), r"Device: wrong number or types of arguments: expected Device\(int\) or Device\(str\), given \(NoneType\)"),
    (lambda: drv.Event().synchronize(1), "Event.synchronize"),
    (lambda: drv.Stream().wait_for_event(5), "^Stream.wait_for_event: expected Event, not int"),
    (lambda: drv.Context.enable_peer_access("x"), r"Context.enable_peer_access: .*expected Context"),
    (lambda: drv.Array(5), r"Array: wrong number or types of arguments: expected Array\(ArrayDescriptor\) or Array\(ArrayDescriptor3D\)"),
    (lambda: drv.Linker().add_data(b"", "PTX"), r"expected Linker.add_data\(buffer, jit_input_type, str\) or"),
    (lambda: setattr(drv.ArrayDescriptor(), "format", "FLOAT"), "^expected array_format or an int, not str"),
    (lambda: drv.pagelocked_empty(3.5, np.float32), "^shape must be an integer or a sequence of integers, not float"),
    (lambda: drv.Memcpy2D().set_src_array(5), "^set_src_array: expected Array, not int"),
    (lambda: drv.Memcpy2D().set_src_unified(), "set_src_unified"),
])
def test_messages_for_wrong_arguments_name_python_types(context, call, message):
    with pytest.raises(TypeError, match=message) as caught:
        call()
    for foreign in ("::", "std", "const", "C++", "*", "&", "shared_ptr"):
        assert foreign not in str(caught.value)


def test_a_stream_of_another_context_is_reported(device):
    first = device.make_context()
    stream = drv.Stream()
    second = device.make_context()
    with pytest.raises(drv.LogicError, match="the stream belongs to another context"):
        drv.Event().record(stream)
    for context in (second, first):
        context.detach()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on Windows")
def test_use_after_fork_is_reported(run_python):
    result = run_python("""
import os, sys, warnings
warnings.simplefilter("ignore")
import pycuda.autoinit, pycuda.driver as drv
child = os.fork()
if child == 0:
    try:
        drv.mem_alloc(16)
    except drv.LogicError as error:
        sys.stdout.write(str(error))
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
""")
    assert "forked" in result.stdout and "multiprocessing.get_context('spawn')" in result.stdout, result.stderr


@pytest.mark.parametrize("where", ["source", "arch", "code", "options", "include_dirs"])
def test_a_nul_in_what_is_compiled(where):
    """Compilers would leave out what follows it."""
    given = {"source": "", "arch": "sm_90", where: ["a\0b"] if where in ("options", "include_dirs") else "a\0b"}
    with pytest.raises(ValueError, match="NUL characters for .*, given one at position 1|null character"):
        compile(**given)
