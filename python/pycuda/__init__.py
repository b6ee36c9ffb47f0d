"""Pythonic access to CUDA. Importing this touches neither CUDA nor NumPy; ``pycuda.driver`` is where to go on."""

VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS
