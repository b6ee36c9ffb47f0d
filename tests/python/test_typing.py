"""Type checkers in strict mode, on the examples, on a program with types, and on the stubs compared with the package."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pycuda
import pytest

PACKAGE = Path(pycuda.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("typed_program.py")
# Other libraries that this package works with are not installed.
EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.stem != "interoperation"]
#: Public modules that have stubs, except those that need other libraries, or create a context when stubtest imports them.
MODULES = sorted(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in PACKAGE.rglob("*.pyi")
                 if not path.stem.startswith(("_", "auto")) and path.stem != "dask")

#: Where the stubs intentionally differ from the package.
ALLOWED = r"""
# What SWIG gives to classes of which functions make the objects.
pycuda\.driver\.(?!Memcpy|Stream|Event|Array|Mipmapped|Texture|Surface|Device\b)\w+\.__init__
pycuda\.driver\.(StreamOrderedAllocation|DeviceAllocation|SurfaceReference)\.__init__
# Attributes by name, of which the table of constants makes properties.
pycuda\.driver\.(Device|Function)\.__getattr__
# Python has it from 3.12 on.
pycuda\.driver\.\w+\.__buffer__
# Properties of the base class, and each object's own.
pycuda\.sparse\.operator\.IdentityOperator\.(dtype|shape)
# None until a subclass's __init__ has run.
pycuda\.compiler\.CudaModule\.module
"""


def run(module, *arguments, cwd=ROOT, **environment):
    if importlib.util.find_spec(module.split(".")[0]) is None:
        pytest.skip(f"{module} is not installed")
    return subprocess.run([sys.executable, "-m", module, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=280,
                          env={**os.environ, "MYPYPATH": str(PACKAGE.parent), "NO_COLOR": "1", **environment})


def test_mypy(tmp_path):
    done = run("mypy", f"--cache-dir={tmp_path}", PROGRAM, *EXAMPLES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright():
    done = run("basedpyright", "--project", ROOT / "pyproject.toml")
    assert done.returncode == 0 and "0 errors" in done.stdout, done.stdout + done.stderr


def test_stubs_match_the_package(tmp_path):
    (tmp_path / "allowed").write_text(ALLOWED)
    done = run("mypy.stubtest", *MODULES, "--ignore-missing-stub", "--ignore-unused-allowlist", "--concise",
               f"--allowlist={tmp_path / 'allowed'}", cwd=tmp_path)  # its cache goes to the current folder
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_public_module_has_types():
    modules, stubs = ({path.stem for path in PACKAGE.rglob(pattern) if not any(part.startswith("_") for part in path.relative_to(PACKAGE).parts)}
                      for pattern in ("*.py", "*.pyi"))
    assert (PACKAGE / "py.typed").exists()
    assert modules == stubs


def test_the_program_runs():
    done = run("typed_program", PYTHONPATH=os.pathsep.join([str(PROGRAM.parent), os.environ.get("PYTHONPATH", "")]))
    assert done.returncode == 0, done.stderr
