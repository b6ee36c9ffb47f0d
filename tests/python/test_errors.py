import builtins
import pickle

import pycuda._driver
import pycuda.driver as drv
import pytest


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


def test_what_to_do_without_a_context():
    with pytest.raises(drv.LogicError, match="no context is current on this thread: import pycuda.autoinit"):
        drv.Context.synchronize()


def test_what_to_do_before_init(run_python):
    result = run_python("import pycuda.driver as drv; drv.Device.count()")
    assert "CUDA is not initialized: import pycuda.autoinit, or call pycuda.driver.init()" in result.stderr


def test_runtime_errors_are_pythons_too():
    assert issubclass(drv.RuntimeError, builtins.RuntimeError)
