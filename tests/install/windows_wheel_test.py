"""Installs a wheel for Windows into a CPython that has nothing else, and runs programs there, under wine. Arguments: python.exe, its version, the wheel."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from windows_libraries import foreign

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/documentation"))
from blocks import python_program  # noqa: E402

PACKAGES = ["numpy==2.4.6", "matplotlib==3.11.2"]  # pip evaluates their markers for this machine
COMPILER = ["nvidia-cuda-nvrtc==13.0.*", "nvidia-cuda-runtime==13.0.*", "nvidia-cuda-cccl==13.0.*", "nvidia-cuda-crt==13.0.*", "nvidia-curand==10.4.*"]
# Examples of what is not in this environment, then of memory that the CPU device lacks under wine 8, which refuses VirtualAlloc2's placeholders.
LEFT_OUT = {"interoperation.py", "external_frames.py", "growing_memory.py", "shared_memory.py"}


class WindowsWheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name).resolve()
        cls.site = PYTHON.parent / "lib/site-packages"
        shutil.copy(ROOT / "build/windows-root/java/bin/ucrtbase.dll", PYTHON.parent)  # core/cmake/wine.sh
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-compile",
                        "--platform", "win_amd64", "--only-binary=:all:", "--python-version", VERSION, "--target", cls.site, *PACKAGES, *COMPILER, WHEEL],
                       check=True)

    def python(self, *arguments, folder=None):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON") and key not in ("VIRTUAL_ENV", "CUDA_HOME")}
        return subprocess.run([ROOT / "core/cmake/wine.sh", PYTHON, *arguments], cwd=folder or self.folder, capture_output=True, text=True, timeout=600,
                              env={**inherited, "PYCUDA_DRIVER": "cpu"})

    def assert_runs(self, *arguments, folder=None):
        done = self.python(*arguments, folder=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_libraries_need_nothing_of_the_compiler(self):
        package = self.site / "pycuda"
        libraries = [*package.glob("*.pyd"), package / "pycuda_cpu.dll", package / "cpu/nvcuda.dll"]
        self.assertEqual([text for library in libraries for text in foreign(library) if "pycuda_cpu" not in text.split()[-1]], [])

    def test_hello_and_the_report(self):
        self.assertRegex(self.assert_runs(ROOT / "examples/hello_gpu.py"), r"Python on .+\n[\s\S]*0\.")
        self.assertIn("a kernel can be compiled and run: yes", self.assert_runs("-m", "pycuda"))

    def test_tutorial_and_examples_run(self):
        programs = {path.name: path.read_text() for path in sorted((ROOT / "examples").glob("*.py")) if path.name not in LEFT_OUT}
        programs["tutorial.md"] = python_program(ROOT / "docs/tutorial.md")

        def run(name):
            place = self.folder / name
            place.mkdir()
            (place / "program.py").write_text(programs[name], encoding="utf-8")
            return self.python("program.py", folder=place)

        with ThreadPoolExecutor(2) as threads:
            for name, done in zip(programs, threads.map(run, programs)):
                with self.subTest(program=name):
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    PYTHON, VERSION, WHEEL = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    unittest.main(argv=sys.argv[:1])
