"""A context for OpenGL: not there either."""

import pycuda.gl  # noqa: F401  says what is missing
