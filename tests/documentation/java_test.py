"""The Java programs in the documentation compile and run. Arguments: javac, java and the class path."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from blocks import PAGES, ROOT, java_programs

# Each of them runs for a second: the optimising compiler would not pay off.
SHORT = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


class JavaBlocksTest(unittest.TestCase):
    def run_all(self, *command, cwd=None):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_run(self):
        programs = {}
        for page in PAGES:
            for name, source in java_programs(page).items():
                self.assertNotIn(name, programs, f"{page}: another page has a class of this name")
                programs[name] = (page, source)
        self.assertGreater(len(programs), 5)
        with tempfile.TemporaryDirectory() as folder:
            for name, (_, source) in programs.items():
                (Path(folder) / f"{name}.java").write_text(source)
            self.run_all(JAVAC, *(f"-J{flag}" for flag in SHORT), "-encoding", "UTF-8", "-cp", CLASS_PATH, *map(str, Path(folder).glob("*.java")))
            for name, (page, _) in programs.items():
                with self.subTest(page=str(page.relative_to(ROOT)), name=name):
                    self.run_all(JAVA, *SHORT, "-ea", "-cp", f"{CLASS_PATH}:{folder}", name, cwd=folder)


if __name__ == "__main__":
    JAVAC, JAVA, CLASS_PATH = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
