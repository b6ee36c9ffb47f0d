"""The folders that the core looks into: pip's toolkit, and this package's device headers."""

import os
import sys


def tell_core(native):
    """Pass the folders to the core. `native` is `pycuda._native`, which every use of this package imports: lazy imports (PEP 810)
    do not run a module that is only imported for its effects."""
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages"):
            native.add_toolkit_search_root(folder)
    headers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")
    if os.path.isdir(headers):
        native.set_device_include_dir(headers)
