"""Every operation of the engine is public in both languages, under the names in its row."""

import sys
from pathlib import Path

import numpy as np
import pytest
from pycuda import cumath, gpuarray
from pycuda._arrays.operations import table

ROWS = list(table.values())
sys.path.append(str(Path(__file__).parents[2] / "parity"))
from surface_test import read_golden  # noqa: E402

IN_JAVA = {name for _, java in read_golden() for name in java}
NAMES = {"np": np, "cumath": cumath, "gpuarray": gpuarray}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_it_exists_in_java(row):
    method = row.java.strip("()")
    assert method, "no name in Java"
    assert f"method {method}" in IN_JAVA, f"{method} is not in surface.golden"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_it_exists_in_python(row):
    assert row.python or row.ufunc, "neither in Python nor in NumPy"
    a, b = (gpuarray.to_gpu(np.arange(1, 5, dtype=np.int32)) for _ in range(2))
    if row.python:
        assert eval(row.python, {**NAMES, "a": a, "b": b}) is not None
    if row.ufunc:
        operands = [a, b][:row.arity]
        result = getattr(np, row.ufunc)(*operands)
        assert type(result) is gpuarray.GPUArray and result.shape == a.shape


def test_functions_of_cumath_match_the_rows():
    listed = {row.python.removeprefix("cumath.") for row in ROWS if row.python.startswith("cumath.")}
    assert set(cumath.__all__) == listed
    assert all(getattr(cumath, name).__doc__ for name in listed)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_it_is_documented(row):
    assert row.sentence and not row.sentence.endswith(".")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logaddexp(dtype):
    values = np.array([0, 1, -1, 700, -700, 1e4, np.inf, -np.inf, np.nan], dtype)
    x, y = values[:, None], values
    with np.errstate(all="ignore"):
        expected = np.logaddexp(x, y)
    for ours in (cumath.logaddexp, np.logaddexp):
        np.testing.assert_allclose(ours(gpuarray.to_gpu(x), gpuarray.to_gpu(y)).get(), expected, rtol=4 * np.finfo(dtype).eps)
