"""pycuda.cumath."""

import numpy as np
from other_values import floats
from pycuda.gpuarray import to_gpu
from surface import SURFACE
from table import row

PAIRS = {"logaddexp": ("x", "y"), "fmod": ("arg", "mod"), "atan2": ("y", "x"), "hypot": ("x", "y"), "ldexp": ("significand", "exponent")}
for name, operands in PAIRS.items():
    row(f"cumath.{name}", **dict.fromkeys(operands, floats), stream=None)
for name in ("frexp", "modf"):
    row(f"cumath.{name}", arg=floats, stream=None)


def result():
    return to_gpu(np.zeros(4, np.float32))


for name, parameters in SURFACE.items():
    if name.startswith("cumath.") and [parameter.name for parameter in parameters] == ["array", "stream_or_out", "out", "stream"]:
        row(name, array=floats, out=result, stream=None)
