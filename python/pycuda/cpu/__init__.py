"""The CPU device under any program: ``python -m pycuda.cpu COMMAND...`` runs COMMAND with it as its ``libcuda.so.1``.

COMMAND may be any program that opens the CUDA driver and passes PTX to it, such as those that use cuda.bindings, cuda.core, or numba-cuda. On Windows
it is ``nvcuda.dll``, for programs that search the folders of ``PATH`` for it and find none before, beside themselves or in the system's folder.
"""

import os
from pathlib import Path

__all__ = ["environment", "library_folder"]


def library_folder():
    """Return the folder whose ``libcuda.so.1``, on Windows ``nvcuda.dll``, is the CPU device.

    Returns
    -------
    str
        The folder to prepend to ``LD_LIBRARY_PATH``, on Windows, with the folder that it lies in, to ``PATH``.

    Examples
    --------
    >>> import os, pycuda.cpu
    >>> os.path.isdir(pycuda.cpu.library_folder())
    True
    """
    return str(Path(__file__).absolute().parent)


def environment(inherited=None):
    """Return an environment in which programs find the CPU device.

    Parameters
    ----------
    inherited : mapping of str to str, optional
        The environment to extend; default ``os.environ``.

    Returns
    -------
    dict
        `inherited` with ``LD_LIBRARY_PATH``, on Windows ``PATH``, extended, and with ``PYCUDA_DRIVER=cpu``, which pycuda itself follows.

    Examples
    --------
    >>> import subprocess, sys, pycuda.cpu
    >>> program = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    >>> done = subprocess.run([sys.executable, "-c", program], env=pycuda.cpu.environment(), capture_output=True)
    >>> done.stdout
    b'0\\n'
    """
    variables = dict(os.environ if inherited is None else inherited)
    name, folders = "LD_LIBRARY_PATH", [library_folder()]
    if os.name == "nt":
        name = next((key for key in variables if key.upper() == "PATH"), "PATH")
        folders.append(os.path.dirname(library_folder()))  # of pycuda_cpu.dll, to which nvcuda.dll passes each call on
    variables[name] = os.pathsep.join([*folders, *filter(None, [variables.get(name)])])
    variables["PYCUDA_DRIVER"] = "cpu"
    return variables
