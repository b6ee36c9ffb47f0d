"""Kernels that map elements and reduce the results to one value."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.described import described, entries, kernel_builder
from pycuda._arrays.kernel_cache import PerContext
from pycuda._c_arguments import EveryIndex, check_vector, parse_c_args
from pycuda.compiler import SourceModule
from pycuda.tools import VectorArg, dtype_to_ctype

__all__ = [
    "ReductionKernel", "get_reduction_module", "get_reduction_kernel_and_types", "get_sum_kernel", "get_any_kernel", "get_all_kernel",
    "get_dot_kernel", "get_subset_sum_kernel", "get_subset_dot_kernel", "get_minmax_kernel", "get_subset_minmax_kernel",
    "get_minmax_neutral",
]

_BLOCK_SIZE = 512


@described
def get_reduction_module(out_type, block_size, neutral, reduce_expr, map_expr, arguments, name="reduce_kernel", keep=False,
                         options=None, preamble=""):
    """Return the module of one stage of a reduction.

    Parameters
    ----------
    out_type : str
        C type of the result.
    block_size : int
        Threads per block, a power of two.
    neutral : str
        @neutral
    reduce_expr : str
        C expression of ``a`` and ``b``, associative and commutative.
    map_expr : str
        C expression of the index ``i``.
    arguments : str
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
    source = _driver._native.reduction_source(1, arguments, out_type, block_size, str(neutral), reduce_expr, map_expr, name, preamble)
    return SourceModule(source, options=options, keep=keep, no_extern_c=True)


@described
def get_reduction_kernel_and_types(stage, out_type, block_size, neutral, reduce_expr, map_expr=None, arguments=None,
                                   name="reduce_kernel", keep=False, options=None, preamble=""):
    """Return the kernel of one stage of a reduction.

    Parameters
    ----------
    stage : Literal[1, 2]
        1: map and reduce; 2: reduce the results of stage 1.
    out_type : str
        C type of the result.
    block_size : int
        Threads per block, a power of two.
    neutral : str
        @neutral
    reduce_expr : str
        C expression of ``a`` and ``b``, associative and commutative.
    map_expr : str, optional
        C expression of the index ``i``.
    arguments : str or list, optional
        @arguments

    Returns
    -------
    tuple[Function, list[str]]
        Prepared function, and the characters of its parameters.

    Raises
    ------
    CompileError
        @rejected_code
    """
    if stage not in (1, 2):
        raise ValueError(f"expected stage 1 or 2, given {stage}")
    arguments = parse_c_args(arguments or "")
    declarations = [arg.declarator() for arg in arguments]
    if stage == 2:
        declarations = [f"const {out_type} *pycuda_reduction_inp", *declarations]
        map_expr = "pycuda_reduction_inp[i]"
    elif map_expr is None:
        map_expr = "in[i]"
    module = get_reduction_module(out_type, block_size, neutral, reduce_expr, map_expr, ", ".join(declarations),
                                  f"{name}_stage{stage}", keep, options, preamble)
    function = module.get_function(f"{name}_stage{stage}")
    types = (["P"] if stage == 2 else []) + [arg.struct_char for arg in arguments]
    function.prepare(f"P{''.join(types)}I{np.dtype(np.uintp).char}")  # elements per thread, and in total
    return function, types


@described
class ReductionKernel:
    """A kernel that computes a C expression for every index and reduces the results to one value.

    Parameters
    ----------
    dtype_out : dtype
        dtype of the result.
    neutral : object
        @neutral
    reduce_expr : str
        C expression of ``a`` and ``b``, associative and commutative.
    map_expr : str, optional
        C expression of the index ``i``; None: the elements of the first vector.
    arguments : str or list, optional
        @arguments

    Raises
    ------
    CompileError
        The compiler rejects the code, at the first call.

    Examples
    --------
    >>> from pycuda.reduction import ReductionKernel
    >>> dot = ReductionKernel(np.float32, "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
    >>> x = gpuarray.arange(4, dtype=np.float32)
    >>> dot(x, x).item()
    14.0
    """

    def __init__(self, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel", keep=False, options=None,
                 preamble=""):
        self.dtype_out = np.dtype(dtype_out)
        self.block_size = _BLOCK_SIZE
        self.neutral = str(neutral)
        self.name = name
        if arguments is None:
            arguments = f"const {dtype_to_ctype(self.dtype_out)} *in"
        self.arguments = parse_c_args(arguments)
        self._vectors = [isinstance(arg, VectorArg) for arg in self.arguments]
        assert any(self._vectors), "a ReductionKernel needs at least one vector (pointer) among its arguments"

        def build():
            return [get_reduction_kernel_and_types(stage, dtype_to_ctype(self.dtype_out), _BLOCK_SIZE, self.neutral, reduce_expr, map_expr,
                                                   self.arguments, name, keep, options, preamble) for stage in (1, 2)]

        self._every_index = EveryIndex(name, self.arguments, "in[i]" if map_expr is None else map_expr, preamble)
        self._stages = PerContext(build)
        self._stages.get()  # errors in the source are reported here

    # Subclasses of client programs call these: (grid, block, stream, output, arguments, elements per thread, elements).
    @property
    def stage1_func(self):
        """The prepared function of the first stage."""
        return self._stages.get()[0][0].prepared_async_call

    @property
    def stage2_func(self):
        """The prepared function of the second stage."""
        return self._stages.get()[1][0].prepared_async_call

    def __call__(self, *args, stream=None, out=None, allocator=None, kernel_wrapper=None, **_ignored):
        """Reduce vectors.

        Parameters
        ----------
        args : object
            @kernel_arguments
        stream : Stream
            @stream
        out : GPUArray
            Array whose first element receives the result; None: a new 0-d array.
        allocator : callable
            @allocator
        kernel_wrapper : Callable[[Callable[..., Any]], Callable[..., Any]]
            Called with each stage's `prepared_async_call`, returns the function to call instead; None: no wrapper.

        Returns
        -------
        GPUArray
            The result, as a 0-d array or `out`.

        Raises
        ------
        TypeError
            The number of arguments is wrong, or a vector has another element type.
        RuntimeError
            A vector is not contiguous.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        from pycuda.gpuarray import empty

        if len(args) != len(self.arguments):
            raise TypeError(f"'{self.name}' takes {len(self.arguments)} arguments, given {len(args)}")
        first, values = None, []
        for arg, parameter, is_vector in zip(args, self.arguments, self._vectors):
            if not is_vector:
                values.append(arg)
                continue
            check_vector(self.name, parameter, arg)
            first = arg if first is None else first
            values.append(arg if arg.size else 0)
        self._every_index.check(args, first.size)
        if out is not None:
            if out.dtype != self.dtype_out:
                raise ValueError(f"out must have dtype {self.dtype_out}, not {out.dtype}")
            if out.size == 0:
                raise ValueError("out has no element to write the result to")
        allocator = first.allocator if allocator is None else allocator

        stream = _driver._native.stream_of_operation(stream)
        remaining, inputs = first.size, ()
        for function in self._stage_functions():
            call = function.prepared_async_call if kernel_wrapper is None else kernel_wrapper(function.prepared_async_call)
            blocks, per_thread = _driver._native.reduction_launch(remaining)
            last = blocks == 1
            if last:
                result = empty((), self.dtype_out, allocator) if out is None else out
            else:
                result = empty((blocks,), self.dtype_out, allocator)
            call((blocks, 1), (_BLOCK_SIZE, 1, 1), stream, result, *inputs, *values, per_thread, remaining)
            if last:
                return result
            inputs, remaining = (result,), blocks

    def _stage_functions(self):
        (first, _), (second, _) = self._stages.get()
        yield first
        while True:
            yield second


# ---- kernels of array operations

_builder = kernel_builder(entries("""
dtype : dtype
    @dtype_of_result
dtype_a : dtype
    dtype of a.
dtype_b : dtype
    dtype of b.
dtype_in : dtype
    @dtype_of_elements
dtype_out : dtype
    dtype of the result.
dtype_subset : dtype
    dtype of the indices.
what : _Extremum
    "min" or "max".
"""), "ReductionKernel\n    The kernel.")


@_builder
def get_sum_kernel(dtype_out, dtype_in):
    """Return a `ReductionKernel` of (in): the sum."""
    dtype_out = dtype_in if dtype_out is None else dtype_out
    out_type = dtype_to_ctype(dtype_out)
    return ReductionKernel(dtype_out, "0", "a+b", map_expr=f"({out_type}) in[i]", arguments=f"const {dtype_to_ctype(dtype_in)} *in", name="sum")


@_builder
def get_any_kernel(dtype_out, dtype_in):
    """Return a `ReductionKernel` of (in): whether an element is not zero."""
    return ReductionKernel(dtype_out, "false", "a || b", map_expr="in[i] != 0", arguments=f"const {dtype_to_ctype(dtype_in)} *in", name="any")


@_builder
def get_all_kernel(dtype_out, dtype_in):
    """Return a `ReductionKernel` of (in): whether no element is zero."""
    return ReductionKernel(dtype_out, "true", "a && b", map_expr="in[i] != 0", arguments=f"const {dtype_to_ctype(dtype_in)} *in", name="all")


def _product(dtype_out, a, dtype_a, b, dtype_b):
    """a*b computed in dtype_out; real factors of a complex product stay real."""
    from pycuda._arrays.elementwise_builders import _cast

    return f"{_cast(dtype_a, dtype_out)} {a} * {_cast(dtype_b, dtype_out)} {b}"


def _common(dtype_a, dtype_b):
    from pycuda.compyte.array import get_common_dtype

    return get_common_dtype(np.zeros(1, dtype_a), np.zeros(1, dtype_b), True)


@_builder
def get_dot_kernel(dtype_out, dtype_a, dtype_b):
    """Return a `ReductionKernel` of (a, b): the sum of products."""
    dtype_out = _common(dtype_a, dtype_b) if dtype_out is None else dtype_out
    return ReductionKernel(
        dtype_out, "0", "a+b", map_expr=f"({dtype_to_ctype(dtype_out)}) ({_product(dtype_out, 'a[i]', dtype_a, 'b[i]', dtype_b)})",
        arguments=f"const {dtype_to_ctype(dtype_a)} *a, const {dtype_to_ctype(dtype_b)} *b", name="dot")


@_builder
def get_subset_sum_kernel(dtype_out, dtype_subset, dtype_in):
    """Return a `ReductionKernel` of (lookup_tbl, in): the sum of the elements that the table lists."""
    dtype_out = dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(dtype_out, "0", "a+b", map_expr=f"({dtype_to_ctype(dtype_out)}) in[lookup_tbl[i]]",
                           arguments=f"const {dtype_to_ctype(dtype_subset)} *lookup_tbl, const {dtype_to_ctype(dtype_in)} *in", name="subset_sum")


@_builder
def get_subset_dot_kernel(dtype_out, dtype_subset, dtype_a=None, dtype_b=None):
    """Return a `ReductionKernel` of (lookup_tbl, a, b): the sum of products of the elements that the table lists."""
    dtype_a = dtype_out if dtype_a is None else dtype_a
    dtype_b = dtype_a if dtype_b is None else dtype_b
    dtype_out = _common(dtype_a, dtype_b) if dtype_out is None else dtype_out
    product = _product(dtype_out, "a[lookup_tbl[i]]", dtype_a, "b[lookup_tbl[i]]", dtype_b)
    return ReductionKernel(
        dtype_out, "0", "a+b", map_expr=f"({dtype_to_ctype(dtype_out)}) ({product})",
        arguments=", ".join(f"const {dtype_to_ctype(dtype)} *{name}" for dtype, name in ((dtype_subset, "lookup_tbl"), (dtype_a, "a"), (dtype_b, "b"))),
        name="subset_dot")


def get_minmax_neutral(what, dtype):
    """Return the neutral element of a minimum or maximum, as C text.

    Parameters
    ----------
    what : _Extremum
        "min" or "max".
    dtype : dtype
        @dtype_of_result

    Returns
    -------
    str
        C text.

    Raises
    ------
    CompileError
        @rejected_code
    """
    _check_extremum(what)
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        value = limits.max if what == "min" else limits.min
        # The smallest integer has no literal of its type.
        return f"({value + 1} - 1)" if value < -2**31 or (value < 0 and dtype.itemsize == 4) else f"{value}{'ULL' if value >= 2**63 else ''}"
    if dtype.kind == "f":
        return "MY_INFINITY" if what == "min" else "-MY_INFINITY"
    if dtype.kind == "b":
        return "true" if what == "min" else "false"
    raise TypeError(f"expected a real dtype, given {dtype}: it has no order")


def _check_extremum(what):
    if what not in ("min", "max"):
        raise ValueError(f"expected 'min' or 'max', given {what!r}")


def _minmax_expression(what, dtype):
    _check_extremum(what)
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        return f"f{what}(a,b)"
    if dtype == np.float32:
        return f"f{what}f(a,b)"
    if dtype.kind in "iub":
        return f"a {'<' if what == 'min' else '>'} b ? a : b"
    raise TypeError(f"expected float32, float64 or an integer dtype, given {dtype}")


@_builder
def get_minmax_kernel(what, dtype):
    """Return a `ReductionKernel` of (in): the smallest or largest element."""
    expression = _minmax_expression(what, dtype)
    ctype = dtype_to_ctype(dtype)
    return ReductionKernel(dtype, get_minmax_neutral(what, dtype), expression, map_expr="in[i]", arguments=f"const {ctype} *in", name=what)


@_builder
def get_subset_minmax_kernel(what, dtype, dtype_subset):
    """Return a `ReductionKernel` of (lookup_tbl, in): the smallest or largest element that the table lists."""
    expression = _minmax_expression(what, dtype)
    return ReductionKernel(dtype, get_minmax_neutral(what, dtype), expression, map_expr="in[lookup_tbl[i]]",
                           arguments=f"const {dtype_to_ctype(dtype_subset)} *lookup_tbl, const {dtype_to_ctype(dtype)} *in", name=f"subset_{what}")
