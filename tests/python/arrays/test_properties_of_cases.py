"""The rules from which write_cases.py makes cases for Java, tested in Python: every operation compared with NumPy's, including exceptions."""

import operator

import numpy as np
import pytest
from hypothesis import given
from pycuda import cumath, gpuarray
from pycuda._arrays.operations import table
from pycuda.gpuarray import GPUArray

from conftest import close
from made_up import Operand, few
from rules import algebra_rules, array_rules, elementwise_rules, moving_rules, numpys_rules


def along(name):
    def compute(a, *arguments):
        *others, axes = arguments
        axis = axes[0] if name.startswith("arg") and axes else tuple(axes) or None
        return getattr(gpuarray, name)(a, *others, axis=axis, keepdims=axes.keep)

    return compute


def assigned(a, index, values):
    a[index] = values
    return a


def first(results):
    return results[0]


def public(row):
    """The public names of a row of operations.def in Python, or in NumPy for our arrays."""
    module, _, name = row.python.partition(".")
    if module in ("cumath", "gpuarray"):
        return getattr({"cumath": cumath, "gpuarray": gpuarray}[module], name)
    return eval(f"lambda a, b=None: {row.python}") if row.python else getattr(np, row.ufunc)


OPERATIONS = {
    **{row.java.rpartition(".")[2]: public(row) for row in table.values() if not row.java.startswith("(")},
    "rsub": lambda a, b: b - a, "flatten": GPUArray.flatten,
    **{name: along(name) for name in ("sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "dot")},
    "copy": GPUArray.copy, "reverse": GPUArray.reverse, "conj": GPUArray.conj, "real": lambda a: a.real, "imag": lambda a: a.imag,
    "clip": gpuarray.clip, "where": gpuarray.where,
    "mulAdd": lambda a, f, b, g: a.mul_add(f, b, g), "fill": GPUArray.fill,
    "cumsum": lambda a, axes: gpuarray.cumsum(a, axes[0]), "cumprod": lambda a, axes: gpuarray.cumprod(a, axes[0]),
    "sort": lambda a, by: gpuarray.sort(a, keys=by) if isinstance(by, GPUArray) else gpuarray.sort(a, by[0]),
    "argsort": lambda a, axes: gpuarray.argsort(a, axes[0]), "unique": gpuarray.unique, "nonzero": lambda a: first(gpuarray.nonzero(a)),
    "select": operator.getitem, "setWhere": assigned, "fillWhere": assigned, "set": lambda a, b: assigned(a, ..., b),
    "take": gpuarray.take,
    "subsetSum": lambda a, chosen: gpuarray.subset_sum(chosen, a), "subsetMin": lambda a, chosen: gpuarray.subset_min(chosen, a),
    "subsetMax": lambda a, chosen: gpuarray.subset_max(chosen, a), "matmul": operator.matmul,
    "concatenate": lambda a, b, axes: gpuarray.concatenate([a, b], axes[0]), "stack": lambda a, b, axes: gpuarray.stack([a, b], axes[0]),
    "transpose": GPUArray.transpose, "slice": lambda a, index: a[tuple(index)], "reshape": lambda a, lengths: a.reshape(*lengths),
    "squeeze": GPUArray.squeeze, **moving_rules.OPERATIONS, **algebra_rules.OPERATIONS, **numpys_rules.OPERATIONS,
}


def operation(name):
    verb, _, dtype = name.partition(" ")
    return OPERATIONS[name] if name in OPERATIONS else lambda a: getattr(a, verb)(np.dtype(dtype.lower()))


def is_java_s(name, arguments):
    """True for cases that differ in Java: it rejects in-place operations that narrow, and mathematical functions of integers."""
    return name.endswith("InPlace") or name in elementwise_rules.MATHEMATICS and arguments[0].host.dtype.kind not in "fc"


@pytest.mark.parametrize("rule", [*elementwise_rules.RULES, *array_rules.RULES, *moving_rules.RULES, *algebra_rules.RULES, *numpys_rules.RULES], ids=lambda rule: rule.__name__)
def test_results_match_numpy(rule):
    @few
    @given(rule())
    def check(case):
        name, arguments, answer = case
        if is_java_s(name, arguments):
            return
        ours = [argument.cut(gpuarray.to_gpu(argument.whole)) if isinstance(argument, Operand) else argument for argument in arguments]
        hosts = [argument.host if isinstance(argument, Operand) else argument for argument in arguments]
        with np.errstate(all="ignore"):
            try:
                expected = np.asarray(answer(*hosts))
            except (ValueError, TypeError, IndexError, OverflowError):
                with pytest.raises((ValueError, TypeError, IndexError, OverflowError)):
                    operation(name)(*ours)
                return
        result = operation(name)(*ours)
        assert isinstance(result, GPUArray)
        assert result.dtype == expected.dtype
        close(result, expected, sums="fft" in name)

    check()
