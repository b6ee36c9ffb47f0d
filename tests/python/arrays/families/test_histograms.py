"""Histograms: estimates of their numbers of bins, weights, bounds and edges, in one dimension and in several."""

import numpy as np
import pytest
from both import check, elements

SAMPLES = {
    "powers": np.arange(50.0) ** 1.5, "a sample": elements("d", (300,), seed=5), "float32": elements("f", (40,), seed=6), "integers": np.arange(9).repeat(3),
    "int8": np.array([-2, 0, 127], np.int8), "equal elements": np.ones(10), "one element": np.array([1.0]), "nothing": np.zeros(0), "a matrix": elements("d", (6, 7), seed=7),
    "outliers": np.append(np.linspace(-10, 10, 50), [-100.0, 300.0]), "NaN": np.array([0.0, np.nan, 1.0, 0.5]), "infinity": np.array([0.0, np.inf]),
}
# NumPy 2.3 limits the number of bins of "auto".
ESTIMATORS = ["fd", "scott", "rice", "sturges", "doane", "sqrt", "stone", *(["auto"] if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else [])]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimators(estimator):
    for name, sample in SAMPLES.items():
        if np.lib.NumpyVersion(np.__version__) >= "2.0.0" or sample.dtype.kind == "f":  # older ones had bins narrower than 1 for integers
            check(lambda A: np.histogram(A(sample), estimator), name)
        check(lambda A: np.histogram_bin_edges(A(sample), estimator, (0.25, 3.0)), f"{name} in a range")


V, W, POINTS = np.array([1.0, 2.0, 2.5, 4.0]), np.array([0.5, 0, 3, 2.0]), elements("d", (40, 3), seed=3)
CASES = {
    "an unknown estimator": lambda A: np.histogram(A(V), "x"), "an estimator with weights": lambda A: np.histogram(A(V), "fd", weights=A(W)), "weights in a list": lambda A: np.histogram(A(V), 2, weights=[4, 3, 2, 1]),
    "weights of another shape": lambda A: np.histogram(A(V), 2, weights=[4, 3]), "edges in a list": lambda A: np.histogram(A(V), [0, 2, 3]), "elements in a list": lambda A: np.histogram([1, 2, 2.5], A([0, 2, 3])),
    "too many bins": lambda A: np.histogram(A([1, 1 + 2e-16] * 10)), "a range on the device": lambda A: np.histogram(A(V), 3, A([0.0, 3.0])), "an infinite range": lambda A: np.histogram(A(V), "fd", (0, np.inf)), "a descending range": lambda A: np.histogram(A(V), "fd", (2, 1)),
    "bins in a float": lambda A: np.histogram(A(V), 2.4), "bins in a matrix": lambda A: np.histogram(A(V), A([[0, 1], [2, 3]])), "descending edges": lambda A: np.histogram(A([2]), A(np.array([1, 3, 1], np.uint64))), "bools": lambda A: np.histogram(A([True, True, False])),
    "several axes": lambda A: np.histogramdd(A(POINTS), (2, 3, 4), [(-1, 1), (0, 3), None]), "lists of edges": lambda A: np.histogramdd(A(POINTS), [[-2, 0, 2], [0, 1, 2, 3], 2], density=True), "numbers on the device": lambda A: np.histogramdd(A(POINTS), A([2, 3, 4])),
    "several axes by lists": lambda A: np.histogramdd([A(POINTS[:, 0]), A(POINTS[:, 1])], 2, weights=[0.5] * 40), "two axes by edges": lambda A: np.histogram2d(A(POINTS[:, 0]), A(POINTS[:, 1]), [[0, 1, 2], 3]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_parameters_and_exceptions(name):
    check(CASES[name], name)
