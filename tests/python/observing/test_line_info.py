"""Line information of compiled code."""

import pytest
from kernels import COMPILERS
from pycuda import compiler


@pytest.mark.parametrize("backend", COMPILERS)
def test_images_for_the_cpu_device_have_line_information_and_their_source(context, is_cpu_device, backend, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", backend)
    source = "__global__ void f(int *p)\n{\n  *p = 1; // here\n}"
    for options in ([], ["-lineinfo"]):
        image = bytes(compiler.compile(source, options=options))
        assert (b".loc" in image and b"//  *p = 1; // here\n" in image) == is_cpu_device
    ptx = bytes(compiler.compile(source, target="ptx"))
    assert b".loc" not in ptx and b"// here" not in ptx
