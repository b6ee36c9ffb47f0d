"""The text around an elementwise kernel's operation, and its compilation."""

import numpy as np

from pycuda._c_arguments import ScalarArg, parse_c_args
from pycuda.compiler import SourceModule

__all__ = ["get_elwise_module", "get_elwise_range_module", "get_elwise_kernel_and_types", "get_elwise_kernel"]

_SOURCE = """#include <pycuda-complex.hpp>
{preamble}
extern "C" __global__ void {name}({parameters})
{{
  const unsigned tid = threadIdx.x;
  const {index} total_threads = ({index}) gridDim.x * blockDim.x;
  const {index} cta_start = ({index}) blockDim.x * blockIdx.x;
  {index} i;
  {loop_prep};
  {loop}
  {after_loop};
}}
"""

_ALL = "for (i = cta_start + tid; i < n; i += total_threads) {{ {operation}; }}"
_RANGE = """if (step < 0)
    for (i = start + (cta_start + tid) * step; i > stop; i += total_threads * step) {{ {operation}; }}
  else
    for (i = start + (cta_start + tid) * step; i < stop; i += total_threads * step) {{ {operation}; }}"""


def _module(index, loop, arguments, operation, name, keep, options, preamble, loop_prep, after_loop):
    source = _SOURCE.format(
        preamble=preamble, name=name, parameters=", ".join(arg.declarator() for arg in arguments), index=index,
        loop_prep=loop_prep, loop=loop.format(operation=operation), after_loop=after_loop)
    return SourceModule(source, options=options, keep=keep, no_extern_c=True)


def get_elwise_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """The module of a kernel over all entries; the last of its arguments is their number, `n`."""
    return _module("size_t", _ALL, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


def get_elwise_range_module(arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
    """The module of a kernel over a range of entries; the last of its arguments are `start`, `stop` and `step`."""
    return _module("ptrdiff_t", _RANGE, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


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
