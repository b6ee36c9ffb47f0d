"""Kernels that compute element by element: custom ones from C text, and those that array packages share."""

import functools

from pycuda import _driver
from pycuda._arrays import elementwise_builders as _elementwise_builders
from pycuda._arrays.creation import adopted
from pycuda._arrays.elementwise_builders import *  # noqa: F401,F403
from pycuda._arrays.elementwise_source import (  # noqa: F401
    get_elwise_kernel, get_elwise_kernel_and_types, get_elwise_module, get_elwise_range_module,
)
from pycuda._arrays.kernel_cache import PerContext
from pycuda._arrays.operations import is_array
from pycuda._c_arguments import ScalarArg, VectorArg, check_vector, declarations, parse_c_args  # noqa: F401
from pycuda.tools import context_dependent_memoize, dtype_to_ctype  # noqa: F401  client programs import them from here

__all__ = [
    "ElementwiseKernel", "get_elwise_kernel", "get_elwise_kernel_and_types", "get_elwise_module", "get_elwise_range_module",
    *_elementwise_builders.__all__,
]


class ElementwiseKernel:
    """A kernel that runs C statements for every element of its vectors.

    The index is ``i``; ``n`` is the number of elements of the first vector. The kernel is compiled at the first call in each context, and
    the types of its parameters may be registered until then.

    Parameters
    ----------
    arguments : str or list
        C parameters, separated by commas, or a list of `VectorArg` and `ScalarArg`. At least one is a vector.
    operation : str
        C statements.
    name : str, optional
        @kernel_name
    keep : bool, optional
        @keep
    options : list of str, optional
        @options
    preamble : str
        @preamble
    loop_prep : str
        C statements before the loop over elements.
    after_loop : str
        C statements after the loop.

    Raises
    ------
    TypeError
        The code is not a str, or a list of arguments has an element that is neither a `VectorArg` nor a `ScalarArg`.

    Examples
    --------
    >>> from pycuda.elementwise import ElementwiseKernel
    >>> saxpy = ElementwiseKernel("float a, const float *x, float *y", "y[i] = a * x[i] + y[i]")
    >>> x, y = gpuarray.arange(3, dtype=np.float32), gpuarray.ones(3, np.float32)
    >>> saxpy(np.float32(2), x, y)
    >>> y.get().tolist()
    [1.0, 3.0, 5.0]
    """

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, **kwargs):
        for text in (operation, *kwargs.values()):
            if not isinstance(text, str):
                raise TypeError(f"expected C text, given {text!r}")
        self._declared = arguments if isinstance(arguments, str) else parse_c_args(arguments)
        self.operation = operation
        self.name = name
        self.gen_kwargs = {"keep": keep, "options": options, **kwargs}
        self._variants = {use_range: PerContext(lambda use_range=use_range: self._build(use_range)) for use_range in (False, True)}

    @functools.cached_property
    def arguments(self):
        """The parameters, a list of `VectorArg` and `ScalarArg`."""
        # Read at the first use: programs create kernels before they register types, and some whose declarations are wrong but that they never call.
        arguments = parse_c_args(self._declared)
        if not any(isinstance(arg, VectorArg) for arg in arguments):
            raise RuntimeError(f"ElementwiseKernel '{self.name}' needs at least one vector (pointer) among its arguments")
        return arguments

    @functools.cached_property
    def _uses(self):
        """Whether the code names n, then for each parameter whether it is a vector that the code uses at every index."""
        code = (self.operation, self.gen_kwargs.get("loop_prep", ""), self.gen_kwargs.get("after_loop", ""))
        return _driver._native.used_vectors(declarations(self.arguments), "; ".join(code), self.gen_kwargs.get("preamble", ""))

    def _build(self, use_range):
        return get_elwise_kernel_and_types(self.arguments, self.operation, self.name, use_range=use_range, **self.gen_kwargs)

    def generate_stride_kernel_and_types(self, use_range):
        """Return the compiled kernel.

        Parameters
        ----------
        use_range : bool
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
        return self._variants[bool(use_range)].get()

    def get_texref(self, name, use_range=False):
        """Return a texture reference that the preamble declares.

        Parameters
        ----------
        name : str
            Name of the reference.
        use_range : bool, optional
            Whether the kernel is for a range of indices.

        Returns
        -------
        TextureReference
            The texture reference.

        Raises
        ------
        LogicError
            There is no such reference.
        """
        return self.generate_stride_kernel_and_types(use_range)[0].get_texref(name)

    def __call__(self, *args, range=None, slice=None, stream=None):
        """Run the kernel for the elements of the first vector.

        If another vector is shorter and the code uses it at every index, the missing elements are not computed.

        Parameters
        ----------
        args : object
            The kernel's arguments. Vectors are GPUArrays, or other libraries' arrays on the device.
        range : slice
            Slice with explicit start, stop and step: the indices to run for.
        slice : slice
            Slice relative to the first vector's size, as in indexing.
        stream : Stream
            @stream

        Raises
        ------
        TypeError
            The number of arguments is wrong, or a vector has another element type.
        ValueError
            A parameter's declaration is wrong or its type is not registered, or a vector is shorter than the first one and the code names ``n``.
        RuntimeError
            A vector is not contiguous, or no parameter is one.
        CompileError
            @rejected_code
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
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

        names_count, *uses = self._uses
        first, count, values = None, 0, []
        for arg, parameter, walked in zip(args, declared, uses):
            if not isinstance(parameter, VectorArg):
                values.append(arg)
                continue
            if not is_array(arg):
                arg = arg if hasattr(arg, "_grid") else adopted(arg, arg)
            check_vector(self.name, parameter, arg)
            if first is None:
                first, count = arg, arg.size
            elif walked and not use_range and arg.size < count:
                if names_count:
                    raise ValueError(f"'{self.name}': vector '{parameter.name}' has {arg.size} elements, "
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
        function.prepared_async_call(grid, block, _driver._native.stream_of_operation(stream), *values)


builtin_slice = slice
