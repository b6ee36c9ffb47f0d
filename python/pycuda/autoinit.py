"""Importing this makes a context on the default device: `context` on `device`, current in this thread until exit."""

import pycuda.driver as cuda
from pycuda._autocontext import pop_at_exit
from pycuda.tools import make_default_context

cuda.init()
context = make_default_context()
device = context.get_device()
pop_at_exit(globals())
