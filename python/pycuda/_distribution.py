"""Lets packages that depend on the distribution `pycuda` find this one, at the user's request."""

import importlib.metadata
import os
import shutil
from pathlib import Path

import pycuda

_OWN = "pycuda-swig"
# As in the wheel that python/stand_in builds. The local label distinguishes it from PyCUDA's own.
_VERSION = f"{pycuda.VERSION_TEXT}+swig"


def _is_ours(distribution):
    return distribution.version.endswith("+swig")


def _environment():
    """The folder that this package was installed into."""
    try:
        folder = Path(importlib.metadata.distribution(_OWN).locate_file(""))
        if os.path.samefile(folder / "pycuda", Path(pycuda.__file__).parent):
            return folder
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError):
        pass
    raise RuntimeError(f"{pycuda.__file__} was not installed by pip, so there is no environment to write to: pip install {_OWN}")


def provide_distribution():
    """Write a distribution `pycuda` of no files but its own metadata, which depends on ours, beside this package; return its folder.

    ``pip uninstall pycuda`` takes it away. RuntimeError if PyCUDA itself is installed, or this package was not.
    """
    environment = _environment()
    for other in importlib.metadata.distributions(name="pycuda"):
        if not _is_ours(other):
            raise RuntimeError(f"PyCUDA {other.version} is installed in {other.locate_file('')}, with the same import name: "
                               f"pip uninstall pycuda {_OWN}, then pip install {_OWN}")
        if Path(other.locate_file("")) == environment:
            shutil.rmtree(environment / f"pycuda-{other.version}.dist-info")
    name = f"pycuda-{_VERSION}.dist-info"
    files = {
        "METADATA": f"Metadata-Version: 2.1\nName: pycuda\nVersion: {_VERSION}\n"
                    f"Summary: Says that {_OWN} is here, which has PyCUDA's interface. Not PyCUDA\nRequires-Dist: {_OWN}\n",
        "INSTALLER": f"{_OWN}\n",
    }
    files["RECORD"] = "".join(f"{name}/{file},,\n" for file in [*files, "RECORD"])
    unfinished = environment / f".{name}.{os.getpid()}"
    unfinished.mkdir()
    try:
        for file, text in files.items():
            (unfinished / file).write_text(text)
        unfinished.rename(environment / name)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return environment / name
