"""Start-up: which driver is opened, which messages there are, and what fails when."""

from pathlib import Path

IMPORT = "import pycuda.driver as drv\n"


def test_import_needs_no_gpu(run_python):
    done = run_python(IMPORT + "print('fine')", PYCUDA_DRIVER="cuda", CUDA_VISIBLE_DEVICES="")
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_importing_does_not_warn_even_when_warnings_are_errors(run_python):
    done = run_python("import warnings; warnings.simplefilter('error')\n" + IMPORT + "print('fine')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


def test_the_core_finds_the_device_headers_before_anything_compiles(run_python):
    done = run_python("from pycuda import _driver; print(_driver.device_include_dir())")
    assert Path(done.stdout.strip(), "pycuda-complex.hpp").exists(), done.stderr


LAZY_IMPORTS = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
assert pycuda.autoinit.context
print(int(gpuarray.sum(gpuarray.to_gpu(np.arange(9, dtype=np.float32)) + 1).get()), len(drv.mem_alloc(64).__dlpack_device__()))
"""


def test_all_imports_may_be_lazy(run_python):
    """From CPython 3.15 on this variable makes all imports lazy (PEP 810)."""
    done = run_python(LAZY_IMPORTS, PYTHON_LAZY_IMPORTS="all")
    assert done.stdout == "45 2\n", done.stderr


COUNT_WARNINGS = IMPORT + """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    drv.init()
    drv.init()
    drv.Device(0)
print([(w.category.__name__, w.filename) for w in caught], drv.driver_info().is_cpu_device)
"""


def test_the_fallback_warns_exactly_once(run_python):
    done = run_python(COUNT_WARNINGS, PYCUDA_DRIVER="auto", CUDA_VISIBLE_DEVICES="")
    assert done.stdout == "[('UserWarning', '<string>')] True\n", done.stderr


def test_requesting_the_cpu_device_does_not_warn(run_python):
    done = run_python(COUNT_WARNINGS, PYCUDA_DRIVER="cpu")
    assert done.stdout == "[] True\n", done.stderr


def test_unknown_driver_is_a_logic_error(run_python):
    done = run_python(IMPORT + "try: drv.init()\nexcept drv.LogicError as e: print(e)", PYCUDA_DRIVER="abacus")
    assert "abacus" in done.stdout, done.stderr


def test_use_before_init_is_a_logic_error(run_python):
    done = run_python(IMPORT + "try: drv.Device(0)\nexcept drv.LogicError as e: print(e.routine, e.code)")
    assert done.stdout == "cuDeviceGet 3\n", (done.stdout, done.stderr)
