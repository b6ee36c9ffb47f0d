"""pycuda.tools."""

import os

import numpy as np
import pycuda.driver as drv
from other_values import made, values
from pycuda import tools
from table import row

NAMES = [*values(3, None), *made(an_object=object)]


def device():
    return drv.Device(0)


def data():
    return tools.DeviceData(device())


for kind in ("Argument", "ScalarArg", "VectorArg"):
    row(f"tools.{kind}", dtype=np.float32, name="x", wrong={"name": values()})
row("tools.DebugMemoryPool.allocate", on=lambda: tools.DebugMemoryPool(interactive=False, logfile=open(os.devnull, "w")), size=64)
row("tools.DeviceData", dev=device)
row("tools.DeviceData.make_valid_tex_channel_count", size=2, wrong={"size": values(9, "x")})
row("tools.OccupancyRecord", devdata=data, threads=64, wrong={name: values() for name in ("devdata", "threads", "shared_mem", "registers")})
row("tools.parse_c_arg", c_arg="float *x", wrong={"c_arg": values("x", "float", "*")})
row("tools.get_arg_type", c_arg="float *x", wrong={"c_arg": values("x", "float", "*")})
row("tools.dtype_to_ctype", dtype=np.float32)
row("tools.get_or_register_dtype", names="float", wrong={"names": NAMES, "dtype": values()})
