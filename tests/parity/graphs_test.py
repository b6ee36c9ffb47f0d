"""The program of graphs in both languages: the same values and errors, and the same driver calls for graphs with the same results."""

import re
import unittest

from packages import run

# [pycuda] cuGraphLaunch(...) = CUDA_SUCCESS
CALL = re.compile(r"^\[pycuda\] (cu(?:Graph|StreamBegin|StreamEnd|UserObject)\w*)\(.*\) = (\w+)", re.M)
#: The calls that destroy objects come when each language's collector runs.
ENDS = {"cuGraphDestroy", "cuGraphExecDestroy", "cuUserObjectRelease"}


class GraphsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.results = {language: run(language, "graphs", PYCUDA_TRACE="1") for language in ("python", "java")}

    def calls(self, language):
        return [f"{name} = {result}" for name, result in CALL.findall(self.results[language][2]) if name not in ENDS]

    def test_both_end_well(self):
        for language, (status, _, errors) in self.results.items():
            self.assertEqual(status, 0, f"{language}: {errors[-3000:]}")

    def test_values_and_errors(self):
        python, java = (output.splitlines() for _, output, _ in self.results.values())
        self.assertEqual(python, java)

    def test_values(self):
        lines = self.results["python"][1].splitlines()
        for line in ("captured 3.0 3.0 3.0", "built 10.0 10.0 10.0", "updated 70.0 70.0 70.0", "looped 2.0 2.0 2.0", "kinds 2 0 5",
                     "kernel scale 32 1 1", "enabled false true", "condition while 1"):
            with self.subTest(line=line):
                self.assertIn(line, lines)

    def test_driver_calls(self):
        self.assertGreater(len(self.calls("python")), 30, "PYCUDA_TRACE=1 shows no calls")
        self.assertEqual(self.calls("python"), self.calls("java"))


if __name__ == "__main__":
    unittest.main()
