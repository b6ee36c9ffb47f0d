"""A program, not a library: ``python -m pycuda.debug SCRIPT [ARGS...]``."""
