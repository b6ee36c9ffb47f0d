import gc

import pycuda.driver as drv
import pytest
from pycuda.tools import clear_context_caches


@pytest.fixture
def primary(device):
    """The device's primary context, current during a test."""
    context = device.retain_primary_context()
    context.push()
    yield context
    clear_context_caches()
    gc.collect()
    while drv.Context.get_current() is not None:
        drv.Context.pop()
