"""A plugin of pytest for numba-cuda's suite: what the conftest of its repository has, which its wheel lacks."""

import pytest


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
