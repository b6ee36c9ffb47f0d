"""Results that are remembered as long as their context."""

import functools

import pycuda.driver as cuda
from pycuda._arrays.kernel_cache import clear_all as forget_built_kernels

__all__ = ["context_dependent_memoize", "context_dependent_memoized_functions", "clear_context_caches"]

#: Functions that remember something.
context_dependent_memoized_functions = []


def context_dependent_memoize(func):
    """Makes `func` remember its results by the current context and the arguments, which must be hashable."""
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
        result = of_context[key] = func(*args, **kwargs)
        return result

    wrapper.clear_cache = results.clear
    return wrapper


def clear_context_caches():
    """Forgets what was remembered, and with it the contexts and modules that it keeps alive."""
    forget_built_kernels()
    while context_dependent_memoized_functions:
        context_dependent_memoized_functions.pop().clear_cache()
