"""pycuda.sparse."""

import types

import numpy as np
import pycuda.driver as drv
from kinds import shared
from other_values import WRONG, made, values
from pycuda.gpuarray import to_gpu
from pycuda.sparse import cg, coordinate, inner, operator, packeted
from table import row


def matrix():
    """The parts of a SciPy matrix, of shape (4, 4), that these classes need."""
    diagonal = np.arange(4)
    data = np.full(4, 2, np.float32)
    csr = types.SimpleNamespace(shape=(4, 4), indptr=np.arange(5), indices=diagonal, data=data, nnz=4, tocsr=lambda: csr)
    return types.SimpleNamespace(shape=(4, 4), row=diagonal, col=diagonal, data=data, nnz=4, tocsr=lambda: csr, tocoo=matrix)


def vector(value=1):
    return lambda: to_gpu(np.full(4, value, np.float32))


def identity():
    return operator.IdentityOperator(np.float32, 4)


def allocator():
    return drv.pagelocked_empty


def state():
    solver = cg.CGStateContainer(identity(), pagelocked_allocator=drv.pagelocked_empty)
    solver.reset(vector()())
    return solver


@shared
def packed():
    return packeted.PacketedSpMV(matrix(), True, np.float32)


#: Freed memory is only detected when the vector is used.
NO_VECTOR = [wrong for wrong in WRONG["GPUArray"] if "freed" not in wrong.name]
SCALAR = [wrong for wrong in WRONG["operand"] if "freed" not in wrong.name]
#: Python integers of any size; None means the default limit.
NO_LIMIT = [wrong for wrong in WRONG["integer"] if not wrong.name.lstrip("-").isdigit() and wrong.name != "None"]
NO_MATRIX = {"mat": values("x", 3, None, [1], raises=(TypeError, ValueError, AttributeError)) + made(AttributeError, an_object=object)}

row("sparse.cg.CGStateContainer", operator=identity, precon=identity, pagelocked_allocator=allocator)
row("sparse.cg.CGStateContainer.make_lc2_kernel", on=state, dtype=np.float32, a_is_gpu=False, b_is_gpu=True)
row("sparse.cg.CGStateContainer.lc2", on=state, a=2.0, x=vector(), b=3.0, y=vector(), out=vector(), wrong={"a": SCALAR, "b": SCALAR})
row("sparse.cg.CGStateContainer.make_guarded_div_kernel", on=state, dtype=np.float32)
row("sparse.cg.CGStateContainer.guarded_div", on=state, a=vector(), b=vector())
row("sparse.cg.CGStateContainer.reset", on=state, rhs=vector(), x=vector())
row("sparse.cg.CGStateContainer.one_iteration", on=state, compute_real_residual=True)
row("sparse.cg.CGStateContainer.run", on=state, max_iterations=4, tol=1e-3, debug_callback=lambda: print,
    wrong={"max_iterations": NO_LIMIT})
row("sparse.cg.solve_pkt_with_cg", pkt_spmv=packed, b=vector(), precon=identity, x=vector(), tol=1e-3, max_iterations=4, debug=False,
    pagelocked_allocator=allocator, wrong={"max_iterations": NO_LIMIT})
row("sparse.coordinate.get_kernel", dtype=np.dtype(np.float32), index_dtype=np.dtype(np.int32), lanes=1,
    wrong={"lanes": [wrong for wrong in WRONG["integer"] if wrong.name != "np.float32(1.0)"]})  # equal to 1 as a cache key
row("sparse.coordinate.CoordinateSpMV", mat=matrix, dtype=np.float32, wrong=NO_MATRIX)
row("sparse.coordinate.CoordinateSpMV.__call__", on=shared(lambda: coordinate.CoordinateSpMV(matrix(), np.float32)), x=vector(), y=vector())
row("sparse.inner.AsyncInnerProduct", a=vector(), b=vector(), pagelocked_allocator=allocator)
row("sparse.operator.IdentityOperator", dtype=np.float32, n=4, wrong={"n": [wrong for wrong in WRONG["integer"] if wrong.name != str(2**70)]})
row("sparse.operator.IdentityOperator.__call__", on=identity, operand=vector(), wrong={"operand": NO_VECTOR})
row("sparse.operator.OperatorBase.__call__", on=operator.OperatorBase, operand=vector(), fails=NotImplementedError, wrong={"operand": values("x", raises=NotImplementedError)})
row("sparse.operator.DiagonalPreconditioner", diagonal=vector(), wrong={"diagonal": NO_VECTOR})
row("sparse.operator.DiagonalPreconditioner.__call__", on=lambda: operator.DiagonalPreconditioner(vector()()), operand=vector())
row("sparse.packeted.PacketedSpMV", mat=matrix, is_symmetric=True, dtype=np.float32, wrong=NO_MATRIX)
row("sparse.packeted.PacketedSpMV.permute", on=packed, x=vector())
row("sparse.packeted.PacketedSpMV.unpermute", on=packed, x=vector())
row("sparse.packeted.PacketedSpMV.__call__", on=packed, x=vector(), y=vector())
