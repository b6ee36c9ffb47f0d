"""One valid call of each of NumPy's functions, ndarray's methods and universal functions that arrays on the device have, and values for their parameters."""

import functools
import inspect

import numpy as np
from pycuda._arrays import operations, universal_functions
from pycuda._arrays.numpy_functions import functions
from pycuda.gpuarray import GPUArray

X = np.array([[4.0, 1.5, 2.5], [3.0, 0.5, 6.0]])
Y = np.array([[1.0, 1.5, 2.0], [7.0, 0.25, 6.0]])
Z = np.array([[1 + 2j, 3.0, 0], [2j, 1, 4]])
V, W = np.array([1.0, 2.0, 4.0]), np.array([2.0, 0.5, 1.0])
N, COUNTS = np.array([2, 0, 1]), np.array([[1, 2, 0], [0, 3, 1]])
M = np.array([[True, False, True], [False, True, True]])
NAN = np.array([[4.0, np.nan, 2.5], [3.0, 0.5, 7.0]])

_OF_X = """sum prod mean std var any all min max amin amax argmin argmax cumsum cumprod sort argsort median average ptp ravel copy transpose round around squeeze
flip count_nonzero nonzero argwhere flatnonzero unique shape ndim size iscomplexobj isrealobj diff trace diagonal tril triu rot90 histogram histogram_bin_edges
atleast_1d atleast_2d atleast_3d empty_like zeros_like ones_like""".split()
#: Functions of more namespaces, and of those the arguments beside a matrix.
P, SQUARE, SYMMETRIC, BYTES = np.array([2.0, -3.0, 1.0]), np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1, 200], np.uint8)
_OF_NAN = "nansum nanprod nanmean nanstd nanvar nanmin nanmax nanargmin nanargmax nancumsum nancumprod nan_to_num".split()

#: The arguments of each function, by position and by name; NumPy arrays stand for arrays on the device.
CALLS = {
    **{name: ((X,), {}) for name in _OF_X}, **{name: ((NAN,), {}) for name in _OF_NAN},
    **{name: ((Z,), {}) for name in ("real", "imag", "angle")}, **{name: (([X, Y],), {}) for name in ("concatenate", "stack", "hstack", "vstack", "dstack", "column_stack")},
    **{name: ((X, Y), {}) for name in ("append", "isclose", "allclose", "array_equal", "broadcast_arrays", "kron", "isin", "vdot", "result_type")},
    **{name: ((X, X.T.copy()), {}) for name in ("dot", "matmul")}, "where": ((M, X, Y), {}), "take": ((X, N % 2), {}), "clip": ((X, 1.0, 2.0), {}), "repeat": ((X, 2), {}), "tile": ((X, 2), {}), "roll": ((X, 1), {}),
    "pad": ((X, 1), {}), "reshape": ((X, (3, 2)), {}), "full_like": ((X, 7), {}), "expand_dims": ((X, 0), {}), "swapaxes": ((X, 0, 1), {}), "moveaxis": ((X, 0, 1), {}),
    "broadcast_to": ((X, (2, 2, 3)), {}), "take_along_axis": ((X, COUNTS % 2), {"axis": 1}), "quantile": ((X, 0.4), {}), "percentile": ((X, 40), {}), "bincount": ((N,), {}),
    "digitize": ((X, V), {}), "searchsorted": ((V, W), {}), "einsum": (("ij,ij->i", X, Y), {}), "split": ((X, 2), {}), "array_split": ((X, 2), {}), "hsplit": ((X, 3), {}),
    "vsplit": ((X, 2), {}), "dsplit": ((np.ones((2, 2, 4)), 2), {}), "astype": ((X, np.float32), {}),
}

_OF_VECTORS = "convolve correlate inner outer polyadd polysub polymul polydiv intersect1d union1d setdiff1d setxor1d histogram2d meshgrid ix_"
_TRANSFORMS = "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftshift ifftshift"
CALLS |= {
    **{name: ((V, W), {}) for name in _OF_VECTORS.split()}, "polydiv": ((P, V[:2]), {}), **{name: ((X,), {}) for name in """gradient trapezoid trapz fliplr flipud isreal iscomplex diag diagflat cov corrcoef
        ediff1d sinc i0 isposinf isneginf fix nan_to_num matrix_transpose unstack unique_values unique_all unique_counts unique_inverse sort_complex real_if_close trim_zeros tril_indices_from triu_indices_from
        array2string array_repr array_str common_type unwrap rollaxis""".split()}, "rollaxis": ((X, 1), {}), **{name: ((V,), {}) for name in "cumulative_sum cumulative_prod vander poly polyder polyint".split()}, "roots": ((P,), {}),
    "polyval": ((P, V), {}), "polyfit": ((V, W, 1), {}), "interp": ((W, V, W), {}), "cross": ((V, W), {}), "tensordot": ((X, X.T.copy(), 1), {}), "partition": ((X, 1), {}), "argpartition": ((X, 1), {}), "lexsort": (((W, V),), {}),
    "nanmedian": ((NAN,), {}), "nanquantile": ((NAN, 0.4), {}), "nanpercentile": ((NAN, 40), {}), "histogramdd": ((X,), {}), "linspace": ((V, 5.0, 4), {}), "logspace": ((V, 5.0, 4), {}), "geomspace": ((V, 5.0, 4), {}),
    "delete": ((X, 1), {}), "insert": ((X, 1, 5.0), {}), "resize": ((X, (3, 4)), {}), "copyto": ((X, Y), {}), "put": ((X, N, 5.0), {}), "putmask": ((X, M, Y), {}), "place": ((X, M, V), {}), "fill_diagonal": ((X, 9.0), {}),
    "put_along_axis": ((X, COUNTS % 2, 5.0, 1), {}), "choose": ((N, [V, W, V]), {}), "select": (([M], [X], 0), {}), "piecewise": ((X, [M], [5, 6]), {}), "compress": ((M[0], X), {"axis": 1}), "extract": ((M, X), {}), "array_equiv": ((X, Y), {}),
    "diag_indices_from": ((SQUARE,), {}), "unravel_index": ((N, (3, 4)), {}), "ravel_multi_index": (((N, N), (3, 4)), {}), "packbits": ((M,), {}), "unpackbits": ((BYTES,), {}), "block": (([[X, Y]],), {}), "may_share_memory": ((X, Y), {}),
    "shares_memory": ((X, Y), {}), "apply_along_axis": ((np.sort, 0, X), {}), "apply_over_axes": ((np.max, X, [0]), {}), "einsum_path": (("ij,kj->ik", X, Y), {}), "can_cast": ((X, np.float64), {}), "min_scalar_type": ((X,), {}),
    **{f"linalg.{name}": ((SQUARE,), {}) for name in "cond det diagonal eig eigvals inv matrix_norm matrix_rank matrix_transpose norm pinv qr slogdet svd svdvals trace vector_norm".split()},
    **{f"linalg.{name}": ((SYMMETRIC,), {}) for name in "cholesky eigh eigvalsh".split()}, **{f"linalg.{name}": ((V, W), {}) for name in ("cross", "outer", "vecdot")}, "linalg.matmul": ((X, X.T.copy()), {}), "linalg.tensordot": ((X, X.T.copy()), {"axes": 1}),
    "linalg.solve": ((SQUARE, SYMMETRIC), {}), "linalg.lstsq": ((X.T.copy(), V), {}), "linalg.matrix_power": ((SQUARE, 3), {}), "linalg.multi_dot": (([X, X.T.copy(), X],), {}), "linalg.tensorsolve": ((SQUARE, W[:2]), {}), "linalg.tensorinv": ((SQUARE,), {"ind": 1}),
    **{f"fft.{name}": ((X,), {}) for name in _TRANSFORMS.split()}, "lib.stride_tricks.sliding_window_view": ((X, (1, 2)), {}),
}


def name_of(function):
    """The name in NumPy's namespace: of numpy.linalg and other modules with a prefix."""
    folder = getattr(function, "__module__", "numpy").removeprefix("numpy").lstrip(".")
    return f"{folder}.{function.__name__}" if folder in ("linalg", "fft", "lib.stride_tricks") else function.__name__


def function_of(name):
    """NumPy's function of this name; None if this version does not have it."""
    *folders, name = name.split(".")
    return getattr(functools.reduce(getattr, folders, np), name, None)


#: Methods that ndarray has, too.
METHODS = {
    **{name: () for name in """sum prod mean std var any all min max argmin argmax cumsum argsort ravel flatten copy transpose squeeze round conj conjugate item tolist view""".split()},
    **{name: () for name in "diagonal trace nonzero cumprod byteswap sort".split()}, "take": ([1, 0],), "swapaxes": (0, 1), "compress": ([True, False],), "put": ([0, 1], 5.0), "partition": (1,), "argpartition": (1,),
    "astype": (np.float32,), "reshape": (3, 2), "repeat": (2,), "clip": (1.0, 2.0), "fill": (3,),
}

ORDERS, CASTINGS, AXES = ["C", "F", "A", "K", "f", "Q", 1], ["no", "equiv", "safe", "same_kind", "unsafe", "nonsense"], [0, 1, -1, None, (0, 1), 5, "x"]
#: Values for parameters that a call above leaves out, none of which is a default everywhere.
VALUES = {
    "order": ORDERS, "casting": CASTINGS, "axis": AXES, "axis1": [0, 1, -1, 7], "axis2": [0, 1, -2, 7], "axes": [(1, 0), (0, 1), (0, 0)], "kind": ["stable", "quicksort", "heapsort", "nonsense", 3],
    "stable": [True, False], "dtype": [np.float32, np.float64, np.int32, np.complex128, "nonsense"], "keepdims": [True, False], "initial": [3.0], "where": [M, False], "ddof": [1], "correction": [1],
    "mean": [np.mean(X)], "subok": [True, False], "device": ["cpu", "gpu"], "shape": [(3, 2), 4, (2, 3, 1)], "newshape": [(6,)], "copy": [True, False], "mode": ["wrap", "clip", "edge", "nonsense"], "side": ["right", "nonsense"],
    "sorter": [np.array([0, 1, 2]), np.array([0])], "equal_nan": [True, False], "rtol": [0.5], "atol": [0.5], "deg": [True], "decimals": [1, -1], "k": [1, -1], "offset": [1, -1], "n": [2],
    "prepend": [9.0], "append": [9.0], "bins": [3, np.array([0.0, 2.0, 9.0]), "auto"], "range": [(0.0, 5.0)], "density": [True], "weights": [np.abs(X), V], "minlength": [5, -1], "right": [True],
    "returned": [True], "overwrite_input": [True], "method": ["linear", "lower", "nonsense"], "invert": [True], "assume_unique": [True], "return_index": [True], "return_inverse": [True],
    "return_counts": [True], "sorted": [True, False], "nan": [5.0], "posinf": [6.0], "neginf": [7.0], "min": [1.0], "max": [2.0], "a_min": [1.0], "a_max": [2.0], "optimize": [True], "bias": [True],
    "descending": [True, False], "constant_values": [5], "kth": [0, 5], "to_end": [[1.0]], "to_begin": [2.0], "edge_order": [2, 3], "discont": [1.0], "period": [3.0], "dx": [0.5], "include_initial": [True], "rowvar": [False],
    "bitorder": ["little", "nonsense"], "count": [3, 20, -2], "writeable": [True], "sparse": [True], "indexing": ["ij", "nonsense"], "increasing": [True], "trim": ["f", "B", "nonsense"], "UPLO": ["U", "nonsense"], "upper": [True], "compute_uv": [False], "full_matrices": [False],
    "hermitian": [True], "rcond": [0.5], "tol": [0.5], "ord": [1, 2, np.inf, "fro", "nonsense"], "norm": ["ortho", "forward", "nonsense"], "s": [(2, 2), (4, 5)], "full": [True], "cov": [True, "unscaled"], "w": [np.array([1.0, 2.0, 1.0])],
    "m": [2, 0, -1], "N": [2], "start": [2, 9], "wrap": [True], "left": [-1.0], "right": [9.0], "p": [1, -2, "fro", "nonsense"], "axisa": [0], "axisb": [0], "axisc": [0], "endpoint": [False], "retstep": [True], "base": [2.0], "num": [3], "ddof": [1],
    "inplace": [True], "fweights": [np.array([1, 2, 1])], "aweights": [np.array([0.5, 2.0, 1.0])], "return_indices": [True], "default": [3], "obj": [0], "max_work": [1], "axes_of": [], "out": [], "signature": [("d", "d", "d"), "dd->d"], "xp": [], "x": [], "y": [],
}
#: For parameters of a NumPy that is newer than these tables.
OF_NEW_PARAMETERS = [True, False, None, 1]


def function_parameters():
    """(function, its call, a parameter, a value for it) for every function and each of NumPy's parameters that its call leaves out."""
    for function in functions:
        args, keywords = CALLS[name_of(function)]
        for name in _left_out(function, args, keywords):
            for value in VALUES.get(name, OF_NEW_PARAMETERS):
                yield function, name, value


def _left_out(function, args, keywords):
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # an older NumPy's function that is written in C
        parameters = []
    taken = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:len(args)]
    if function is np.clip:  # with bounds by position, keywords are refused
        return ["out"]
    return [p.name for p in parameters if p not in taken and p.name not in keywords and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def method_parameters():
    """(method, a parameter, a value for it) for every method of both classes and each parameter that ours has beyond PyCUDA's."""
    for method, args in METHODS.items():
        parameters = list(inspect.signature(inspect.unwrap(getattr(GPUArray, method))).parameters.values())[1:]
        named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in ("stream", "allocator", "self")]
        for name in named[len(args) if method != "reshape" else 0:]:
            for value in VALUES[name]:
                yield method, name, value


def ufunc_parameters():
    """(universal function, a keyword, a value for it)."""
    for name in sorted({*operations.ufuncs, *universal_functions._PAIRS}):
        for keyword in ("casting", "order", "dtype", "subok", "where", "signature", "axis", "keepdims"):
            for value in VALUES[keyword]:
                yield getattr(np, name), keyword, value


def ufunc_operands(ufunc):
    """Operands that the function is defined for."""
    integers = ufunc.types[0][0] in "?b" and not any("d" in types.split("->")[0] for types in ufunc.types)
    first = COUNTS if integers else np.abs(X) / 8
    second = np.array([[1, 2, 3], [1, 1, 2]]) if integers or ufunc is np.ldexp else Y / 8
    return (first, second)[:ufunc.nin]


def on_device(value, convert):
    """Arguments with each array converted."""
    if isinstance(value, np.ndarray):
        return convert(value)
    if isinstance(value, (list, tuple)):
        return type(value)(on_device(each, convert) for each in value)
    return {name: on_device(each, convert) for name, each in value.items()} if isinstance(value, dict) else value
