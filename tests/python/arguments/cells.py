"""What the tests of the table share: its rows, one context for all cells, and the parameters of each kind."""

import importlib
import pathlib

import pycuda.driver as drv
import pytest
from device_values import DEVICE
from host_values import HOST
from kinds import SHARED
from table import ROWS, is_memory

TOPICS = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("rows_*.py"))
for topic in TOPICS:
    importlib.import_module(topic)

MEMORY = [(name, parameter) for name, row in ROWS.items() for parameter in row.parameters.values() if is_memory(parameter)]
OTHERS = [(name, parameter) for name, row in ROWS.items() for parameter in row.parameters.values() if not is_memory(parameter)]


def titles(pairs):
    return [f"{name}-{parameter.name}" for name, parameter in pairs]


@pytest.fixture(autouse=True, scope="module")
def shared_values(module_context):
    """One context for all cells, each of which leaves it unchanged."""
    yield
    SHARED.clear()


@pytest.fixture(autouse=True)
def context_stays(module_context):
    yield
    DEVICE.kept.clear()
    HOST.kept.clear()
    assert drv.Context.get_current() == module_context
