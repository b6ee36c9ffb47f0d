"""Runs the test suite of the array API standard against pycuda.array_api: suite.py FOLDER [EXAMPLES]. FOLDER is a checkout of array-api-tests.

Expected failures, with reasons, are in xfails.txt beside this file.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import venv

VERSION = "2025.12"
#: What runs it. NumPy is that of the tests.
REQUIREMENTS = ["pytest==9.2.0", "pytest-json-report==1.5.0", "hypothesis==6.170.15", "ndindex==1.10.1"]
BUILD = pathlib.Path(__file__).resolve().parents[2] / "build" / "array-api"
XFAILS = pathlib.Path(__file__).with_name("xfails.txt")


def interpreter():
    """A virtual environment that has the requirements."""
    import numpy

    folder, wanted = BUILD / "venv", "\n".join([f"numpy=={numpy.__version__}", *REQUIREMENTS])
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    if not installed.exists() or installed.read_text() != wanted:
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted.split()], check=True)
        installed.write_text(wanted)
    return python


def copied(suite):
    """A copy that can be written to. Checkouts without the text of the standard, or without its older versions, do as well."""
    target = BUILD / "suite"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(suite, target)
    (target / "array-api" / "spec" / VERSION / "API_specification").mkdir(parents=True, exist_ok=True)
    stubs = target / "array-api" / "src" / "array_api_stubs"
    (stubs / "__init__.py").write_text("".join(f"from . import {path.name}\n" for path in sorted(stubs.glob("_2*"))))
    return target


def main():
    suite, examples = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "30"
    if not (suite / "array_api_tests").is_dir():
        sys.exit(f"expected a checkout of array-api-tests, found no folder array_api_tests in {suite}")
    BUILD.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": "exec('import pycuda.autoinit; import pycuda.array_api as xp')",
                   "ARRAY_API_TESTS_VERSION": VERSION}
    # A deadline would be that of the first compilation of a kernel.
    command = [interpreter(), "-m", "pytest", "array_api_tests", "-q", "--tb=short", "-p", "no:cacheprovider", "--max-examples", examples, "--disable-deadline",
               "--xfails-file", XFAILS, "--disable-warnings"]
    sys.exit(subprocess.run(command, cwd=copied(suite), env=environment).returncode)


if __name__ == "__main__":
    main()
