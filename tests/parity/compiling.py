"""Compiles a correct and an incorrect source, with the cache in PYCUDA_CACHE_DIR; Compiling.java does the same."""

import hashlib

import pycuda.driver as drv
from pycuda.compiler import compile

SOURCE = """
__global__ void twice(float *data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}
"""
WRONG = "__global__ void wrong() { no_such_function(); }"

drv.init()
context = drv.Device(0).make_context()
image = compile(SOURCE)
print("image", hashlib.sha256(image).hexdigest())
function = drv.module_from_buffer(image).get_function("twice")
print("function", function.get_attribute(drv.function_attribute.NUM_REGS) > 0)
try:
    compile(WRONG)
except drv.CompileError as error:
    print("error", type(error).__name__, error.msg.split(" of ")[0])
    print("says where", "no_such_function" in error.stderr, "shows the command", len(error.command_line) > 0)
context.pop()
