"""Pythonic access to CUDA. Importing this touches neither CUDA nor NumPy; start with ``pycuda.driver``."""

import os as _os

from pycuda._version import VERSION, VERSION_STATUS, VERSION_TEXT  # noqa: F401


def _warn_of_pycuda(folder):
    """Warn if pip has installed PyCUDA beside this package. Our stand-in for it has "+swig" in its version. Only names are read: metadata
    would take longer than the rest of the import."""
    for name in _os.listdir(folder):
        if name.startswith("pycuda-") and name.endswith((".dist-info", ".egg-info")) and "+swig" not in name:
            import warnings

            warnings.warn(
                f"PyCUDA ({name}) and pycuda-swig are both installed in {folder} with the same import name, pycuda. This is pycuda-swig; "
                "if pip uninstalls or upgrades PyCUDA, it removes files of this package, too. Keep only one of them: pip uninstall pycuda pycuda-swig, "
                "then pip install pycuda-swig", stacklevel=4)


def _check_installation(folder):
    """Raise ImportError if PyCUDA's files are in this package's folder: Python would import its extension module for ours."""
    try:
        names = _os.listdir(folder)
        _warn_of_pycuda(_os.path.dirname(folder))
    except OSError:
        return  # not a folder: nothing was installed over it
    mixed = sorted(name for name in names if name.startswith("_driver.") and name.endswith((".so", ".pyd")))
    if mixed:
        raise ImportError(
            f"{folder} contains files of two packages: {', '.join(mixed)} belongs to PyCUDA, which has the same import name as "
            "pycuda-swig. Install only one of them: pip uninstall pycuda pycuda-swig, then pip install pycuda-swig")


def _check_system():
    """Raise ImportError if the extension module could not be loaded, because the C library is not GNU's."""
    if _os.name == "nt":
        return
    try:
        _os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError):
        raise ImportError(
            "pycuda needs Windows, or Linux with the GNU C library, as NVIDIA's driver and compilers do, but this Python uses another one (musl, if this "
            "is Alpine). Use a distribution with the GNU C library, such as Debian, Ubuntu, Fedora or RHEL, or a container based on one") from None


def load_ipython_extension(ipython):
    """Add the cell magic ``%%cuda`` to IPython and Jupyter; ``%load_ext pycuda`` calls this.

    A cell that begins with ``%%cuda [-OPTION...] [CALL]`` is CUDA C++. Its kernels become functions of their names. CALL, such as
    ``twice(x, block=(256, 1, 1))``, is then run, and its time on the device printed. Words with a dash in front are compiler options.

    Parameters
    ----------
    ipython : InteractiveShell
        The shell.
    """
    from pycuda._notebook import register

    register(ipython)


_check_system()
_check_installation(_os.path.dirname(__file__))
