"""The programs whose own tests ./dev acceptance runs, at the versions that it runs."""

from dataclasses import dataclass

# Compiled packages that the programs share, and what runs their tests. A host without network has its own.
SHARED = [
    "numpy==2.4.6", "scipy==1.17.1", "pandas==3.1.1", "numba==0.68.1", "scikit-learn==1.9.1", "pytest==9.2.0", "pytest-timeout==2.4.0",
    "pytest-xdist==3.8.0", "setuptools==75.8.0", "hypothesis==6.155.7", "sortedcontainers==2.4.0",
]
# Of hosts that are given a bundle.
CARRIED_PYTHONS = ("3.10", "3.11", "3.12", "3.13")


@dataclass(frozen=True)
class Program:
    name: str
    version: str
    #: Pure Python packages that it needs, installed beside it, and carried to hosts without network.
    requirements: tuple[str, ...] = ()
    #: Those of `requirements` that are compiled: bundles have them for each Python of CARRIED_PYTHONS.
    compiled: tuple[str, ...] = ()
    #: Its own modules that are compiled, which bundles do not have, and the text that stands in for each there.
    compiled_modules: tuple[tuple[str, str], ...] = ()
    #: Modules that it imports at start and does not need for what is tested: empty ones stand in.
    stand_ins: tuple[str, ...] = ()
    #: Modules of SHARED that its tests import.
    needs: tuple[str, ...] = ("numpy",)
    #: What pytest is given, in the folder of its sources.
    tests: tuple[str, ...] = ()
    #: Tests that are not run, as pytest's -k takes them, and why.
    deselect: str = ""
    reason: str = ""
    limit_s: int = 1200
    #: Whether its tests are ours, in the folder of its name beside this file, of packages of SHARED.
    is_ours: bool = False
    #: Whether it needs a network, for environments of its own.
    installs_packages: bool = False
    #: Whether its tests are shared out to as many processes as there are processors, where pytest-xdist is.
    is_long: bool = False

    def pytest_arguments(self):
        return [*self.tests, *(["-k", f"not ({self.deselect})"] if self.deselect else [])]


@dataclass(frozen=True)
class OwnEnvironment:
    """A program with compiled packages of its own, which bundles do not have: it runs in an environment of its own."""

    name: str
    version: str
    requirements: tuple[str, ...]
    #: What pytest is given.
    tests: tuple[str, ...]
    #: Packages that come with the requirements, and that cannot be used.
    without: tuple[str, ...] = ()
    limit_s: int = 1200
    needs: tuple[str, ...] = ()

    def pytest_arguments(self):
        return self.tests


@dataclass(frozen=True)
class DriverProgram(OwnEnvironment):
    """One that opens libcuda.so.1 itself: it does not use this package. Its tests are in the folder driver_api beside this file."""

    without: tuple[str, ...] = ("nvidia-nvjitlink",)
    limit_s: int = 3600
    #: How many tests must pass.
    at_least: int = 1


@dataclass(frozen=True)
class Application(OwnEnvironment):
    """One that uses this package. Its tests are in the folder of its sources, or, if it publishes none, in `applications` beside this file."""

    has_tests: bool = False
    variables: tuple[tuple[str, str], ...] = ()


MAKO = ("mako==1.4.3", "markupsafe==3.0.4")
#: NumPy's tests of the functions that arrays on the device have, which its wheel contains.
NUMPYS_TESTS = (
    "-p", "device_plugin", "--noconftest", "--timeout=120", "--pyargs", "numpy.fft.tests", "numpy.linalg.tests",
    *(f"numpy.lib.tests.test_{name}" for name in ("arraypad", "arraysetops", "function_base", "histograms", "index_tricks", "nanfunctions", "packbits", "polynomial",
                                                  "shape_base", "stride_tricks", "twodim_base", "type_check", "ufunclike")),
    *(f"numpy._core.tests.test_{name}" for name in ("einsum", "function_base", "indexing", "item_selection", "multiarray", "numeric", "shape_base", "ufunc", "umath",
                                                    "umath_complex")), "--rootdir=/",
)
#: The modules of scikit-learn's tests in which an array API namespace is a parameter.
SKLEARNS_TESTS = (
    "-p", "sklearn_device", "--noconftest", "--rootdir=/", "-W", "ignore", "--pyargs",
    *(f"sklearn.{module.replace('/', '.tests.test_')}" for module in (
        "_loss/link", "_loss/loss", "decomposition/pca", "linear_model._glm/glm", "linear_model/logistic", "linear_model/ridge", "metrics.cluster/common",
        "metrics.cluster/supervised", "metrics/classification", "metrics/common", "metrics/pairwise", "mixture/gaussian_mixture", "model_selection/search",
        "model_selection/split", "model_selection/validation", "preprocessing/data", "preprocessing/label", "preprocessing/polynomial")),
    *(f"sklearn.tests.test_{name}" for name in ("calibration", "kernel_approximation", "naive_bayes", "pipeline")),
    *(f"sklearn.utils.tests.test_{name}" for name in ("array_api", "extmath", "indexing", "multiclass", "optimize", "stats", "validation")),
)
TOO_LARGE = "huge or test_xerbla_override or TestCond and test_generalized_sq_cases or test_count_nonzero_all or test_extension_incref_elide"
PYTOOLS = ("pytools==2026.1.1", "platformdirs==4.14.7", "typing_extensions==4.16.0", "siphash24==1.9")

PROGRAMS = [
    Program("grunnur", "0.6.0", ("pytest-grunnur==0.3.0", *MAKO), tests=("tests",)),
    # CuPy sorts for it; its other backends compile C++ for minutes.
    Program("compyle", "0.9.1", ("cython==3.3.1", "six==1.17.0", *MAKO, *PYTOOLS), compiled=("siphash24==1.9",),
            compiled_modules=(("compyle/thrust/sort", "argsort = None  # it calls CuPy"),), stand_ins=("cupy", "cupy.cuda", "cupy.cuda.thrust"),
            tests=("--pyargs", *(f"compyle.tests.test_{name}" for name in ("array", "parallel", "low_level", "gpu_struct")), "-k", "cuda")),
    Program("katsdpsigproc", "1.10.0", ("appdirs==1.4.4", "decorator==5.3.1", "typing_extensions==4.16.0", "pytest-asyncio==1.5.0", *MAKO),
            needs=("numpy", "scipy", "pandas", "numba"), tests=("test",), deselect="GaussianFilter or autotune",
            reason="host code, which Numba compiles for minutes, and searches over large arrays for the fastest launch, which are a GPU's work"),
    Program("reikna", "0.9.0", ("funcsigs==1.0.2", *MAKO), tests=("test", "--api=cuda"), deselect="performance",
            reason="they measure, and compare each element of large single-precision results with a relative tolerance of 1e-5, which no FFT has",
            limit_s=3600),
    Program("numpy", "2.4.6", is_ours=True, is_long=True, needs=("numpy", "hypothesis"), limit_s=7200, tests=NUMPYS_TESTS, deselect=TOO_LARGE,
            reason="arrays of 2**31 elements and more, singular values of stacks and all masks of twelve elements, which take minutes on the CPU device; a function in C that "
                   "takes any object for a numpy.ndarray, and crashes; a fork whose child fails in LAPACK, and goes on with the other tests"),
    Program("scipy", "1.17.1", is_ours=True, needs=("numpy", "scipy", "hypothesis"),
            tests=("-p", "device_arrays", "--noconftest", "--rootdir=/", "--pyargs", "scipy.fft", "scipy.cluster", "scipy.special.tests.test_logsumexp")),
    Program("sklearn", "1.9.1", is_ours=True, is_long=True, needs=("numpy", "scipy", "sklearn", "pandas"), tests=SKLEARNS_TESTS, deselect="pairwise_parallel",
            reason="threads that have no CUDA context", limit_s=3600),
    Program("array_api", "scikit-learn 1.9.1, SciPy 1.17.1", is_ours=True, needs=("numpy", "scipy", "sklearn")),
    Program("testing_without_gpu", "numba-cuda 0.30.4", is_ours=True, installs_packages=True),
]

PYTEST = ("pytest==9.2.0", "pytest-timeout==2.4.0", "pytest-xdist==3.8.0")
NUMBA_CUDA = ("numba-cuda[cu13]==0.30.4", "cuda-bindings==13.5.0", "cuda-core==1.2.2", "cuda-toolkit==13.5.0", "numba==0.68.1",
              "numpy==2.4.6")

APPLICATIONS = [
    Application("gprMax", "4.0.1", ("gprmax==4.0.1", "numpy==2.4.6", "h5py==3.16.0", *PYTEST), tests=("test_gprmax.py",)),
    # Its kernels read the states of 208 blocks of random generators, whatever the device has.
    Application("tmu", "0.8.3", ("tmu==0.8.3", "numpy==1.26.4", *PYTEST), tests=("test_tmu.py",), variables=(("PYCUDA_CPU_MULTIPROCESSORS", "32"),)),
    Application("kernel_tuner", "1.5.0", ("kernel_tuner==1.5.0", "numpy==2.4.6", "tomli==2.5.0", *PYTEST), has_tests=True,
                tests=("-o", "addopts=", *(f"test/test_{name}.py" for name in ("pycuda_functions", "pycuda_mocked", "kernelbuilder", "backend", "runners", "accuracy",
                                                                                "observers", "energy", "core", "integration", "common", "lazy_imports")))),
]

DRIVER_PROGRAMS = [
    DriverProgram("cuda-python", "13.5.0", (*NUMBA_CUDA, *PYTEST), tests=(".",)),
    # One worker, which is started again if a test ends it.
    DriverProgram("numba-cuda", "0.30.4", (*NUMBA_CUDA, *PYTEST, "filecheck==1.0.6", "ml_dtypes==0.6.0", "psutil==7.2.2", "cffi==2.1.1",
                                              "scipy==1.17.1"),
                  tests=("-p", "numba_suite", "-n", "1", "--import-mode=importlib", "-o", "consider_namespace_packages=true",
                         "--ignore-glob=/*/tests/benchmarks/*", "--pyargs", "numba.cuda.tests"), at_least=1790, limit_s=7200),
]
