"""``python -m pycuda.cpu``: other programs load the CPU device as ``libcuda.so.1``."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pycuda.cpu

WINDOWS = sys.platform == "win32"
DRIVER, FOLDERS = ("nvcuda.dll", "PATH") if WINDOWS else ("libcuda.so.1", "LD_LIBRARY_PATH")
DEVICE_NAME = f"""
import ctypes
cuda = ctypes.CDLL("{DRIVER}", winmode=0)  # which searches PATH
name = ctypes.create_string_buffer(100)
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetName(name, 100, 0) == 0
print(name.value.decode())
"""

LOADED = "ctypes.windll.kernel32.GetModuleHandleW('pycuda_cpu.dll') != 0" if WINDOWS else "open('/proc/self/maps').read().count('libpycuda_cpu.so') > 0"


def search_path(inherited=""):
    """Of libraries, with the CPU device as the driver."""
    folder = Path(pycuda.cpu.library_folder())
    return os.pathsep.join([*map(str, [folder, folder.parent] if WINDOWS else [folder]), *filter(None, [inherited])])


def run(*arguments, **variables):
    return subprocess.run([sys.executable, "-m", "pycuda.cpu", *arguments], env={**os.environ, **variables}, capture_output=True,
                          text=True, timeout=120)


def test_the_driver_that_a_command_opens_is_the_cpu_device():
    done = run(sys.executable, "-c", DEVICE_NAME)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PyCUDA CPU device")


def test_pycuda_in_a_command_uses_the_same_device():
    done = run(sys.executable, "-c", DEVICE_NAME + "import pycuda.driver as drv\ndrv.init()\n"
               f"print(drv.driver_info().is_cpu_device, {LOADED})")
    assert done.stdout.splitlines()[1:] == ["True True"], done.stderr


def test_the_exit_status_is_the_commands():
    assert run(sys.executable, "-c", "raise SystemExit(7)").returncode == 7


def test_an_unknown_command_is_reported():
    done = run("no-such-command")
    reason = ".+" if WINDOWS else "No such file or directory"
    assert done.returncode == 127 and re.fullmatch(f"python -m pycuda.cpu: no-such-command: {reason}\n", done.stderr), done.stderr
    for arguments in ((), ("--what",)):
        assert run(*arguments).returncode == 2
        assert "usage: python -m pycuda.cpu COMMAND" in run(*arguments).stderr
    assert "usage: python -m pycuda.cpu COMMAND" in run("--help").stdout


def test_the_folder_is_for_the_search_path_of_libraries():
    folder = run("--folder").stdout.strip()
    assert folder == pycuda.cpu.library_folder()
    assert (Path(folder) / DRIVER).exists()
    done = subprocess.run([sys.executable, "-c", DEVICE_NAME], env={**os.environ, FOLDERS: search_path(os.environ.get(FOLDERS, ""))}, capture_output=True, text=True)
    assert done.stdout.startswith("PyCUDA CPU device"), done.stderr


def test_the_inherited_environment_is_kept():
    assert pycuda.cpu.environment({"A": "b"}) == {"A": "b", FOLDERS: search_path(), "PYCUDA_DRIVER": "cpu"}
    assert pycuda.cpu.environment({FOLDERS: f"/x{os.pathsep}/y"})[FOLDERS] == search_path(f"/x{os.pathsep}/y")
    assert pycuda.cpu.environment()["PATH"].endswith(os.environ["PATH"])
