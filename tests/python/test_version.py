import pycuda
import pycuda.driver as drv


def test_package_version():
    assert pycuda.VERSION == (2026, 1)
    assert pycuda.VERSION >= (0, 93)
    assert pycuda.VERSION_STATUS == ""
    assert pycuda.VERSION_TEXT == "2026.1"


def test_importing_the_package_alone_is_light(run_python):
    done = run_python("import pycuda, sys; print([m for m in ('numpy', 'pycuda._native') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_cuda_version():
    version = drv.get_version()
    assert len(version) == 3 and all(isinstance(part, int) for part in version)
    assert version >= (13, 0, 0)


def test_driver_version():
    assert isinstance(drv.get_driver_version(), int)
    assert drv.get_driver_version() >= 12000
