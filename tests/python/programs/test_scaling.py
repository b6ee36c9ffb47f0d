"""The examples for many devices, on CPU devices or on all GPUs of a host."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pycuda.driver as drv
import pytest

SCALING = Path(__file__).resolve().parents[3] / "examples" / "scaling"


@pytest.fixture
def run(tmp_path):
    def run(*command, **variables):
        environment = {**os.environ, "PYCUDA_CPU_DEVICES": "3", "PYCUDA_CPU_THREADS": "1", **variables}
        done = subprocess.run([str(part) for part in command], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout.splitlines()

    return run


@pytest.mark.parametrize("pointers,given", [("host", "page-locked"), (None, "device")])
def test_heat_on_three_ranks(run, is_cpu_device, pointers, given):
    """The program itself compares each result with that of a single device."""
    pytest.importorskip("mpi4py")
    mpiexec = Path(sys.executable).with_name("mpiexec")
    if not mpiexec.exists():
        pytest.skip(f"MPICH of pip is not installed: no {mpiexec}")
    options = ["--pointers", pointers] if pointers else []
    lines = run(mpiexec, "-n", 3, sys.executable, SCALING / "heat_mpi.py", "--size", 48, "--steps", 20, *options)
    title, _, *rows = (line for line in lines if not line.startswith("["))  # MPICH's transport logs messages if shared memory is missing
    assert [row.split()[0] for row in rows] == ["1", "2", "3"]
    if pointers or is_cpu_device:
        assert f"{given} memory given to MPI" in title


def test_map_reduce_loses_a_worker(run, is_cpu_device):
    """The program itself compares the result with the one from before a worker was killed."""
    pytest.importorskip("distributed")
    devices = min(drv.Device.count(), 2) if not is_cpu_device else 2
    _, _, row = run(sys.executable, SCALING / "dask_map_reduce.py", "--points", 64_000, "--keep", 0, "--devices", devices)
    number, _, _, moved, _, all_chunks, pi = row.split()
    assert number == str(devices)
    assert moved == all_chunks  # no chunk stays on a device
    assert abs(float(pi) - 3.14) < 0.05


def test_guide(run):
    """The program in docs/scaling.md, on as many devices as there are."""
    pytest.importorskip("distributed")
    program, = re.findall(r"^```py\n(.*?)^```$", (SCALING.parents[1] / "docs" / "scaling.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    printed = run(sys.executable, "-c", program, PYCUDA_CPU_DEVICES="1")
    variances = [float(number) / 20_000 for number in re.findall(r"\d+\.\d*", "".join(printed))]
    assert len(variances) == 100 and all(abs(variance - 1 / 12) < 0.01 for variance in variances)
