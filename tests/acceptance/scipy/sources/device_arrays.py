"""Runs SciPy's own tests of array API namespaces with pycuda.array_api: `pytest -p device_arrays --noconftest --pyargs scipy.fft`.

Which tests are for arrays on the host only, SciPy's marks say: those for CuPy hold here.
"""

import functools
import os

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is imported

import numpy as np
import numpy.testing
import pycuda.array_api
import pycuda.autoinit  # noqa: F401
import pytest
from scipy import conftest
from scipy._lib._array_api import default_xp



def _on_host(assertion):
    """One of numpy.testing's assertions, for arrays on the device."""
    @functools.wraps(assertion)
    def call(*args, **kwargs):
        return assertion(*(x.get() if isinstance(x, pycuda.array_api.Array) else x for x in args), **kwargs)

    return call


for _assertion in ("assert_allclose", "assert_array_equal", "assert_equal", "assert_array_less", "assert_almost_equal", "assert_array_almost_equal"):
    setattr(np.testing, _assertion, _on_host(getattr(np.testing, _assertion)))

_NAME = "cupy"
conftest.xp_skip_cpu_only_backends.add(_NAME)


@pytest.fixture
def xp(request):
    """The namespace, which replaces SciPy's fixture."""
    for kind, end in (("skip", pytest.skip), ("xfail", pytest.xfail)):
        reasons = conftest._backends_kwargs_from_request(request, kind)
        if _NAME in reasons:
            end(reasons[_NAME])
    with default_xp(pycuda.array_api):
        yield pycuda.array_api


@pytest.fixture
def devices(xp):
    return [None]


@pytest.fixture
def num_parallel_threads():
    return 1


def pytest_collection_modifyitems(config, items):
    with_arrays = [item for item in items if "xp" in item.fixturenames]
    config.hook.pytest_deselected(items=[item for item in items if "xp" not in item.fixturenames])
    items[:] = with_arrays
