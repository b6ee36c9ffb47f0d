"""Linear operators for solvers: objects with a dtype and a shape that can be called with a vector."""

import operator

import numpy as np

from pycuda.gpuarray import GPUArray

__all__ = ["OperatorBase", "IdentityOperator", "DiagonalPreconditioner"]


class OperatorBase:
    """The interface of a linear operator: `dtype`, `shape`, and a call with a vector on the device that returns the product."""

    @property
    def dtype(self):
        """The dtype of the operator and its vectors."""
        raise NotImplementedError(f"{type(self).__name__} must have a dtype")

    @property
    def shape(self):
        """The numbers of rows and columns."""
        raise NotImplementedError(f"{type(self).__name__} must have a shape")

    def __call__(self, operand):
        """Return the product with a vector.

        Parameters
        ----------
        operand : GPUArray
            A vector on the device.

        Returns
        -------
        GPUArray
            The product.
        """
        raise NotImplementedError(f"{type(self).__name__} must be callable")


class IdentityOperator(OperatorBase):
    """The identity: returns its operand.

    Parameters
    ----------
    dtype : dtype
        dtype of the vectors.
    n : int
        Number of rows.
    """

    dtype = shape = None  # set by each object

    def __init__(self, dtype, n):
        self.dtype = np.dtype(dtype)
        n = operator.index(n)
        if n < 0:
            raise ValueError(f"expected a number of rows, given {n}")
        self.shape = n, n

    def __call__(self, operand):
        """Return the operand.

        Parameters
        ----------
        operand : GPUArray
            A vector on the device.

        Returns
        -------
        GPUArray
            The operand, not a copy.
        """
        if not isinstance(operand, GPUArray):
            raise TypeError(f"operand must be a GPUArray, not {type(operand).__name__}")
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies by a diagonal. For Jacobi's method pass the reciprocals of a matrix's diagonal.

    Parameters
    ----------
    diagonal : GPUArray
        The diagonal, a vector on the device.
    """

    def __init__(self, diagonal):
        if len(diagonal.shape) != 1:
            raise ValueError(f"expected a diagonal of one dimension, given shape {diagonal.shape}")
        self.diagonal = diagonal

    @property
    def dtype(self):
        """The dtype of the diagonal."""
        return self.diagonal.dtype

    @property
    def shape(self):
        """The numbers of rows and columns."""
        n, = self.diagonal.shape
        return n, n

    def __call__(self, operand):
        """Return the product with the diagonal, element by element.

        Parameters
        ----------
        operand : GPUArray
            A vector on the device.

        Returns
        -------
        GPUArray
            A new vector.
        """
        if operand.shape != self.diagonal.shape:
            raise ValueError(f"expected a vector of shape {self.diagonal.shape}, given {operand.shape}")
        return self.diagonal * operand
