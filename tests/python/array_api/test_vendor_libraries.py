"""Products, linalg and fft through cuBLAS, cuSOLVER and cuFFT: NVIDIA's libraries on a GPU if they are installed, else a library that calls back into the test.

The cases run in separate processes, because the libraries are searched for only once: first all tests of linalg and fft again, then vendor_cases.py.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pycuda
import pytest

HERE = Path(__file__).parent
FAKE = os.environ.get("PYCUDA_FAKE_VENDOR") or str(Path(pycuda.__file__).parents[2] / "tests/vendor/libfake_vendor.so")
OTHER = "kernel32.dll" if sys.platform == "win32" else "libc.so.6"
ON_GPU = os.environ.get("PYCUDA_DRIVER") == "cuda"


def run(*arguments, **settings):
    library = dict.fromkeys(("PYCUDA_CUBLAS", "PYCUDA_CUSOLVER", "PYCUDA_CUFFT"), "1" if ON_GPU else FAKE)
    environment = {**os.environ, **library, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}", **settings}
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=280)


def pytest_of(*files, **settings):
    plugin = () if ON_GPU else ("-p", "fake_vendor")
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *plugin, *(str(HERE / file) for file in files), **settings)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.fixture(autouse=True)
def libraries():
    if ON_GPU:
        found = run("-c", "import pycuda.autoinit, pycuda.array_api as xp; xp.linalg.inv(xp.eye(2)); xp.fft.fft(xp.ones(4)); xp.eye(2) @ xp.eye(2)")
        if "was not found in any CUDA toolkit" in found.stderr:
            pytest.skip("cuBLAS, cuSOLVER or cuFFT is not installed")


def test_linalg_through_the_library():
    # With NaN, cuSOLVER may report that it found no values; vendor_cases.py tests that.
    pytest_of("test_linalg.py", PYTEST_ADDOPTS="-k 'not nan_and_infinity_terminate'")


def test_fft_through_the_library():
    pytest_of("test_fft.py")


def test_operations_that_need_a_library():
    pytest_of("vendor_cases.py")


SMALL = "import pycuda.autoinit, pycuda.array_api as xp; print(float(xp.linalg.det(xp.eye(3) @ xp.eye(3))), xp.fft.fft(xp.ones(2)).get().tolist())"


@pytest.mark.parametrize("value", ("0", ""))
def test_our_kernels_need_no_library(value):
    done = run("-c", SMALL, PYCUDA_CUBLAS=value, PYCUDA_CUSOLVER=value, PYCUDA_CUFFT=value)
    assert done.stdout.split("\n")[0] == "1.0 [(2+0j), 0j]", done.stderr


@pytest.mark.parametrize(("variable", "title"), (("PYCUDA_CUBLAS", "cuBLAS"), ("PYCUDA_CUSOLVER", "cuSOLVER"), ("PYCUDA_CUFFT", "cuFFT")))
@pytest.mark.parametrize(("value", "message"), (
    ("/nowhere/lib.so", "cannot be loaded: .*nowhere"), (OTHER, "does not have the function cu"),
))
def test_a_required_library_must_exist(variable, title, value, message):
    done = run("-c", SMALL, **{variable: value})
    assert done.returncode == 1
    assert re.search(f"RuntimeError: .*{title} .*{message}", done.stderr), done.stderr


@pytest.mark.skipif(ON_GPU, reason="is about the CPU device")
def test_the_cpu_device_has_no_such_library():
    done = run("-c", SMALL, PYCUDA_CUSOLVER="1")
    assert "needs an NVIDIA GPU" in done.stderr and "unset PYCUDA_CUSOLVER" in done.stderr
