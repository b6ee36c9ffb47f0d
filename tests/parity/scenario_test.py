"""The same scenario in both languages: the same values and errors, and the same driver calls with the same results."""

import re
import unittest

from packages import run

# [pycuda] cuMemAlloc_v2(0x7ffc..., 1600) = CUDA_SUCCESS
CALL = re.compile(r"^\[pycuda\] (cu\w+)\(.*\) = (\w+)", re.M)

# The number of staging buffers in use, each with an event, and whether one is waited for, depend on the device's progress.
STAGING = {"cuEventCreate", "cuEventQuery", "cuEventSynchronize", "cuEventDestroy", "cuMemHostAlloc", "cuMemFreeHost"}

# Memory that another stream used is ordered behind it, unless that stream has finished, which depends on the device's progress too.
UNFINISHED = re.compile(r"cuStreamQuery = CUDA_ERROR_NOT_READY\ncuEventRecord = CUDA_SUCCESS\ncuStreamWaitEvent = CUDA_SUCCESS\n")

# Names in advice are spelled as in each language.
SPELLINGS = {"import pycuda.autoinit": "call Autoinit.init()", "Device.make_context()": "Device.makeContext()",
             "call its push() in this thread before CUDA is used, and pop() after (pycuda.autoinit.context, if autoinit made it)":
             "open a scope with Context.pushed() in this thread before CUDA is used, or call Autoinit.init() in it"}


def spelled_as_java(text):
    for python, java in SPELLINGS.items():
        text = text.replace(python, java)
    return text


class ScenarioTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.results = {language: run(language, "scenario", PYCUDA_TRACE="1") for language in ("python", "java")}

    def calls(self, language):
        lines = "".join(f"{name} = {result}\n" for name, result in CALL.findall(self.results[language][2]) if name not in STAGING)
        return UNFINISHED.sub("cuStreamQuery = CUDA_SUCCESS\n", lines).splitlines()

    def test_both_end_well(self):
        for language, (status, _, errors) in self.results.items():
            self.assertEqual(status, 0, f"{language}: {errors[-3000:]}")

    def test_values_and_errors(self):
        # Addresses differ from process to process.
        python, java = (re.sub(r"\d+(?= of \d+ bytes are free)", "FREE", re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", output)) for _, output, _ in self.results.values())
        self.assertEqual(spelled_as_java(python).splitlines(), java.splitlines())

    def test_values(self):
        """The values are not only equal but correct, as far as they do not depend on the device."""
        lines = self.results["python"][1].splitlines()
        for line in ("count is positive true", "warp size 32", "copied true", "filled 0.0 1.0 1.0", "scaled 2.0 1998.0",
                     "in and out 6.0 5994.0", "handled 8.0 7992.0", "pool 0 1", "prepared 4.0 3996.0", "done true true", "time goes on true true",
                     "no such device LogicError 101 cuDeviceGet", "more than there is MemoryError 2 cuMemAlloc",
                     "no such function LogicError 500 cuModuleGetFunction", "too few arguments argument refused"):
            with self.subTest(line=line):
                self.assertIn(line, lines)

    def test_driver_calls(self):
        self.assertGreater(len(self.calls("python")), 50, "PYCUDA_TRACE=1 shows no calls")
        self.assertEqual(self.calls("python"), self.calls("java"))


if __name__ == "__main__":
    unittest.main()
