"""What solvers take for a matrix: something with a dtype and a shape that can be called with a vector."""

import numpy as np

__all__ = ["OperatorBase", "IdentityOperator", "DiagonalPreconditioner"]


class OperatorBase:
    """The interface: `dtype`, `shape`, and a call with a vector on the device that gives the product."""

    @property
    def dtype(self):
        raise NotImplementedError(f"{type(self).__name__} must have a dtype")

    @property
    def shape(self):
        raise NotImplementedError(f"{type(self).__name__} must have a shape")

    def __call__(self, operand):
        raise NotImplementedError(f"{type(self).__name__} must be callable")


class IdentityOperator(OperatorBase):
    """The identity of n rows: gives back its operand itself."""

    dtype = shape = None  # of every object its own

    def __init__(self, dtype, n):
        self.dtype = np.dtype(dtype)
        self.shape = n, n

    def __call__(self, operand):
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies by `diagonal`, a vector on the device: for Jacobi's method, the reciprocals of a matrix's diagonal."""

    def __init__(self, diagonal):
        if len(diagonal.shape) != 1:
            raise ValueError(f"expected a diagonal of one dimension, given shape {diagonal.shape}")
        self.diagonal = diagonal

    @property
    def dtype(self):
        return self.diagonal.dtype

    @property
    def shape(self):
        n, = self.diagonal.shape
        return n, n

    def __call__(self, operand):
        if operand.shape != self.diagonal.shape:
            raise ValueError(f"expected a vector of shape {self.diagonal.shape}, given {operand.shape}")
        return self.diagonal * operand
