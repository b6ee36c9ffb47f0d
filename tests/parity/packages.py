"""Runs a program of this folder in either language, with ctest's configuration."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
JAVA = os.environ.get("PYCUDA_JAVA", "java")
TIMEOUT = 120


def command(language, program, *arguments):
    """`program` is the name in Python, e.g. "scenario"; in Java it is the class of that name, capitalised."""
    if language == "python":
        return [sys.executable, str(HERE / f"{program}.py"), *arguments]
    # The client compiler starts faster, and these programs are short. The class path comes from the environment.
    library = os.environ.get("PYCUDA_JAVA_LIBRARY")
    flags = ["-XX:TieredStopAtLevel=1", *([f"-Dorg.pycuda.library={library}"] if library else [])]
    return [JAVA, *flags, program.capitalize(), *arguments]


def run(language, program, *arguments, **environment):
    """(exit status, standard output, standard error)"""
    done = subprocess.run(command(language, program, *arguments), env={**os.environ, **environment}, timeout=TIMEOUT,
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr
