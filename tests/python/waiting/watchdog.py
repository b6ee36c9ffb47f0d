"""Ends the process of a test that hangs, and prints where."""

import faulthandler

import pytest

PATIENCE = 60  #: seconds


@pytest.fixture(autouse=True)
def watchdog():
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
