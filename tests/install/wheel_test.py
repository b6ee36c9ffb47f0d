"""Installs a wheel into an empty environment and runs programs there. Arguments: a wheel, as ./dev wheel calls this; or cmake and a
build tree, of whose files a wheel is made then, as pip makes it but without compiling again.

CUDA_HOME names a toolkit to compile with; without it the extra `toolkit` is installed too, and used.
"""

import os
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python/packaging"))
import release  # noqa: E402

ARRAY_PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
a = gpuarray.to_gpu(np.arange(1000, dtype=np.float32))
print(int(gpuarray.sum(2 * a + 1).get()))
"""
REQUIRE = """
import pkg_resources
for name in ("pycuda", "scikit-cuda", "cuvarbase"):
    print(pkg_resources.require(name)[0].as_requirement())
import cuvarbase
print("found")
"""
SAY_VERSION = "import importlib.metadata; print(importlib.metadata.version('pycuda'))"


def run(*command, status=0, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != status:
        raise AssertionError(f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr if status else done.stdout


def wheel_of_build_tree(cmake, build_tree, folder):
    run(cmake, "--install", build_tree, "--component", "python", "--prefix", folder)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "-w", folder,
        "-C", "wheel.cmake=false", "-C", "wheel.platlib=true", "-C", f"wheel.packages={folder}/pycuda", ROOT)
    return next(folder.glob("*.whl"))


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name).resolve()
        (cls.folder / "wheel").mkdir()
        cls.wheel = wheel = Path(ARGUMENTS[0]).resolve() if len(ARGUMENTS) == 1 else wheel_of_build_tree(*ARGUMENTS, cls.folder / "wheel")
        venv.create(cls.folder / "venv", symlinks=True)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON") and key != "VIRTUAL_ENV"}
        cls.environment = {**inherited, "PYCUDA_CACHE_DIR": str(cls.folder / "cache"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        extras = "" if os.environ.get("CUDA_HOME") else "[toolkit]"
        cls.install(f"{wheel}{extras}")

    @classmethod
    def python(cls, *arguments, **options):
        return run(cls.folder / "venv/bin/python", *arguments, cwd=cls.folder, env=cls.environment, **options)

    @classmethod
    def pip(cls, *arguments):
        """A pip from outside that works in the environment, so that none has to be installed there. This interpreter's own may be
        too old for it."""
        outside = os.environ.get("INTERPRETER_WITH_PIP", sys.executable)
        return run(outside, "-m", "pip", "--python", cls.folder / "venv/bin/python", *arguments, cwd=cls.folder, env=cls.environment)

    @classmethod
    def install(cls, *packages):
        cls.pip("install", "-q", "--no-compile", *packages)

    def test_nothing_but_numpy_is_needed(self):
        with_extras = {"pycuda-swig", "numpy"} | (set() if os.environ.get("CUDA_HOME") else {"nvidia"})
        names = {line.split("==")[0] for line in self.pip("list", "--format=freeze").splitlines()}
        self.assertEqual({name.split("-")[0] if name.startswith("nvidia-") else name for name in names} - with_extras, set())

    def test_metadata_is_what_pypi_shows(self):
        version = self.python("-c", "import importlib.metadata; print(importlib.metadata.version('pycuda-swig'))").strip()
        later = ("manylinux", "pycuda-kernels") if len(ARGUMENTS) > 1 else ("manylinux",)  # what ./dev wheel adds to a build tree's
        problems = [problem for problem in release.check_wheel(Path(self.wheel), version) if not any(word in problem for word in later)]
        self.assertEqual(problems, [])
        self.assertEqual(len(release.check_metadata("Version: 1\n\n[a](docs/b.md)", version)), 10)

    def test_installed_package_runs(self):
        self.assertIn(str(self.folder), self.python("-c", "import pycuda; print(pycuda.__file__)"))
        self.assertRegex(self.python(ROOT / "examples/hello_gpu.py"), r"Python on .+\n[\s\S]*0\.")
        self.assertEqual(self.python("-c", ARRAY_PROGRAM), "1000000\n")
        self.assertIn("a kernel can be compiled and run: yes", self.python("-m", "pycuda"))
        opened = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0), 'libpycuda_cpu.so' in open('/proc/self/maps').read())"
        program = self.folder / "venv/bin/python"  # under qemu, PATH has programs of the machine's own processor
        self.assertEqual(self.python("-m", "pycuda.cpu", program, "-c", opened), "0 True\n")

    def test_files_of_pycuda_installed_over_it(self):
        package = Path(self.python("-c", "import pycuda; print(pycuda.__path__[0])").strip())
        foreign = package / "_driver.cpython-311-x86_64-linux-gnu.so"
        foreign.touch()
        self.addCleanup(foreign.unlink)
        self.assertIn("contains files of two packages", self.python("-c", "import pycuda.driver", status=1))

    def test_packages_that_depend_on_the_distribution_pycuda(self):
        self.python("-c", SAY_VERSION, status=1)
        for _ in range(2):  # such as again after an upgrade
            self.assertIn("pip uninstall pycuda", self.python("-m", "pycuda", "--provide-distribution"))
        # scikit-cuda looks for its dependencies through setuptools when it is asked for its version.
        self.install("scikit-cuda==0.5.3", "setuptools==75.8.0")
        self.assertEqual(self.python("-W", "ignore", "-c", "import skcuda.version; print(skcuda.version.__version__)"), "0.5.3\n")
        self.assertEqual(self.python("-c", SAY_VERSION), "2026.1+swig\n")
        self.assertIn("No broken requirements", self.pip("check"))
        self.pip("uninstall", "-q", "-y", "pycuda")
        self.python("-c", SAY_VERSION, status=1)
        self.python("-c", "import pycuda.driver")

    def test_packages_that_require_pycuda_find_a_stand_in(self):
        self.install(ROOT / "python/stand_in")
        self.addCleanup(self.pip, "uninstall", "-q", "-y", "pycuda")
        self.install("scikit-cuda==0.5.3", "cuvarbase==0.2.5", "setuptools==75.8.0")
        self.assertEqual(self.python("-c", SAY_VERSION), "2026.1+swig\n")
        self.assertIn("No broken requirements", self.pip("check"))
        required = self.python("-W", "ignore", "-c", REQUIRE)
        self.assertEqual(required.split(), ["pycuda==2026.1+swig", "scikit-cuda==0.5.3", "cuvarbase==0.2.5", "found"])
        self.python("-W", "error", "-c", "import pycuda")

    def test_pycuda_beside_it_is_warned_of(self):
        site = Path(self.python("-c", "import pycuda; print(pycuda.__path__[0])").strip()).parent
        metadata = site / "pycuda-2025.1.2.dist-info"
        metadata.mkdir()
        self.addCleanup(metadata.rmdir)
        self.assertIn("Keep only one of them: pip uninstall pycuda", self.python("-W", "error", "-c", "import pycuda", status=1))
        self.python("-c", "import pycuda.driver")

    def test_pycuda_itself_is_not_written_over(self):
        metadata = self.folder / "elsewhere/pycuda-2025.1.dist-info/METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text("Metadata-Version: 2.1\nName: pycuda\nVersion: 2025.1\n")
        said = run(self.folder / "venv/bin/python", "-m", "pycuda", "--provide-distribution", status=1,
                   env={**self.environment, "PYTHONPATH": str(metadata.parents[1])})
        self.assertIn("PyCUDA 2025.1 is installed in", said)


if __name__ == "__main__":
    ARGUMENTS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
