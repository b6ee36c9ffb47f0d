"""Ends the process of a test that hangs, and prints where."""

import faulthandler
import os

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

PATIENCE = 60 * int(os.environ.get("PYCUDA_PATIENCE", "1"))  #: seconds


@pytest.fixture(autouse=True)
def watchdog(request):
    # What is written to sys.stderr is lost with the process.
    faulthandler.dump_traceback_later(PATIENCE, exit=True, file=request.config.stash[fault_handler_stderr_fd_key])
    yield
    faulthandler.cancel_dump_traceback_later()
