"""Every example, and the program of every page of the documentation, runs in an environment that has the wheel and its extras.

Arguments: cmake and a build tree. The tests of examples and of the documentation run them as after ./dev demo.
"""

import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from environments import ROOT, wheel_environment

sys.path.append(str(ROOT / "tests/documentation"))
from blocks import PAGES, python_program  # noqa: E402


class ProgramsTest(unittest.TestCase):
    def test_programs_run(self):
        programs = {path.name: path.read_text() for path in sorted((ROOT / "examples").glob("*.py"))}
        programs.update({page.name: python_program(page) for page in PAGES if python_program(page)})
        self.assertGreater(len(programs), 30)
        with tempfile.TemporaryDirectory() as folder:
            python, variables = wheel_environment(Path(folder) / "venv", *ARGUMENTS)

            def run(name):
                place = Path(folder) / name
                place.mkdir()
                (place / "program.py").write_text(programs[name])
                return subprocess.run([python, "program.py"], cwd=place, env=variables, capture_output=True, text=True, timeout=300)

            with ThreadPoolExecutor(2) as threads:
                for name, done in zip(programs, threads.map(run, programs)):
                    with self.subTest(program=name):
                        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    ARGUMENTS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
