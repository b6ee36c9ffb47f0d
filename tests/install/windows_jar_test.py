"""Runs programs on Java for Windows, under wine, with pycuda.jar and the jar of native libraries in a folder that has nothing else. Arguments: the two jars.

NVRTC comes from the Python packages of core/cmake/windows_root.sh: the compiler that pip installs is found by its folder.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/documentation"))
from blocks import java_programs  # noqa: E402

WINDOWS = ROOT / "build/windows-root"
# Examples of memory that the CPU device lacks under wine 8, which refuses VirtualAlloc2's placeholders, and one that starts a second JVM, without the
# classes that replace the JDK's (core/cmake/wine).
LEFT_OUT = {"ExternalFrames", "GrowingMemory", "SharedMemory", "Checkpoint"}


class WindowsJarTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name).resolve()
        cls.jars = ":".join(str(shutil.copy(jar, cls.folder)) for jar in JARS)
        cls.programs = {path.stem: path.read_text() for path in sorted((ROOT / "examples").glob("*.java")) if path.stem not in LEFT_OUT}
        cls.programs.update(java_programs(ROOT / "docs/tutorial.md"))
        for name, source in cls.programs.items():
            (cls.folder / f"{name}.java").write_text(source, encoding="utf-8")
        subprocess.run(["javac", "-nowarn", "-encoding", "UTF-8", "-cp", cls.jars, "-d", cls.folder / "classes", *cls.folder.glob("*.java")], check=True)

    def java(self, *arguments):
        toolkit = next(WINDOWS.glob("pythons/3.11*/org/bytedeco/cpython/windows-x86_64/lib/site-packages/nvidia/cu13"))
        inherited = {key: value for key, value in os.environ.items() if key not in ("CLASSPATH", "VIRTUAL_ENV", "CUDA_HOME", "PYCUDA_CPU_LIBRARY")}
        place = tempfile.mkdtemp(dir=self.folder)
        return subprocess.run([WINDOWS / "bin/java", *map(str, arguments)], cwd=place, capture_output=True, text=True, timeout=600,
                              env={**inherited, "PYCUDA_DRIVER": "cpu", "CUDA_PATH": f"Z:{toolkit}"})

    def test_jar_runs_by_itself(self):
        done = self.java("-jar", self.folder / "pycuda.jar")
        self.assertIn("a kernel can be compiled and run: yes", done.stdout, done.stderr)

    def test_tutorial_and_examples_run(self):
        with ThreadPoolExecutor(2) as threads:
            results = threads.map(lambda name: self.java("-ea", "-cp", f"{self.jars}:{self.folder}/classes", name), self.programs)
            for name, done in zip(self.programs, results):
                with self.subTest(program=name):
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    JARS = [Path(jar).resolve() for jar in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
