"""The operations of all files; their order is that of the sweep."""

import array_operations  # noqa: F401
import gl_operations  # noqa: F401
import graph_operations  # noqa: F401
import sharing_operations  # noqa: F401
import texture_operations  # noqa: F401
from operations import OPERATIONS  # noqa: F401
