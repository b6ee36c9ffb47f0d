"""Pythonic access to CUDA. Importing this touches neither CUDA nor NumPy; ``pycuda.driver`` is where to go on."""

import os as _os

from pycuda._version import VERSION, VERSION_STATUS, VERSION_TEXT  # noqa: F401


def _check_installation(folder):
    """Raise ImportError if PyCUDA's files are in this package's folder: Python would import its extension module for ours."""
    try:
        names = _os.listdir(folder)
    except OSError:
        return  # not a folder: nothing was installed over it
    mixed = sorted(name for name in names if name.startswith("_driver.") and name.endswith(".so"))
    if mixed:
        raise ImportError(
            f"{folder} contains files of two packages: {', '.join(mixed)} belongs to PyCUDA, which has the same import name as "
            "pycuda-swig. Install only one of them: pip uninstall pycuda pycuda-swig, then pip install pycuda-swig")


_check_installation(_os.path.dirname(__file__))
