"""Both languages compile to the same code, fail in the same way, and share one disk cache."""

import tempfile
import unittest
from pathlib import Path

from packages import run


class CompilingTest(unittest.TestCase):
    maxDiff = None

    def compile(self, language, cache):
        status, output, errors = run(language, "compiling", PYCUDA_CACHE_DIR=cache)
        if "no CUDA compiler was found" in errors:
            self.skipTest("no CUDA compiler on this host")
        self.assertEqual(status, 0, errors[-2000:])
        return output

    @staticmethod
    def entries(cache):
        """Every cached result, with the properties that would change if it were written again."""
        return {path: (path.stat().st_ino, path.read_bytes()) for path in Path(cache).rglob("*.entry")}

    def check(self, first, second):
        with tempfile.TemporaryDirectory() as cache:
            output = self.compile(first, cache)
            self.assertIn("function True", output)
            self.assertIn("says where True", output)
            entries = self.entries(cache)
            self.assertEqual(len(entries), 1, "one of the two sources compiles")
            self.assertEqual(self.compile(second, cache), output)
            self.assertEqual(self.entries(cache), entries)

    def test_java_uses_what_python_compiled(self):
        self.check("python", "java")

    def test_python_uses_what_java_compiled(self):
        self.check("java", "python")


if __name__ == "__main__":
    unittest.main()
