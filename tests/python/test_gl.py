"""What programs for OpenGL are told."""

import importlib

import pytest


@pytest.mark.parametrize("name", ["pycuda.gl", "pycuda.gl.autoinit"])
def test_importing_says_what_is_missing(name):
    with pytest.raises(ImportError, match="cuGraphicsGLRegisterBuffer.*pagelocked_empty") as raised:
        importlib.import_module(name)
    assert raised.value.name == "pycuda.gl"
