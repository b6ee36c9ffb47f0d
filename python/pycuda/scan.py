"""Scans: cumulative results up to each element."""

import functools
import operator
import re

import numpy as np

from pycuda import _driver
from pycuda._arrays.described import described, entries
from pycuda._arrays.kernel_cache import PerContext
from pycuda._c_arguments import EveryIndex, check_vector, parse_c_args
from pycuda.compiler import SourceModule
from pycuda.tools import VectorArg, dtype_to_ctype

__all__ = ["InclusiveScanKernel", "ExclusiveScanKernel", "GenericScanKernel"]


_described = functools.partial(described, shared=entries("""
devices : object
    Ignored, as in PyCUDA.
dtype : dtype
    @dtype_of_result
name_prefix : str
    Prefix of the kernels' names.
neutral : object
    @neutral
options : list of str
    @options
preamble : str
    @preamble
scan_expr : str
    C expression of ``a`` (left) and ``b`` (right), associative.
"""))


class _Scan:
    """One scan kernel, and a second one that finds the last item if the output uses it. Both are compiled once in each context, and
    launched with scratch memory."""

    def __init__(self, dtype, expression, neutral, preamble, parameters, input_expr, output, segment_start, name, types, options):
        arguments = (dtype_to_ctype(dtype), dtype.itemsize, expression, "" if neutral is None else str(neutral), preamble, parameters,
                     input_expr, output, segment_start, name)
        self._uses_last = "last_item" in output
        if self._uses_last:
            types += "P"

        def build(find_last):
            text, kernel_name = _driver._native.scan_source(*arguments, find_last)
            return SourceModule(text, options=options, no_extern_c=True).get_function(kernel_name).prepare(f"{types}P{np.dtype(np.uint64).char}")

        self._geometry = _driver._native.scan_launch(dtype.itemsize, bool(segment_start))
        self._dtype = dtype
        self._kernels = [PerContext(lambda find_last=find_last: build(find_last)) for find_last in ((True, False) if self._uses_last else (False,))]
        for kernel in self._kernels:
            kernel.get()  # errors in the source are reported here

    def __call__(self, n, allocator, stream, *arguments):
        from pycuda.gpuarray import GPUArray

        if n == 0:
            return
        if self._uses_last:
            last = GPUArray((), self._dtype, allocator=allocator)
            arguments += (last,)
        for kernel in self._kernels:
            self._launch(kernel.get(), n, allocator, stream, arguments)

    def _launch(self, function, n, allocator, stream, arguments):
        from pycuda._arrays import operations as _operations
        from pycuda.gpuarray import GPUArray

        threads, tile, once, of_block = self._geometry
        blocks = -(-n // tile)
        scratch = GPUArray((once + blocks * of_block,), np.uint8, allocator=allocator)
        if blocks > 1:
            _operations.zero(scratch, stream)
        stream = _driver._native.stream_of_operation(stream)
        function.prepared_async_call((blocks, 1), (threads, 1, 1), stream, *arguments, scratch, n)


class _ScanKernelBase:
    _output = ""

    def __init__(self, dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None):
        self.dtype = np.dtype(dtype)
        self.neutral = neutral
        # Attributes that programs read; the kernel chooses its own values.
        self.scan_wg_size, self.update_wg_size, self.scan_wg_seq_batches = 128, 256, 6
        self._scan = _Scan(self.dtype, scan_expr, neutral, preamble, "", "", self._output, "", name_prefix, "PP", options)

    def __call__(self, input_ary, output_ary=None, allocator=None, stream=None):
        """Scan a one-dimensional array.

        Parameters
        ----------
        input_ary : GPUArray
            The array.
        output_ary : GPUArray, optional
            Array to write to; "new": a new array; None: in place.
        allocator : callable, optional
            @allocator
        stream : Stream, optional
            @stream

        Returns
        -------
        GPUArray
            The result.

        Raises
        ------
        TypeError
            An array has another dtype.
        RuntimeError
            An array is not contiguous.
        ValueError
            The shapes differ.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        from pycuda.gpuarray import GPUArray

        (n,) = input_ary.shape
        if not input_ary.flags.forc:
            raise RuntimeError("the input of a scan must be contiguous; pass a copy()")
        if input_ary.dtype != self.dtype:
            raise TypeError(f"the input of this scan must have dtype {self.dtype}, not {input_ary.dtype}")
        allocator = input_ary.allocator if allocator is None else allocator
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str) and output_ary == "new":
            output_ary = GPUArray(input_ary.shape, self.dtype, allocator=allocator)
        if output_ary.shape != input_ary.shape:
            raise ValueError(f"input and output of a scan must have the same shape, given {input_ary.shape} and {output_ary.shape}")
        if not output_ary.flags.forc:
            raise RuntimeError("the output of a scan must be contiguous")
        if output_ary.dtype != self.dtype:
            raise TypeError(f"the output of this scan must have dtype {self.dtype}, not {output_ary.dtype}")
        self._scan(n, allocator, stream, input_ary, output_ary)
        return output_ary


@_described
class InclusiveScanKernel(_ScanKernelBase):
    """A kernel for inclusive scans: element i of the result combines elements 0 to i.

    Raises
    ------
    CompileError
        @rejected_code

    Examples
    --------
    >>> from pycuda.scan import InclusiveScanKernel
    >>> running_max = InclusiveScanKernel(np.int32, "a > b ? a : b")
    >>> running_max(gpuarray.to_gpu(np.array([1, 3, 2], np.int32))).get().tolist()
    [1, 3, 3]
    """


@_described
class ExclusiveScanKernel(_ScanKernelBase):
    """A kernel for exclusive scans: element i of the result combines `neutral` and elements 0 to i - 1.

    Raises
    ------
    ValueError
        `neutral` is None.
    CompileError
        @rejected_code

    Examples
    --------
    >>> from pycuda.scan import ExclusiveScanKernel
    >>> scan = ExclusiveScanKernel(np.int32, "a + b", neutral=0)
    >>> scan(gpuarray.to_gpu(np.array([1, 2, 3], np.int32))).get().tolist()
    [0, 1, 3]
    """

    _output = "out[i] = prev_item"

    def __init__(self, dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None):
        if neutral is None:
            raise ValueError("an exclusive scan needs the neutral element: give neutral=")
        super().__init__(dtype, scan_expr, neutral, name_prefix, options, preamble, devices)


@_described
class GenericScanKernel:
    """A kernel that scans the values of a C expression, and runs a statement with the results.

    Parameters
    ----------
    dtype : dtype
        dtype of the scanned values.
    arguments : str or Iterable[ScalarArg or VectorArg]
        @arguments
    input_expr : str
        C expression of the index ``i`` and the arguments.
    neutral : object
        Neutral element, as C text.
    output_statement : str
        C statement of ``i``, ``item``, ``prev_item``, ``last_item`` and the arguments; ``N`` is the number of elements.
    is_segment_start_expr : str, optional
        C expression of ``i``: whether the scan restarts there; None: never.
    input_fetch_exprs : Iterable[tuple[str, str, int]], optional
        Tuples (name, argument, offset): `name` stands for ``argument[i + offset]``.
    index_dtype : dtype, optional
        dtype of the index.

    Raises
    ------
    ValueError
        No argument is a vector.
    CompileError
        @rejected_code
    """

    def __init__(self, dtype, arguments, input_expr, scan_expr, neutral, output_statement, is_segment_start_expr=None,
                 input_fetch_exprs=None, index_dtype=np.int32, name_prefix="scan", options=None, preamble="", devices=None):
        self.dtype = np.dtype(dtype)
        self.neutral = neutral
        self.index_dtype = np.dtype(index_dtype)
        self._name = name_prefix
        self.parsed_args = parse_c_args(arguments)
        vectors = [k for k, arg in enumerate(self.parsed_args) if isinstance(arg, VectorArg)]
        if not vectors:
            raise ValueError("a GenericScanKernel needs at least one vector (pointer) among its arguments")
        self.first_array_idx = vectors[0]

        def expanded(text):
            for name, argument, offset in input_fetch_exprs or ():
                text = re.sub(rf"\b{name}\b", f"({argument}[i + ({offset})])", text)
            return re.sub(r"\bN\b", f"(({dtype_to_ctype(self.index_dtype)}) N)", text)

        texts = [expanded(text) for text in (input_expr, output_statement, is_segment_start_expr or "")]
        self._every_index = EveryIndex(name_prefix, self.parsed_args, "; ".join(texts), preamble)
        self._scan = _Scan(
            self.dtype, re.sub(r"\bacross_seg_boundary\b", "false", scan_expr), neutral, preamble,
            ", ".join(arg.declarator() for arg in self.parsed_args), *texts, name_prefix,
            "".join(arg.struct_char for arg in self.parsed_args), options)

    def __call__(self, *args, allocator=None, size=None, stream=None):
        """Run the scan for the indices of the first vector.

        Parameters
        ----------
        args : object
            @kernel_arguments
        allocator : callable
            @allocator
        size : int
            Number of indices; None: all.
        stream : Stream
            @stream

        Raises
        ------
        TypeError
            The number of arguments is wrong, or a vector has another element type.
        RuntimeError
            A vector is not contiguous.
        ValueError
            A vector is too short.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        if len(args) != len(self.parsed_args):
            raise TypeError(f"the scan takes {len(self.parsed_args)} arguments, given {len(args)}")
        values = []
        for arg, parameter in zip(args, self.parsed_args):
            if isinstance(parameter, VectorArg):
                check_vector(self._name, parameter, arg)
                arg = arg if arg.size else 0
            values.append(arg)
        first = args[self.first_array_idx]
        n = first.size if size is None else operator.index(size)
        self._every_index.check(args, n)
        self._scan(n, first.allocator if allocator is None else allocator, stream, *values)
