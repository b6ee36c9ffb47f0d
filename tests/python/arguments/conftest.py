"""Contexts last for a file here."""

import pytest


@pytest.fixture(autouse=True)
def arguments_are_forgotten(request):
    """pytest would keep those of the last test until after the handles that are left are counted."""
    yield
    request.node.funcargs.clear()
