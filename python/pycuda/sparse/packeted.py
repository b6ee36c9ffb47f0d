"""Products of square matrices whose rows are reordered, so that rows with common columns are close to each other."""

import numpy as np

from pycuda import gpuarray
from pycuda.sparse.coordinate import CoordinateSpMV

__all__ = ["PacketedSpMV"]


def _breadth_first(row, col, n):
    """All n rows, each after one that it is connected to if there is one: distance by distance from the first of each component."""
    order = np.argsort(row, kind="stable")
    neighbours = col[order]
    starts = np.searchsorted(row[order], np.arange(n + 1))
    seen = np.zeros(n, bool)
    levels = []
    for root in range(n):
        if seen[root]:
            continue
        level = np.array([root])
        seen[root] = True
        while level.size:
            levels.append(level)
            reached = np.concatenate([neighbours[starts[r]:starts[r + 1]] for r in level])
            level = np.unique(reached[~seen[reached]])
            seen[level] = True
    return np.concatenate(levels) if levels else np.zeros(0, np.intp)


class _Entries:
    def __init__(self, shape, row, col, data):
        self.shape, self.row, self.col, self.data = shape, row, col, data


class PacketedSpMV:
    """A square sparse matrix on the device whose rows and columns are reordered, so that neighbours in its graph are close in memory.

    Parameters
    ----------
    mat : object
        A matrix as `CoordinateSpMV` takes it.
    is_symmetric : bool
        Whether the indices of its elements are symmetric.
    dtype : dtype
        dtype of elements and vectors.
    """

    def __init__(self, mat, is_symmetric, dtype):
        coo = mat.tocoo() if hasattr(mat, "tocoo") else mat
        n, columns = coo.shape
        if n != columns:
            raise ValueError(f"expected a square matrix, given shape {tuple(coo.shape)}")
        row, col = np.asarray(coo.row, np.intp), np.asarray(coo.col, np.intp)
        if row.size and not (min(row.min(), col.min()) >= 0 and max(row.max(), col.max()) < n):
            raise ValueError(f"row and column indices must be from 0 to {n - 1}")
        order = _breadth_first(row, col, n) if is_symmetric else _breadth_first(np.append(row, col), np.append(col, row), n)
        rank = np.empty(n, np.intp)
        rank[order] = np.arange(n)
        self._order, self._rank = (gpuarray.to_gpu(part.astype(np.int64)) for part in (order, rank))
        self._product = CoordinateSpMV(_Entries((n, n), rank[row], rank[col], coo.data), dtype)
        self.shape, self.dtype = self._product.shape, self._product.dtype

    def permute(self, x):
        """Return the elements of a vector in the matrix's own order.

        Parameters
        ----------
        x : GPUArray
            A vector in the original order.

        Returns
        -------
        GPUArray
            A new vector.
        """
        return gpuarray.take(self._checked(x), self._order)

    def unpermute(self, x):
        """Undo `permute`.

        Parameters
        ----------
        x : GPUArray
            A vector in the matrix's own order.

        Returns
        -------
        GPUArray
            A new vector, in the original order.
        """
        return gpuarray.take(self._checked(x), self._rank)

    def _checked(self, x):
        if x.shape != self.shape[:1]:
            raise ValueError(f"expected a vector of shape {self.shape[:1]}, given {x.shape}")
        return x

    def __call__(self, x, y=None):
        """Add ``A x`` to `y`. Both are in the matrix's own order.

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
        """
        return self._product(x, y)
