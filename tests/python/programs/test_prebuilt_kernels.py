"""Kernels that come with the package, and the program that packs them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pycuda.driver as drv
import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKER = ROOT / "python/packaging/prebuilt_kernels.py"
NAME = "pycuda-kernels.fatbins"

ADD = """
import numpy as np
import pycuda.autoprimaryctx
import pycuda.gpuarray as gpuarray
a = gpuarray.to_gpu(np.arange(100, dtype=np.float32))
print(int((a + a).get().sum()))
"""


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    """Device headers and the file beside them, as in a wheel: for this device alone, which is quicker."""
    folder = tmp_path_factory.mktemp("package") / "include"
    shutil.copytree(ROOT / "core/device/include", folder)
    drv.init()
    major, minor = drv.Device(0).compute_capability()
    arch = "compute_75" if drv.driver_info().is_cpu_device else f"sm_{major}{minor}"
    packed = subprocess.run([sys.executable, PACKER, folder / NAME, "--archs", arch], capture_output=True, text=True)
    if "expected CUDA's tool fatbinary" in packed.stderr:
        pytest.skip(packed.stderr)
    assert packed.returncode == 0, packed.stderr
    return folder


def compiled(program, headers, cache, **environment):
    """How many kernels the program compiles with an empty cache."""
    done = subprocess.run([sys.executable, "-W", "ignore", *program], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYCUDA_DEVICE_INCLUDE_DIR": str(headers), "PYCUDA_CACHE_DIR": str(cache), **environment})
    assert done.returncode == 0, done.stderr
    assert done.stdout in ("", "9900\n")
    return len(list(cache.rglob("*.entry")))


def test_everyday_operations_compile_nothing(headers, tmp_path):
    assert compiled([PACKER, "--run"], headers, tmp_path) == 0
    assert compiled(["-c", ADD], headers, tmp_path) == 0


def test_other_operations_are_compiled(headers, tmp_path):
    assert compiled(["-c", ADD.replace("float32", "uint64")], headers, tmp_path) == 1


def test_what_the_driver_refuses_is_compiled(headers, tmp_path):
    damaged = tmp_path / "include"
    shutil.copytree(headers, damaged)
    content = (damaged / NAME).read_bytes()
    first, length, _ = content.split(b"\n", 2)
    images = len(first) + len(length) + 2 + int(length)
    (damaged / NAME).write_bytes(content[:images] + bytes(len(content) - images))
    assert compiled(["-c", ADD], damaged, tmp_path / "cache") == 1


def test_a_chosen_compiler_is_used(headers, tmp_path):
    assert compiled(["-c", ADD], headers, tmp_path, PYCUDA_COMPILER="nvrtc") == 1


BREAK = {
    "cut": lambda content: content[:-1],
    "cut in its index": lambda content: content[:100],
    "empty": lambda content: b"",
    "of another version": lambda content: content.replace(b"kernels 1", b"kernels 0", 1),
    "for another architecture": lambda content: content.replace(content.split(b"\n")[2], b"sm_10".ljust(len(content.split(b"\n")[2])), 1),
}


@pytest.mark.parametrize("how", BREAK)
def test_a_broken_or_foreign_file_is_not_used(headers, tmp_path, how):
    folder = Path(shutil.copytree(headers, tmp_path / "include"))
    (folder / NAME).write_bytes(BREAK[how]((headers / NAME).read_bytes()))
    assert compiled(["-c", ADD], folder, tmp_path / "cache") == 1


def test_reports_say_how_many_there_are(headers):
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", "pycuda", "--verbose"], capture_output=True, text=True, env={**os.environ, "PYCUDA_DEVICE_INCLUDE_DIR": str(headers)})
    line = next(line for line in done.stdout.splitlines() if "prebuilt kernels" in line)
    assert int(line.split(":")[1]) > 100
