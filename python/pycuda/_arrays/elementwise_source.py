"""Kernels of elementwise operations: the core's source text, and its compilation."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.described import described
from pycuda._c_arguments import ScalarArg, parse_c_args
from pycuda.compiler import SourceModule

__all__ = ["get_elwise_module", "get_elwise_range_module", "get_elwise_kernel_and_types", "get_elwise_kernel"]


def _module(bounds, arguments, operation, name, keep, options, preamble, loop_prep, after_loop):
    declarations = [arg.declarator() for arg in parse_c_args(arguments)]
    source = _driver._native.elementwise_source(
        ", ".join(declarations[:-bounds]), operation, name, preamble, loop_prep, after_loop, bounds == 3, ", ".join(declarations[-bounds:]))
    return SourceModule(source, options=options, keep=keep, no_extern_c=True)


@described
def get_elwise_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """Return the module of a kernel over all elements. Its last parameter is their number, ``n``.

    Parameters
    ----------
    arguments : Iterable[ScalarArg or VectorArg]
        @arguments

    Returns
    -------
    SourceModule
        The module.

    Raises
    ------
    CompileError
        @rejected_code
    """
    return _module(1, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


@described
def get_elwise_range_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """Return the module of a kernel over a range of elements. Its last parameters are ``start``, ``stop`` and ``step``.

    Parameters
    ----------
    arguments : Iterable[ScalarArg or VectorArg]
        @arguments

    Returns
    -------
    SourceModule
        The module.

    Raises
    ------
    CompileError
        @rejected_code
    """
    return _module(3, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


@described
def get_elwise_kernel_and_types(arguments, operation, name="kernel", keep=False, options=None, use_range=False, **kwargs):
    """Return a kernel over all elements or over a range.

    Parameters
    ----------
    arguments : str or list
        @arguments
    use_range : bool, optional
        Whether the kernel is for a range of indices.

    Returns
    -------
    tuple[SourceModule, Function, list[ScalarArg or VectorArg]]
        Module, prepared function, and its parameters.

    Raises
    ------
    CompileError
        @rejected_code
    """
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


@described
def get_elwise_kernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs):
    """Return a kernel over all elements.

    Parameters
    ----------
    arguments : str or list
        @arguments

    Returns
    -------
    Function
        Prepared function.

    Raises
    ------
    CompileError
        @rejected_code
    """
    return get_elwise_kernel_and_types(arguments, operation, name, keep, options, **kwargs)[1]
