"""docs/testing_without_gpu.md, followed word for word in empty environments, with the wheel that ./dev wheel built.

Its indented lines are commands, and a `text` block is the file that the sentence before it names.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(900)  # packages are fetched
ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs/testing_without_gpu.md").read_text()
WHEELS = ROOT / "build/wheels"


@pytest.fixture
def folder(tmp_path):
    """With the files of the page, and the wheels where its commands look for them."""
    assert list(WHEELS.glob("pycuda_swig-*.whl")), "expected a wheel in build/wheels: run ./dev wheel first"
    for name, text in re.findall(r"`(test_\w+\.py)`:\n\n```text\n(.*?)```", PAGE, re.S):
        (tmp_path / name).write_text(text)
    (tmp_path / "build").mkdir()
    for name in ("build/wheels", "wheels"):
        (tmp_path / name).symlink_to(WHEELS)
    return tmp_path


def follow(folder, commands, **variables):
    """What the commands print, in one shell that stops at the first failure."""
    inherited = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PYTHON", "PYTEST", "PYCUDA", "CUDA_")) and name not in ("LD_LIBRARY_PATH", "VIRTUAL_ENV")}
    done = subprocess.run(["bash", "-euxo", "pipefail", "-c", "\n".join(commands)], cwd=folder, env={**inherited, **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_recipe_and_the_search_path(folder):
    commands = re.findall(r"^    (\S.*)$", re.sub(r"```.*?```", "", PAGE, flags=re.S), re.M)
    tests = [command for command in commands if command.endswith("-m pytest")]
    assert len(tests) == 1 and commands[-1].startswith("export LD_LIBRARY_PATH")
    printed = follow(folder, [*commands, "python -m pytest"])  # once more, by the search path
    assert re.findall(r"(\d+) passed", printed) == ["3", "3"], printed


def test_the_job(folder):
    job = re.search(r"```yaml\n(.*?)```", PAGE, re.S)[1]
    variables = dict(re.findall(r"^ +(PYCUDA_\w+): (\S+)$", job, re.M))
    assert variables
    here = ["python3 -m venv environment", ". environment/bin/activate"]  # what actions/setup-python does there
    printed = follow(folder, [*here, *re.findall(r"- run: (.*)", job)], **variables)
    assert "3 passed" in printed


def test_the_versions_are_those_that_acceptance_tests():
    required = (ROOT / "tests/acceptance/programs.py").read_text()
    named = re.findall(r"(numba-cuda(?:\[cu13\])?|cuda-\w+)==([\d.]+)", PAGE)
    assert {name for name, _ in named} == {"numba-cuda[cu13]", "cuda-bindings", "cuda-core"}
    assert [f"{name}=={version}" for name, version in named if f'"{name}=={version}"' not in required] == []
    shown = dict(re.findall(r"^\| (cuda\.bindings|cuda\.core|numba-cuda)[^|]*\| ([\d.]+)", PAGE, re.M))
    pins = {name.replace("[cu13]", "").replace("cuda-bindings", "cuda.bindings").replace("cuda-core", "cuda.core"): version
            for name, version in named}
    assert shown == pins
