"""``python -m pycuda.cpu``: other programs load the CPU device as ``libcuda.so.1``."""

import os
import subprocess
import sys
from pathlib import Path

import pycuda.cpu

DEVICE_NAME = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
name = ctypes.create_string_buffer(100)
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetName(name, 100, 0) == 0
print(name.value.decode())
"""


def run(*arguments, **variables):
    return subprocess.run([sys.executable, "-m", "pycuda.cpu", *arguments], env={**os.environ, **variables}, capture_output=True,
                          text=True, timeout=120)


def test_the_driver_that_a_command_opens_is_the_cpu_device():
    done = run(sys.executable, "-c", DEVICE_NAME)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PyCUDA CPU device")


def test_pycuda_in_a_command_uses_the_same_device():
    done = run(sys.executable, "-c", DEVICE_NAME + "import pycuda.driver as drv\ndrv.init()\n"
               "print(drv.driver_info().is_cpu_device, open('/proc/self/maps').read().count('libpycuda_cpu.so') > 0)")
    assert done.stdout.splitlines()[1:] == ["True True"], done.stderr


def test_the_exit_status_is_the_commands():
    assert run(sys.executable, "-c", "raise SystemExit(7)").returncode == 7


def test_an_unknown_command_is_reported():
    done = run("no-such-command")
    assert (done.returncode, done.stderr) == (127, "python -m pycuda.cpu: no-such-command: No such file or directory\n")
    for arguments in ((), ("--what",)):
        assert run(*arguments).returncode == 2
        assert "usage: python -m pycuda.cpu COMMAND" in run(*arguments).stderr
    assert "usage: python -m pycuda.cpu COMMAND" in run("--help").stdout


def test_the_folder_is_for_the_search_path_of_libraries():
    folder = run("--folder").stdout.strip()
    assert folder == pycuda.cpu.library_folder()
    assert (Path(folder) / "libcuda.so.1").exists()
    done = subprocess.run([sys.executable, "-c", DEVICE_NAME], env={**os.environ, "LD_LIBRARY_PATH": folder}, capture_output=True, text=True)
    assert done.stdout.startswith("PyCUDA CPU device"), done.stderr


def test_the_inherited_environment_is_kept():
    folder = pycuda.cpu.library_folder()
    assert pycuda.cpu.environment({"A": "b"}) == {"A": "b", "LD_LIBRARY_PATH": folder, "PYCUDA_DRIVER": "cpu"}
    assert pycuda.cpu.environment({"LD_LIBRARY_PATH": "/x:/y"})["LD_LIBRARY_PATH"] == f"{folder}:/x:/y"
    assert pycuda.cpu.environment()["PATH"] == os.environ["PATH"]
