"""Memoised results, which are kept as long as their context."""

import functools

import pycuda.driver as cuda
from pycuda._arrays.kernel_cache import clear_all as forget_built_kernels

__all__ = ["context_dependent_memoize", "context_dependent_memoized_functions", "clear_context_caches"]

#: Functions with memoised results.
context_dependent_memoized_functions = []


def context_dependent_memoize(func):
    """Make a function remember its results per context and arguments.

    Parameters
    ----------
    func : callable
        The function. Its arguments must be hashable.

    Returns
    -------
    callable
        The memoised function, with a method ``clear_cache()``.

    Examples
    --------
    >>> from pycuda.tools import context_dependent_memoize
    >>> @context_dependent_memoize
    ... def kernel(width):
    ...     return SourceModule(f"__global__ void f(int *x) {{ *x = {width}; }}").get_function("f")
    >>> kernel(3) is kernel(3)
    True
    """
    results = {}

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        of_context = results.setdefault(cuda.Context.get_current(), {})
        key = (args, frozenset(kwargs.items())) if kwargs else args
        try:
            return of_context[key]
        except KeyError:
            pass
        if wrapper not in context_dependent_memoized_functions:
            context_dependent_memoized_functions.append(wrapper)
        return of_context.setdefault(key, func(*args, **kwargs))

    wrapper.clear_cache = results.clear
    return wrapper


def clear_context_caches():
    """Forget all remembered results, and the contexts and modules that they keep alive."""
    forget_built_kernels()
    while True:
        try:
            function = context_dependent_memoized_functions.pop()
        except IndexError:
            return
        function.clear_cache()
