"""Importing this makes a context on the default device for the OpenGL context that is current: `context` on `device`, current until exit."""

import pycuda.driver as cuda
from pycuda._autocontext import pop_at_exit
from pycuda.gl import make_context
from pycuda.tools import make_default_context

cuda.init()
context = make_default_context(make_context)
device = context.get_device()
pop_at_exit(globals())
