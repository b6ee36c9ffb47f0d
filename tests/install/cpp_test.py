"""cmake --install, then a project elsewhere that says find_package(pycuda). Arguments: cmake, build tree, cuda.h's folder, c++."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "cpp"


class InstalledLibraryTest(unittest.TestCase):
    def run_all(self, *commands, **options):
        for command in commands:
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_project_finds_and_uses_it(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            first, moved, build = folder / "first", folder / "moved", folder / "build"
            self.run_all([CMAKE, "--install", BUILD_TREE, "--component", "cpp", "--prefix", first])
            first.rename(moved)  # the installation must work in any folder
            self.assertFalse(list(moved.rglob("*.py")), "a component of its own")
            self.run_all([CMAKE, "-G", "Ninja", "-S", SAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={moved}",
                          f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DPYCUDA_CUDA_INCLUDE_DIR={CUDA_INCLUDE_DIR}"],
                         [CMAKE, "--build", build])
            environment = {key: value for key, value in os.environ.items() if key != "PYCUDA_CPU_LIBRARY"}
            said = self.run_all([build / "sample"], env=environment)
            self.assertTrue(said.endswith(": right\n"), said)


if __name__ == "__main__":
    CMAKE, BUILD_TREE, CUDA_INCLUDE_DIR, COMPILER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
