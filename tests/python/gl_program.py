"""The parts of an OpenGL program that the tests need (tests/gl), through ctypes."""

import ctypes
import os
from pathlib import Path

import numpy as np
import pycuda

LIBRARY = os.environ.get("PYCUDA_GL_PROGRAM") or str(Path(pycuda.__file__).parents[2] / "tests/gl/libgl_program.so")
TEXTURE_2D, TEXTURE_2D_ARRAY, RENDERBUFFER = 0x0DE1, 0x8C1A, 0x8D41
R32F, RED, FLOAT = 0x822E, 0x1903, 0x1406

_library = ctypes.CDLL(LIBRARY)
_library.gl_program_start.restype = _library.gl_program_vendor.restype = ctypes.c_char_p
_library.gl_program_take_context.restype = ctypes.c_void_p
_library.gl_program_give_context.argtypes = [ctypes.c_void_p]


def start():
    """Make an OpenGL context current. Returns None, or why that failed."""
    why_not = _library.gl_program_start()
    return why_not and why_not.decode()


def stop():
    _library.gl_program_stop()


def vendor():
    return _library.gl_program_vendor().decode()


def take_context():
    return _library.gl_program_take_context()


def give_context(context):
    _library.gl_program_give_context(context)


def error():
    return _library.gl_program_error()


def new_buffer(array):
    return _library.gl_program_new_buffer(array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))


def read_buffer(name, count, dtype=np.float32):
    array = np.empty(count, dtype)
    _library.gl_program_read_buffer(name, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
    return array


def delete_buffer(name):
    _library.gl_program_delete_buffer(name)


def new_image(array, target=TEXTURE_2D):
    """An image with one float32 for each texel: rows and columns, preceded by layers."""
    depth, height, width = (1, *array.shape)[-3:]
    name = _library.gl_program_new_image(target, R32F, width, height, depth, 1)
    _library.gl_program_write_image(target, name, target, 0, width, height, depth, RED, FLOAT, array.ctypes.data_as(ctypes.c_void_p))
    return name


def delete_image(name, target=TEXTURE_2D):
    _library.gl_program_delete_image(target, name)


def read_image(name, shape, target=TEXTURE_2D):
    array = np.empty(shape, np.float32)
    _library.gl_program_read_image(target, name, target, 0, RED, FLOAT, array.ctypes.data_as(ctypes.c_void_p))
    return array
