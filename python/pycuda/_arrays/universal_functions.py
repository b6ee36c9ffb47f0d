"""NumPy's universal functions of arrays on the device, with NumPy's parameters."""

import functools

import numpy as np

from pycuda import _dlpack
from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import ufunc_methods as _ufunc_methods
from pycuda._arrays.copies import into
from pycuda._arrays.operands import is_scalar, type_of

__all__ = ["composed", "call_ufunc"]

#: Universal functions that are composed of others, by name: functions of the operands, out, dtype and other keywords, which may return NotImplemented.
composed = {}

_COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}

#: The methods of operators, for the array on the left and for that on the right: the native type's, which are fast.
_METHODS = {
    **{name: (f"__{operator}__", f"__r{operator}__") for name, operator in (
        ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("divide", "truediv"), ("power", "pow"), ("floor_divide", "floordiv"),
        ("remainder", "mod"), ("bitwise_and", "and"), ("bitwise_or", "or"), ("bitwise_xor", "xor"), ("left_shift", "lshift"), ("right_shift", "rshift"))},
    "equal": ("__eq__", "__eq__"), "not_equal": ("__ne__", "__ne__"), "less": ("__lt__", "__gt__"), "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"), "greater_equal": ("__ge__", "__le__"),
}

#: Functions with two results: the engine's operation for each.
_PAIRS = {"frexp": ("frexp_significand", "frexp_exponent"), "modf": ("modf_fraction", "modf_integer"), "divmod": ("floor_div", "mod")}

#: The values of NumPy's keywords that describe what is done here anyway.
_DEFAULTS = {"where": True, "casting": "same_kind", "order": "K", "subok": True, "initial": None}


#: The numbers of the operands of methods that are indices.
_INDICES = {"at": (1,), "reduceat": (1,)}


def _ufunc_dtypes(ufunc, operands, out=None, dtype=None, casting="same_kind", signature=None):
    """The dtypes in which NumPy would compute on operands of these types: one for each operand, then one for each result. UFuncTypeError if
    `casting` does not allow that, or does not allow writing to `out`. `signature`, of all dtypes, or `dtype`, of the results, may be given."""
    targets = out or (None,) * ufunc.nout
    types = (*map(type_of, operands), *(None if target is None else target.dtype for target in targets))
    if dtype is not None:
        signature = (*[None] * ufunc.nin, *[dtype] * ufunc.nout)
    return _dtypes_of_types(ufunc, types, signature, casting)


@functools.lru_cache(maxsize=1000)
def _dtypes_of_types(ufunc, types, signature, casting):
    return ufunc.resolve_dtypes(types, casting=casting, **({} if signature is None else {"signature": signature}))


def call_ufunc(ufunc, method, inputs, out, keywords, has_numpys_dtypes=False):
    """ufunc.method(*inputs, out=out, **keywords), where it has a counterpart. TypeError where not; NotImplemented beside foreign objects.

    With `has_numpys_dtypes`, comparisons return bool, and quotients of integers are floating-point numbers.
    """
    if keywords:
        keywords = {name: value for name, value in keywords.items()
                    if not (value is None and name != "axis" or isinstance(value, (bool, str)) and _DEFAULTS.get(name) == value
                            or name == "signature" and isinstance(value, tuple) and not any(value))}
    given = ", ".join(keywords)
    result = _called(ufunc, inputs, out, keywords, has_numpys_dtypes) if method == "__call__" else _ufunc_methods.call_method(ufunc, method, inputs, out, keywords)
    for target in out or ():
        if _operations.is_array(target):
            target._answers = 0  # numbers of its own dtype, as NumPy's are
    if result is NotImplemented and any(isinstance(value, (list, tuple)) for value in inputs):
        converted = tuple(value if number in _INDICES.get(method, ()) else _operations.of_lists(value) for number, value in enumerate(inputs))
        if any(one is not other for one, other in zip(inputs, converted)):
            return call_ufunc(ufunc, method, converted, out, keywords, has_numpys_dtypes)
    if result is not NotImplemented or not all(isinstance(value, np.ndarray) or _operations.is_array(value) or is_scalar(value) for value in inputs):
        return result
    name = f"numpy.{ufunc.__name__}{'' if method == '__call__' else '.' + method}"
    arrays = [value for value in inputs if not is_scalar(value)] + [*(out or ()), keywords.get("where")]
    if any(isinstance(value, np.ndarray) for value in arrays):
        raise TypeError(f"{name} of a GPUArray and a NumPy array, which is on the host: copy that with gpuarray.to_gpu(), "
                        "or the GPUArray with its method get()")
    raise TypeError(f"{name} has no counterpart for these GPUArrays{' with the keywords ' * bool(given)}{given}; call it with the NumPy arrays "
                    "that their method get() returns")


def _called(ufunc, inputs, out, keywords, has_numpys_dtypes):
    """The result, or NotImplemented. `keywords` are not changed."""
    if ufunc.__name__ in composed:
        return composed[ufunc.__name__](*inputs, out=None if out is None else out[0], **keywords)
    methods = _METHODS.get(ufunc.__name__) if out is None and not keywords and not has_numpys_dtypes else None
    if methods is not None:
        x, y = inputs
        result = getattr(x, methods[0])(y) if isinstance(x, _dlpack.ArrayExport) else getattr(y, methods[1])(x)
        if result is not NotImplemented:
            _operations.remember_operator(ufunc, *methods)
            return result
    if ufunc is np.matmul and all(map(_operations.is_array, inputs)):
        casting, keywords = keywords.get("casting"), {name: value for name, value in keywords.items() if name != "casting"}
        if "axes" in keywords:
            return _product_along(inputs, out, casting or "same_kind", **keywords)
        if casting is not None:
            _ufunc_dtypes(ufunc, inputs, out, casting=casting)
        return into(out, _ordering.matmul(*inputs, **keywords), casting=casting or "same_kind", core_axes=sum(min(x.ndim, 2) for x in inputs) - 2)
    where, dtype, casting, signature = keywords.get("where", True), keywords.get("dtype"), keywords.get("casting", "same_kind"), keywords.get("signature")
    if keywords.keys() - {"dtype", "casting", "where", "signature"} or not all(_operations.is_array(value) or is_scalar(value) for value in inputs) \
            or not all(target is None or _operations.is_array(target) for target in out or ()):
        return NotImplemented
    if ufunc is np.float_power:  # a power in double precision
        dtype = _ufunc_dtypes(ufunc, inputs, out, dtype, casting, signature)[ufunc.nin]
        return _called(np.power, inputs, out, {"dtype": dtype, "where": where, "casting": casting}, has_numpys_dtypes)
    name, operation = ufunc.__name__, _operations.ufuncs.get(ufunc.__name__)
    if operation is None and name not in _PAIRS:
        return NotImplemented
    # Division has the operator's types, which differ from NumPy's, unless a keyword determines them: those of products.
    is_given = dtype is not None or signature is not None or has_numpys_dtypes
    has_products_types = name == "divide" and not is_given and casting == "same_kind"
    dtypes = _ufunc_dtypes(np.multiply if has_products_types else ufunc, inputs, out, dtype, casting, signature)
    if where is not True:
        return _called_where(ufunc, where, inputs, out, keywords, has_numpys_dtypes)
    if is_given:
        inputs = _converted(inputs, dtypes)
    if name in _PAIRS:
        return _pair(name, inputs, dtypes[ufunc.nin:], out)
    target = None if out is None else out[0]
    if name in _METHODS and not is_given:  # with the operators' types
        return _operations.operate(operation, *inputs, type=_operations.ARRAYS if name in _COMPARISONS else None, out=target, casting="unsafe")
    result = dtypes[ufunc.nin] if target is None or is_given else None
    if target is None and not keywords and not has_numpys_dtypes and name not in _METHODS and all(map(_operations.is_array, inputs)):
        _operations.remember_operation(ufunc, inputs, _operations.code_of(operation), result)
    return _operations.operate(operation, *inputs, type=result, out=target, casting="unsafe")  # which NumPy's types allow


def _product_along(inputs, out, casting, axes):
    """matmul() of matrices, or vectors, in these axes of each operand and of the result."""
    axes = [each if isinstance(each, tuple) else (each,) for each in axes]
    counts = [min(x.ndim, 2) for x in inputs]
    wanted = [*counts, sum(counts) - 2]
    if len(axes) != 3 and not (len(axes) == 2 and not wanted[2]) or any(len(each) != count for each, count in zip(axes, wanted)):
        raise ValueError(f"matmul: expected axes of {wanted} axes for the operands and the result, given {axes}")
    moved = [np.moveaxis(x, each, tuple(range(-len(each), 0))) for x, each in zip(inputs, axes)]
    result = _ordering.matmul(*moved)
    return into(out, np.moveaxis(result, tuple(range(-wanted[2], 0)), axes[2]) if wanted[2] else result, casting=casting)


def _called_where(ufunc, where, inputs, out, keywords, has_numpys_dtypes):
    """The function where a mask is true; elsewhere `out` keeps its elements, and a new array is uninitialised."""
    where = _operations.mask_of(where)
    if ufunc.nout != 1 or not _operations.is_array(where) or where.dtype.kind != "b" and where._answers != 1:
        return NotImplemented
    result = _called(ufunc, inputs, None, {name: value for name, value in keywords.items() if name != "where"}, has_numpys_dtypes)
    if result is NotImplemented:
        return result
    target = _operations.new_array(np.broadcast_shapes(result.shape, where.shape), result.dtype) if out is None else out[0]
    if target.size:
        _operations.apply("where", target, where, result, target)
    return target


def _pair(name, operands, dtypes, out):
    """Two results. The second is computed before the first is written, which may overwrite an operand."""
    results = [_operations.operate(operation, *operands, type=dtype) for operation, dtype in zip(_PAIRS[name], dtypes)]
    return tuple(into(target, result, casting="unsafe") for result, target in zip(results, out or (None, None)))


def _converted(operands, dtypes):
    """The operands, converted to the dtypes from which NumPy computes results of a given dtype."""
    return [(operand if operand.dtype == wanted else operand.astype(wanted)) if _operations.is_array(operand) else wanted.type(operand)
            for operand, wanted in zip(operands, dtypes)]
