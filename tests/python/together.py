"""Runs work on many threads at the same moment, to test what they share."""

import sys
import threading

import pycuda.driver as drv
import pytest

THREADS = 16


@pytest.fixture
def together(context):
    """Run work(number) on 16 threads that start at the same moment, with the context current in each."""

    def run(work):
        barrier, errors = threading.Barrier(THREADS), []

        def guarded(number):
            context.push()
            try:
                barrier.wait()
                work(number)
            except BaseException as error:
                errors.append(error)
            finally:
                drv.Context.pop()

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-4)  # with a GIL, so that threads take turns often; 16 that wait for it 10 us each do little else
        threads = [threading.Thread(target=guarded, args=(number,)) for number in range(THREADS)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        if errors:
            raise errors[0]

    return run
