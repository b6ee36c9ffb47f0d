"""Every driver call of every operation fails once: fault_sweep/sweep.py, on the CPU device in a separate process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pycuda
import pytest

FOLDER = Path(__file__).parent / "fault_sweep"
LIBRARY = os.environ.get("PYCUDA_FAULTY_DRIVER") or str(Path(pycuda.__file__).parents[2] / "tests/faults/libfaulty_driver.so")


@pytest.fixture(scope="module")
def results():
    done = subprocess.run([sys.executable, str(FOLDER / "sweep.py"), LIBRARY], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def operations():
    text = "import sys; sys.path[:0] = sys.argv[1:]; import all_operations; print(*all_operations.OPERATIONS)"
    done = subprocess.run([sys.executable, "-c", text, str(FOLDER), str(FOLDER.parent)], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("name", operations())
def test_each_driver_call_fails_once(name, results):
    assert results[name]["problems"] == []


def test_the_sweep_covers_the_driver(results):
    assert sum(len(result["calls"]) for result in results.values()) > 800
    assert len({call for result in results.values() for call in result["calls"]}) > 100
