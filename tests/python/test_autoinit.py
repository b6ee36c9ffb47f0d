"""pycuda.autoinit, pycuda.autoprimaryctx and pycuda.tools' choice of a device."""

import pytest

QUIET = "import warnings; warnings.simplefilter('ignore')\n"


@pytest.mark.parametrize("module", ["autoinit", "autoprimaryctx"])
def test_context_and_device(run_python, module):
    done = run_python(QUIET + f"""
import pycuda.{module} as module, pycuda.driver as drv
print(drv.Context.get_current() == module.context, module.device == drv.Device(0), drv.mem_alloc(16) is not None)
import pycuda.{module}
print(drv.Context.get_current() == module.context)
""")
    assert done.stdout.split() == ["True"] * 4, done.stderr


def test_primary_context_is_the_primary_one(run_python):
    done = run_python(QUIET + """
import pycuda.autoprimaryctx as auto
print(auto.device.retain_primary_context() == auto.context)
""")
    assert done.stdout.split() == ["True"], done.stderr


MAKE = QUIET + """
import pycuda.driver as drv
from pycuda.tools import make_default_context
drv.init()
try:
    context = make_default_context()
    print(context.get_device() == drv.Device(DEVICE), drv.Context.get_current() == context)
except Exception as error:
    print(type(error).__name__)
"""


def test_the_environment_selects_the_device(run_python):
    two = {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_DEVICES": "2"}
    assert run_python(MAKE.replace("DEVICE", "0"), CUDA_DEVICE=None, HOME="/nonexistent", **two).stdout.split() == ["True", "True"]
    assert run_python(MAKE.replace("DEVICE", "1"), CUDA_DEVICE="1", **two).stdout.split() == ["True", "True"]
    assert run_python(MAKE, CUDA_DEVICE="7", **two).stdout.split() == ["LogicError"]
    assert run_python(MAKE, CUDA_DEVICE="first", **two).stdout.split() == ["ValueError"]


@pytest.mark.parametrize("name", [".cuda_device", ".cuda-device"])
def test_the_file_selects_the_device(run_python, tmp_path, name):
    (tmp_path / name).write_text("1\n")
    done = run_python(MAKE.replace("DEVICE", "1"), CUDA_DEVICE=None, HOME=str(tmp_path), PYCUDA_DRIVER="cpu",
                      PYCUDA_CPU_DEVICES="2")
    assert done.stdout.split() == ["True", "True"], done.stderr
    (tmp_path / name).write_text("first\n")
    done = run_python(MAKE, CUDA_DEVICE=None, HOME=str(tmp_path), PYCUDA_DRIVER="cpu")
    assert done.stdout.split() == ["ValueError"], done.stderr


def test_context_maker(run_python):
    done = run_python(QUIET + """
import pycuda.driver as drv
from pycuda.tools import make_default_context
drv.init()
tried = []
def maker(dev):
    tried.append(dev)
    if len(tried) == 1:
        raise drv.LogicError("busy")
    return dev.make_context()
make_default_context(maker)
print([d == drv.Device(i) for i, d in enumerate(tried)])
def never(dev):
    raise drv.LogicError("busy")
try:
    make_default_context(never)
except drv.RuntimeError as error:
    print("busy" in str(error))
""", PYCUDA_DRIVER="cpu", PYCUDA_CPU_DEVICES="2", CUDA_DEVICE=None, HOME="/nonexistent")
    assert done.stdout == "[True, True]\nTrue\n", done.stderr


def test_get_default_device_is_deprecated(run_python):
    done = run_python("""
import warnings
import pycuda.driver as drv
from pycuda.tools import get_default_device
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    drv.init()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(get_default_device() == drv.Device(0), [w.category.__name__ for w in caught])
""", CUDA_DEVICE=None, HOME="/nonexistent")
    assert done.stdout == "True ['DeprecationWarning']\n", done.stderr
