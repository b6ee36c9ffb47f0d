import os

import pytest

import pycuda
import pycuda.driver as drv


def test_package_version():
    assert pycuda.VERSION == (2026, 1)
    assert pycuda.VERSION >= (0, 93)
    assert pycuda.VERSION_STATUS == ""
    assert pycuda.VERSION_TEXT == "2026.1"


def test_files_of_pycuda_in_the_same_folder_are_reported(run_python, tmp_path):
    (tmp_path / "_driver.cpython-311-x86_64-linux-gnu.so").touch()
    (tmp_path / "_driver.py").touch()
    with pytest.raises(ImportError, match="two packages: _driver.cpython-311-x86_64-linux-gnu.so belongs to PyCUDA"):
        pycuda._check_installation(str(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="Windows has one C library")
def test_another_c_library_is_rejected_with_an_explanation(run_python):
    done = run_python("""
import os, sys
def confstr(name):
    raise ValueError("unrecognized configuration name")
os.confstr = confstr
try:
    import pycuda.driver
except ImportError as error:
    print(error, "pycuda._native" in sys.modules)
""")
    assert done.stdout.startswith("pycuda needs Windows, or Linux with the GNU C library") and done.stdout.endswith("False\n"), done.stderr


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
