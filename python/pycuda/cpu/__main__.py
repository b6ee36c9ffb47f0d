"""``python -m pycuda.cpu COMMAND...``: see the package."""

import os
import subprocess
import sys

from pycuda.cpu import environment, library_folder

USAGE = """usage: python -m pycuda.cpu COMMAND...   run COMMAND with the CPU device as its libcuda.so.1 (nvcuda.dll)
       python -m pycuda.cpu --folder     print the folder of that library, for LD_LIBRARY_PATH (PATH)"""


def main(arguments):
    if arguments == ["--folder"]:
        print(library_folder())
        return 0
    if not arguments or arguments[0].startswith("-"):
        print(USAGE, file=sys.stdout if arguments[:1] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        if os.name == "nt":  # where exec starts another process, and ends this one without waiting for it
            return subprocess.run(arguments, env=environment()).returncode
        os.execvpe(arguments[0], arguments, environment())
    except OSError as error:
        print(f"python -m pycuda.cpu: {arguments[0]}: {error.strerror}", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
