"""The Python programs in the documentation run: each page's blocks, one after the other, are one program."""

import subprocess
import sys
import tempfile
import unittest

from blocks import PAGES, ROOT, python_program


class PythonBlocksTest(unittest.TestCase):
    def test_programs_run(self):
        programs = {page: python_program(page) for page in PAGES if python_program(page)}
        self.assertGreater(len(programs), 8)
        for page, program in programs.items():
            with self.subTest(page=str(page.relative_to(ROOT))), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
