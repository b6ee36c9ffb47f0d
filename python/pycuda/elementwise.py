"""Kernels that compute entry by entry: one's own from C text, and those that array packages share."""

from pycuda import _driver
from pycuda._arrays import elementwise_builders as _elementwise_builders
from pycuda._arrays.elementwise_builders import *  # noqa: F401,F403
from pycuda._arrays.elementwise_source import (  # noqa: F401
    get_elwise_kernel, get_elwise_kernel_and_types, get_elwise_module, get_elwise_range_module,
)
from pycuda._arrays.kernel_cache import PerContext
from pycuda._c_arguments import ScalarArg, VectorArg, check_vector, declarations, parse_c_args  # noqa: F401
from pycuda.tools import context_dependent_memoize, dtype_to_ctype  # noqa: F401  client programs import them from here

__all__ = [
    "ElementwiseKernel", "get_elwise_kernel", "get_elwise_kernel_and_types", "get_elwise_module", "get_elwise_range_module",
    *_elementwise_builders.__all__,
]


class ElementwiseKernel:
    """A kernel that runs `operation`, C statements in terms of the index `i`, for every entry of its vectors.

    arguments: C parameters, separated by commas, or a list of VectorArg and ScalarArg; at least one is a vector.
    preamble: code before the kernel. loop_prep, after_loop: code around the loop over entries.

    Compiled at the first call in each context.
    """

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, **kwargs):
        self.arguments = parse_c_args(arguments)
        if not any(isinstance(arg, VectorArg) for arg in self.arguments):
            raise RuntimeError(f"ElementwiseKernel '{name}' needs at least one vector (pointer) among its arguments")
        self.operation = operation
        self.name = name
        self.gen_kwargs = {"keep": keep, "options": options, **kwargs}
        self._variants = {use_range: PerContext(lambda use_range=use_range: self._build(use_range)) for use_range in (False, True)}
        # Where the code uses a vector at every index, no element is computed that it does not have.
        self._walked, self._names_count = _driver._native.vector_use(
            declarations(self.arguments), "; ".join((operation, kwargs.get("loop_prep", ""), kwargs.get("after_loop", ""))), kwargs.get("preamble", ""))

    def _build(self, use_range):
        return get_elwise_kernel_and_types(self.arguments, self.operation, self.name, use_range=use_range, **self.gen_kwargs)

    def generate_stride_kernel_and_types(self, use_range):
        """(module, prepared function, arguments) of the kernel for all entries, or of that for a range of them."""
        return self._variants[bool(use_range)].get()

    def get_texref(self, name, use_range=False):
        """A texture reference that the preamble declares."""
        return self.generate_stride_kernel_and_types(use_range)[0].get_texref(name)

    def __call__(self, *args, range=None, slice=None, stream=None):
        """Runs the kernel for as many elements as the first vector has. Where another is shorter and the code uses it at every index,
        which code without conditions does, the elements that it lacks are not computed.

        range: a slice of explicit start, stop and step: the indices to run for.
        slice: the same relative to the first vector's size, as in indexing.
        """
        if range is not None and slice is not None:
            raise TypeError("expected range or slice, given both")
        for name, given in (("range", range), ("slice", slice)):
            if given is not None and not isinstance(given, builtin_slice):
                raise TypeError(f"expected a slice object as {name}, given {given!r}")
        use_range = range is not None or slice is not None
        _, function, declared = self.generate_stride_kernel_and_types(use_range)
        extra = 3 if use_range else 1
        if len(args) != len(declared) - extra:
            raise TypeError(f"'{self.name}' takes {len(declared) - extra} arguments, given {len(args)}")

        first, count, values = None, 0, []
        for arg, parameter, walked in zip(args, declared, self._walked):
            if not isinstance(parameter, VectorArg):
                values.append(arg)
                continue
            check_vector(self.name, parameter, arg)
            if first is None:
                first, count = arg, arg.size
            elif walked and not use_range and arg.size < count:
                if self._names_count:
                    raise ValueError(f"'{self.name}': vector '{parameter.name}' has {arg.size} entries, "
                                     f"fewer than the {first.size} of the first vector, which is n")
                count = arg.size
            values.append(arg if arg.size else 0)

        if slice is not None:
            range = builtin_slice(*slice.indices(first.size))
        if range is not None:
            start, stop, step = range.start or 0, range.stop, 1 if range.step is None else range.step
            count = max(0, -((start - stop) // step))
            if count == 0:
                return
            from pycuda.gpuarray import splay
            grid, block = splay(count)
            values += [start, stop, step]
        else:
            if count == 0:
                return
            values.append(count)
            grid, block = first._grid, first._block
        function.prepared_async_call(grid, block, stream, *values)


builtin_slice = slice
