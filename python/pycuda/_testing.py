"""Contexts for tests of programs that use CUDA."""

import functools
import gc

import pycuda.driver as cuda
from pycuda._memoize import clear_context_caches

__all__ = ["mark_cuda_test", "init_cuda_context_fixture"]


def init_cuda_context_fixture():
    """Run as the body of a pytest fixture: create a context on the default device, and remove everything after the test.

    Returns
    -------
    generator
        A generator that yields the context.
    """
    from pycuda.tools import make_default_context

    cuda.init()
    context = make_default_context()
    try:
        yield context
    finally:
        context.pop()
        clear_context_caches()
        del context
        gc.collect()


def mark_cuda_test(inner_f):
    """Wrap a test so that it runs in its own context on the default device. With pytest, it gets the mark "cuda".

    Parameters
    ----------
    inner_f : callable
        The test.

    Returns
    -------
    callable
        The wrapped test.
    """
    @functools.wraps(inner_f)
    def test(*args, **kwargs):
        fixture = init_cuda_context_fixture()
        next(fixture)
        try:
            return inner_f(*args, **kwargs)
        finally:
            fixture.close()

    try:
        import pytest
    except ImportError:
        return test
    return pytest.mark.cuda(test)
