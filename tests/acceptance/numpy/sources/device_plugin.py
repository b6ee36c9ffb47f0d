"""Runs NumPy's own tests with arrays on the device: `pytest -p device_plugin --noconftest --pyargs numpy.lib.tests`."""

import device_numpy
import hypothesis
import pycuda.autoinit  # noqa: F401
import pytest

hypothesis.settings.register_profile("device", deadline=None)  # kernels are compiled at their first use
hypothesis.settings.load_profile("device")


class Pytest(type(pytest)):
    """pytest for NumPy's tests: the texts of messages are not compared."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    @staticmethod
    def raises(expected_exception, *args, match=None, **kwargs):
        return pytest.raises(expected_exception, *args, **kwargs)

    @staticmethod
    def warns(expected_warning=Warning, *args, match=None, **kwargs):
        return pytest.warns(expected_warning, *args, **kwargs)


_PYTEST = Pytest("pytest")


def _replaced(value):
    if value is pytest:
        return _PYTEST
    if type(value).__module__.startswith("numpy.") and ".tests." in type(value).__module__ or type(value).__module__.startswith("test_"):
        for name, part in list(getattr(value, "__dict__", {}).items()):  # a test's own object, such as a case
            setattr(value, name, device_numpy.mapped(_replaced, part))
        return value
    made = device_numpy.stand_in(value)
    return device_numpy.device(value) if made is value else made


def _replace_all(namespace, assign):
    """Put stand-ins into a module or a class, also for the arrays and functions in its lists."""
    for name, value in list(vars(namespace).items()):
        if name.startswith("__"):
            continue
        made = device_numpy.mapped(_replaced, value)
        if made is not value:
            assign(name, made)


def pytest_collection_modifyitems(items):
    done = set()
    for item in items:
        for namespace in (item.module, *([] if item.cls is None else item.cls.__mro__[:-1])):
            if id(namespace) not in done:
                done.add(id(namespace))
                _replace_all(namespace, lambda name, value, namespace=namespace: setattr(namespace, name, value))
        if hasattr(item, "callspec"):
            item.callspec.params.update({name: device_numpy.mapped(_replaced, value) for name, value in item.callspec.params.items()})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    device_numpy.Uses.reset()
    result = yield
    if not device_numpy.Uses.computed:
        pytest.skip("no array of this test is used on the device")
    return result
