"""Kernels of elementwise operations: the core's text around them, and its compilation."""

import numpy as np

from pycuda import _driver
from pycuda._c_arguments import ScalarArg, parse_c_args
from pycuda.compiler import SourceModule

__all__ = ["get_elwise_module", "get_elwise_range_module", "get_elwise_kernel_and_types", "get_elwise_kernel"]


def _module(bounds, arguments, operation, name, keep, options, preamble, loop_prep, after_loop):
    declarations = [arg.declarator() for arg in parse_c_args(arguments)]
    source = _driver._native.elementwise_source(
        ", ".join(declarations[:-bounds]), operation, name, preamble, loop_prep, after_loop, bounds == 3, ", ".join(declarations[-bounds:]))
    return SourceModule(source, options=options, keep=keep, no_extern_c=True)


def get_elwise_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """The module of a kernel over all entries; the last of its arguments is their number, `n`."""
    return _module(1, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


def get_elwise_range_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """The module of a kernel over a range of entries; the last of its arguments are `start`, `stop` and `step`."""
    return _module(3, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


def get_elwise_kernel_and_types(arguments, operation, name="kernel", keep=False, options=None, use_range=False, **kwargs):
    """(module, prepared function, arguments with those that were added) of a kernel over all entries or over a range."""
    arguments = parse_c_args(arguments)
    if use_range:
        arguments = [*arguments, *(ScalarArg(np.intp, bound) for bound in ("start", "stop", "step"))]
        module = get_elwise_range_module(arguments, operation, name, keep, options, **kwargs)
    else:
        arguments = [*arguments, ScalarArg(np.uintp, "n")]
        module = get_elwise_module(arguments, operation, name, keep, options, **kwargs)
    function = module.get_function(name)
    function.prepare("".join(arg.struct_char for arg in arguments))
    return module, function, arguments


def get_elwise_kernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs):
    """The prepared function of a kernel over all entries."""
    return get_elwise_kernel_and_types(arguments, operation, name, keep, options, **kwargs)[1]
