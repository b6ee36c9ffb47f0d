"""Runs a program with its kernels compiled for a debugger: ``python -m pycuda.debug SCRIPT [ARGS...]``.

Compiler output is kept, the compiler cache is off, and kernels carry debug information. Meant to be started under cuda-gdb.
"""

import os
import runpy
import sys

__all__ = []


def _main():
    if len(sys.argv) < 2:
        print("usage: python -m pycuda.debug SCRIPT [ARGS...]", file=sys.stderr)
        return 2
    script = sys.argv[1]
    if not os.path.exists(script):
        print(f"pycuda.debug: {script} does not exist", file=sys.stderr)
        return 1

    import pycuda.driver as cuda

    cuda.set_debugging()
    sys.argv[:] = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
