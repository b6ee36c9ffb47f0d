"""Products of matrices that are given by the coordinates of their elements."""

from operator import index

import numpy as np

from pycuda import gpuarray
from pycuda._arrays import operations as _operations
from pycuda.compiler import SourceModule
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

__all__ = ["CoordinateSpMV"]

_BLOCK_SIZE = 128

# LANES threads share a row, so that adjacent threads read adjacent elements; the order of sums is fixed, so that results are reproducible.
_SOURCE = """#include <pycuda-complex.hpp>
typedef {value} value_type;
typedef {index} index_type;

extern "C" __global__ void coordinate_product(const long long *starts, const index_type *rows, const index_type *columns,
    const value_type *values, const value_type *x, value_type *y, long long row_count)
{{
  __shared__ __align__(16) unsigned char memory[{block_size} * sizeof(value_type)];
  value_type *const partial = reinterpret_cast<value_type *>(memory) + threadIdx.x;
  const unsigned lane = threadIdx.x % {lanes};
  const long long row = (blockIdx.x * (long long) {block_size} + threadIdx.x) / {lanes};

  value_type sum = value_type(0);
  if (row < row_count)
    for (long long k = starts[row] + lane; k < starts[row + 1]; k += {lanes})
      sum += values[k] * x[columns[k]];
  *partial = sum;
  for (unsigned half = {lanes} / 2; half > 0; half /= 2) {{
    __syncthreads();
    if (lane < half) partial[0] += partial[half];
  }}
  if (row < row_count && lane == 0) y[rows[row]] += *partial;
}}
"""


@context_dependent_memoize
def get_kernel(dtype, index_dtype, lanes):
    """The prepared function for elements and indices of these dtypes, with `lanes` threads per row, a power of two up to 32."""
    if index(lanes) not in (1, 2, 4, 8, 16, 32):
        raise ValueError(f"lanes must be a power of two up to 32, not {lanes}")
    source = _SOURCE.format(value=dtype_to_ctype(dtype), index=dtype_to_ctype(index_dtype), block_size=_BLOCK_SIZE, lanes=lanes)
    return SourceModule(source, no_extern_c=True).get_function("coordinate_product").prepare("PPPPPPq")


def _checked(indices, length, what):
    indices = np.asarray(indices)
    if indices.size and not (indices.min() >= 0 and indices.max() < length):
        raise ValueError(f"{what} must be from 0 to {length - 1}, given {indices.min()} to {indices.max()}")
    return indices


class CoordinateSpMV:
    """A sparse matrix on the device that multiplies vectors.

    Parameters
    ----------
    mat : object
        A SciPy sparse matrix, or an object with `shape`, `row`, `col` and `data`, or with `tocoo()`. Elements at the same indices are added.
    dtype : dtype
        dtype of elements and vectors.
    """

    def __init__(self, mat, dtype):
        coo = mat.tocoo() if hasattr(mat, "tocoo") else mat
        self.dtype = np.dtype(dtype)
        self.shape = tuple(int(length) for length in coo.shape)
        if len(self.shape) != 2:
            raise ValueError(f"expected a matrix, given shape {self.shape}")
        row, col = _checked(coo.row, self.shape[0], "row indices"), _checked(coo.col, self.shape[1], "column indices")
        if not len(row) == len(col) == len(coo.data):
            raise ValueError(f"expected as many rows, columns and elements, given {len(row)}, {len(col)} and {len(coo.data)}")
        # Ordered by rows, without empty rows.
        order = np.argsort(row, kind="stable")
        rows, starts = np.unique(row[order], return_index=True)
        self._row_count = len(rows)
        if not self._row_count:
            return
        index_dtype = np.dtype(np.int32 if max(self.shape) <= 2**31 else np.int64)
        self._lanes = min(32, 1 << (-(-len(row) // self._row_count) - 1).bit_length())
        self._arrays = [gpuarray.to_gpu(np.ascontiguousarray(part)) for part in (
            np.append(starts, len(row)).astype(np.int64), rows.astype(index_dtype), np.asarray(col)[order].astype(index_dtype),
            np.asarray(coo.data)[order].astype(self.dtype))]
        self._index_dtype = index_dtype

    def _check(self, name, vector, length):
        if not isinstance(vector, gpuarray.GPUArray):
            raise TypeError(f"{name} must be a GPUArray, not {type(vector).__name__}")
        if vector.shape != (length,) or vector.dtype != self.dtype:
            raise ValueError(f"{name} must have shape {(length,)} and dtype {self.dtype}, given {vector.shape} and {vector.dtype}")

    def __call__(self, x, y=None):
        """Add ``A x`` to `y`, on the default stream.

        Parameters
        ----------
        x : GPUArray
            A vector on the device, in the matrix's dtype.
        y : GPUArray, optional
            Vector to add to; None: a new vector of zeros.

        Returns
        -------
        GPUArray
            `y`, or the new vector.

        Raises
        ------
        ValueError
            A vector has the wrong shape or dtype.
        """
        self._check("x", x, self.shape[1])
        if y is None:
            y = gpuarray.zeros(self.shape[0], self.dtype, allocator=x.allocator)
        else:
            self._check("y", y, self.shape[0])
            if not y.flags.c_contiguous:
                raise ValueError("y must be contiguous")
            start = _operations.lowest(x, None)
            if x.size and y.size and start < y.ptr + y.nbytes and y.ptr < start + (x.size - 1) * abs(x.strides[0]) + x.itemsize:
                raise ValueError("y must not overlap x")
        if self._row_count:
            if not x.flags.c_contiguous:
                x = x.copy()
            function = get_kernel(self.dtype, self._index_dtype, self._lanes)
            blocks = -(-self._row_count * self._lanes // _BLOCK_SIZE)
            function.prepared_async_call((blocks, 1), (_BLOCK_SIZE, 1, 1), None, *self._arrays, x, y,
                                         self._row_count)
        return y
