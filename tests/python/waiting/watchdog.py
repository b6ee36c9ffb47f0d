"""A test that hangs ends its process and says where."""

import faulthandler

import pytest

PATIENCE = 60  #: seconds


@pytest.fixture(autouse=True)
def watchdog():
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
