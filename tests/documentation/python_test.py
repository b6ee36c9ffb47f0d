"""The Python programs in the documentation run as after ./dev demo: each page's blocks, one after the other, are one program."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from blocks import PAGES, ROOT, python_program

sys.path.append(str(ROOT / "tests/install"))
from environments import demo_environment  # noqa: E402


class PythonBlocksTest(unittest.TestCase):
    def test_programs_run(self):
        programs = {page: python_program(page) for page in PAGES if python_program(page)}
        self.assertGreater(len(programs), 8)
        environment = tempfile.TemporaryDirectory()
        self.addCleanup(environment.cleanup)
        python, variables = demo_environment(Path(environment.name))
        for page, program in programs.items():
            with self.subTest(page=str(page.relative_to(ROOT))), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([python, "-c", program], cwd=folder, env=variables, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for message in re.findall(r"^ *print\(error\) +# (.+)$", program, flags=re.MULTILINE):
                    self.assertIn(message, done.stdout)


if __name__ == "__main__":
    unittest.main()
