"""Every failure of the driver raises, in both languages, the class that the table of results names, with its text."""

import re
import unittest

from packages import ROOT, run


def results():
    """[(code, class, text)] of results.def, except success."""
    text = (ROOT / "core/include/pycuda/errors/results.def").read_text()
    return re.findall(r'^PYCUDA_RESULT\(([1-9]\d*), \w+, (\w+), "([^"]+)"\)$', text, re.M)


class ErrorsTest(unittest.TestCase):
    maxDiff = None

    def check(self, language):
        expected = results()
        faults = ",".join(f"cuMemGetInfo:{n}:{code}" for n, (code, _, _) in enumerate(expected, 1))
        # Only the CPU device fails on request, and every machine has it.
        environment = {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_FAULTS": faults}
        status, output, errors = run(language, "errors", str(len(expected)), **environment)
        self.assertEqual((status, errors), (0, ""))
        shown = [line.split(" - ")[0] for line in output.splitlines()]
        self.assertEqual(shown, [f"error {code} {name} | cuMemGetInfo failed: {text}" for code, name, text in expected])

    def test_python(self):
        self.check("python")

    def test_java(self):
        self.check("java")


if __name__ == "__main__":
    unittest.main()
