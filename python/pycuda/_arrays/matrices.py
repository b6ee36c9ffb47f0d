"""Products of matrices, for small ones: large ones are cuBLAS's business, which scikit-cuda gives."""

import numpy as np

from pycuda._arrays.copies import packed_copy
from pycuda.compyte.array import get_common_dtype
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

__all__ = ["matmul"]

_TILE = 16


@context_dependent_memoize
def _kernel(dtype):
    from pycuda.compiler import SourceModule

    function = SourceModule(f"""
        #include <pycuda-complex.hpp>
        #define TILE {_TILE}
        typedef {dtype_to_ctype(dtype)} T;
        // c (rows x columns) = a (rows x inner) * b (inner x columns), all in C order.
        extern "C" __global__ void matmul(const T *a, const T *b, T *c, unsigned long rows, unsigned long inner, unsigned long columns)
        {{
          __shared__ __align__(16) unsigned char memory_a[TILE * TILE * sizeof(T)], memory_b[TILE * TILE * sizeof(T)];
          T (*tile_a)[TILE] = reinterpret_cast<T (*)[TILE]>(memory_a), (*tile_b)[TILE] = reinterpret_cast<T (*)[TILE]>(memory_b);
          const unsigned x = threadIdx.x, y = threadIdx.y;
          const unsigned long row = blockIdx.y * (unsigned long) TILE + y, column = blockIdx.x * (unsigned long) TILE + x;
          T sum = T(0);
          for (unsigned long k = 0; k < inner; k += TILE) {{
            tile_a[y][x] = row < rows && k + x < inner ? a[row * inner + k + x] : T(0);
            tile_b[y][x] = column < columns && k + y < inner ? b[(k + y) * columns + column] : T(0);
            __syncthreads();
            for (unsigned j = 0; j < TILE; ++j) sum += tile_a[y][j] * tile_b[j][x];
            __syncthreads();
          }}
          if (row < rows && column < columns) c[row * columns + column] = sum;
        }}
        """, no_extern_c=True).get_function("matmul")
    return function.prepare("PPPLLL")


def matmul(a, b, out=None, stream=None):
    """The product of two matrices, or of a matrix and a vector, on either side."""
    from pycuda.gpuarray import GPUArray

    if a.ndim not in (1, 2) or b.ndim not in (1, 2):
        raise ValueError(f"matmul: expected matrices and vectors, given shapes {a.shape} and {b.shape}")
    inner = a.shape[-1]
    if b.shape[0] != inner:
        raise ValueError(f"matmul: shapes {a.shape} and {b.shape} do not fit: {inner} is not {b.shape[0]}")
    dtype = get_common_dtype(a, b, True)
    shape = a.shape[:-1] + b.shape[1:]
    if out is None:
        out = GPUArray(shape, dtype, allocator=a.allocator)
    elif out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise ValueError(f"matmul: out must be C-contiguous, of shape {shape} and dtype {dtype}")
    rows, columns = a.shape[0] if a.ndim == 2 else 1, b.shape[1] if b.ndim == 2 else 1
    if out.size == 0:
        return out
    if inner == 0:
        return out.fill(0)
    a, b = (array if array.dtype == dtype and array.flags.c_contiguous else packed_copy(array).astype(np.dtype(dtype)) for array in (a, b))
    blocks = -(-columns // _TILE), -(-rows // _TILE)
    if blocks[1] > 65535:
        raise ValueError(f"matmul: {rows} rows are too many for it; use cuBLAS (scikit-cuda's linalg.dot)")
    _kernel(dtype).prepared_async_call(blocks, (_TILE, _TILE, 1), stream, a.gpudata, b.gpudata, out.gpudata, rows, inner, columns)
    return out
