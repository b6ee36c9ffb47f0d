"""scikit-learn and SciPy compute on the device with pycuda.array_api, with the same results as for NumPy's arrays."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is imported

import numpy as np
import pycuda.array_api as xp
import pycuda.autoinit  # noqa: F401
import pytest
import sklearn
from scipy import cluster, fft, integrate, signal, special, stats
from scipy.spatial.transform import Rotation
from sklearn import metrics
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((60, 5)) @ RANDOM.standard_normal((5, 5)) + 3
Y = X @ RANDOM.standard_normal(5) + 0.1 * RANDOM.standard_normal(60)
CLASSES = (np.mean(Y) < Y).astype(np.int64)


def assert_same(call):
    """What `call` gives of a namespace's arrays, a tuple of arrays: of ours on the device, and equal to NumPy's."""
    expected, found = call(np.asarray), call(xp.asarray)
    assert len(found) == len(expected)
    for ours, numpys in zip(found, expected):
        assert isinstance(ours, xp.Array)
        np.testing.assert_allclose(ours.get(), numpys, rtol=1e-9, atol=1e-9)


@pytest.fixture
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.mark.parametrize("scaler", (StandardScaler, MinMaxScaler, MaxAbsScaler))
def test_scalers(scaler, dispatch):
    def call(asarray):
        fitted = scaler().fit(asarray(X))
        scaled = fitted.transform(asarray(X))
        return scaled, fitted.inverse_transform(scaled)

    assert_same(call)


def test_normalizer(dispatch):
    for norm in ("l1", "l2", "max"):
        assert_same(lambda asarray: (Normalizer(norm).transform(asarray(X)),))


@pytest.mark.filterwarnings("ignore:Array API does not support LU")
@pytest.mark.parametrize("solver", ("full", "covariance_eigh", "randomized"))
def test_pca(solver, dispatch):
    def call(asarray):
        fitted = PCA(n_components=3, svd_solver=solver, random_state=0).fit(asarray(X))
        reduced = fitted.transform(asarray(X))
        return fitted.components_, fitted.explained_variance_, fitted.singular_values_, reduced, fitted.inverse_transform(reduced)

    assert_same(call)


def test_ridge(dispatch):
    def call(asarray):
        fitted = Ridge(alpha=0.5, solver="svd").fit(asarray(X), asarray(Y))
        return fitted.coef_, fitted.predict(asarray(X))

    assert_same(call)


def test_linear_discriminant_analysis(dispatch):
    """But for transform(), whose signs a singular value decomposition leaves open."""
    def call(asarray):
        fitted = LinearDiscriminantAnalysis().fit(asarray(X), asarray(CLASSES))
        return fitted.predict(asarray(X)), fitted.decision_function(asarray(X)), fitted.predict_proba(asarray(X))

    assert_same(call)


@pytest.mark.parametrize("name", ("mean_squared_error", "mean_absolute_error", "r2_score"))
def test_metrics_of_numbers(name, dispatch):
    found, expected = (getattr(metrics, name)(asarray(Y), asarray(1.1 * Y + 0.2)) for asarray in (xp.asarray, np.asarray))
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ("accuracy_score", "zero_one_loss", "f1_score"))
def test_metrics_of_classes(name, dispatch):
    found, expected = (getattr(metrics, name)(asarray(CLASSES), asarray(np.roll(CLASSES, 3))) for asarray in (xp.asarray, np.asarray))
    assert found == pytest.approx(expected, rel=1e-12)


# Functions of SciPy that compute with the namespace of their arguments; those in compiled code take arrays of the host only.
SCIPY = {
    "stats.zscore": lambda a: stats.zscore(a(X)),
    "stats.skew": lambda a: stats.skew(a(X)),
    "stats.kurtosis": lambda a: stats.kurtosis(a(X)),
    "stats.moment": lambda a: stats.moment(a(X), 3),
    "stats.gmean": lambda a: stats.gmean(a(np.abs(X))),
    "special.logsumexp": lambda a: special.logsumexp(a(X), axis=1),
    "special.softmax": lambda a: special.softmax(a(X), axis=1),
    "signal.fftconvolve": lambda a: signal.fftconvolve(a(Y), a(X[:, 0])),
    "signal.hilbert": lambda a: signal.hilbert(a(Y)),
    "fft.fft": lambda a: fft.fft(a(Y)),
    "fft.irfftn": lambda a: fft.irfftn(fft.rfftn(a(X))),
    "cluster.vq.whiten": lambda a: cluster.vq.whiten(a(X)),
    "integrate.trapezoid": lambda a: integrate.trapezoid(a(Y)),
    "Rotation.apply": lambda a: Rotation.from_quat(a(np.array([[0.0, 0.0, 0.6, 0.8]]))).apply(a(X[:1, :3])),
}


@pytest.mark.parametrize("name", SCIPY)
def test_scipy(name):
    assert_same(lambda asarray: (SCIPY[name](asarray),))
