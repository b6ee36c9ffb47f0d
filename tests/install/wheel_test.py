"""Installs wheels into an empty environment and runs programs there. Arguments: an interpreter's wheels; ./dev wheel calls this.

CUDA_HOME names a toolkit to compile with; without it the extra `toolkit` is installed too.
"""

import os
import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARRAY_PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
a = gpuarray.to_gpu(np.arange(1000, dtype=np.float32))
print(int(gpuarray.sum(2 * a + 1).get()))
"""


class WheelTest(unittest.TestCase):
    def run_python(self, *arguments):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON") and key != "VIRTUAL_ENV"}
        done = subprocess.run([str(self.python), *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env={**inherited, "PYCUDA_CACHE_DIR": str(self.folder / "cache")})
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_installed_package_runs(self):
        for wheel in WHEELS:
            with self.subTest(wheel=wheel), tempfile.TemporaryDirectory() as name:
                self.folder = Path(name)
                venv.create(self.folder / "venv", with_pip=True)
                self.python = self.folder / "venv/bin/python"
                extras = "" if os.environ.get("CUDA_HOME") else "[toolkit]"
                self.run_python("-m", "pip", "install", "-q", "--disable-pip-version-check", f"{Path(wheel).resolve()}{extras}")
                self.assertIn(name, self.run_python("-c", "import pycuda; print(pycuda.__file__)"))
                self.run_python(ROOT / "examples/hello_gpu.py")
                self.assertEqual(self.run_python("-c", ARRAY_PROGRAM), "1000000\n")
                self.assertIn("a kernel can be compiled and run: yes", self.run_python("-m", "pycuda"))


if __name__ == "__main__":
    WHEELS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
