"""The native module. Its public names are pycuda.driver's; the compiler layer's are private to pycuda.compiler."""

from typing import Any

from pycuda.driver import *

def __getattr__(name: str) -> Any: ...  # pyright: ignore[reportIncompleteStub]
