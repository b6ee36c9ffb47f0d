"""Runs scikit-learn's own tests of array API namespaces with pycuda.array_api: `pytest -p sklearn_device --pyargs sklearn.utils.tests.test_array_api`."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is imported

import pycuda.array_api
import pycuda.autoinit  # noqa: F401
import pytest
from sklearn.utils import _array_api

_NAME = "pycuda.array_api"
_HERE, _NUMPY = _array_api.NamespaceAndDevice(_NAME, None), _array_api.NamespaceAndDevice("numpy", None)
_convert_to_numpy = _array_api._convert_to_numpy


def _namespaces(include_numpy_namespaces=True):
    yield _NAME


def _combinations(include_numpy_namespaces=True):
    for dtype in ("float64", "float32"):
        yield _NAME, None, dtype


def _mixed():
    yield _HERE, _NUMPY, "pycuda to numpy"
    yield _NUMPY, _HERE, "numpy to pycuda"


def _to_numpy(array, xp):
    return array.get() if isinstance(array, pycuda.array_api.Array) else _convert_to_numpy(array, xp)


_array_api.yield_namespaces, _array_api.yield_namespace_device_dtype_combinations = _namespaces, _combinations
_array_api.yield_mixed_namespace_input_permutations, _array_api._convert_to_numpy = _mixed, _to_numpy


@pytest.fixture
def global_random_seed():
    """One of scikit-learn's conftest.py, which expects its own checkout."""
    return 42


def pytest_collection_modifyitems(config, items):
    ours = [item for item in items if hasattr(item, "callspec") and any(value in (_NAME, _HERE) for value in item.callspec.params.values() if isinstance(value, (str, tuple)))]
    config.hook.pytest_deselected(items=[item for item in items if item not in ours])
    items[:] = ours
