"""Start-up: which driver is opened, which messages there are, and what fails when."""

IMPORT = "import pycuda.driver as drv\n"


def test_import_needs_no_gpu(run_python):
    done = run_python(IMPORT + "print('fine')", PYCUDA_DRIVER="cuda", CUDA_VISIBLE_DEVICES="")
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_importing_does_not_warn_even_when_warnings_are_errors(run_python):
    done = run_python("import warnings; warnings.simplefilter('error')\n" + IMPORT + "print('fine')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")


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
