"""Like pycuda.autoinit, with the device's primary context, which libraries built on CUDA's runtime API use."""

import pycuda.driver as cuda
from pycuda._autocontext import pop_at_exit
from pycuda.tools import make_default_context


def _push_primary_context(dev):
    primary = dev.retain_primary_context()
    primary.push()
    return primary


cuda.init()
context = make_default_context(_push_primary_context)
device = context.get_device()
pop_at_exit(globals())
