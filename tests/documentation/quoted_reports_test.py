"""The reports of bugs that README and the guides quote are those that programs give: README's is a block of `py` with the block of `text`
after it, the guides' are indented blocks, whose programs are here."""

import os
import re
import subprocess
import sys
import unittest

from blocks import PAGES, ROOT

PAIR = re.compile(r"^```py\n(.*?)^```\n\n```text\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
REPORT = re.compile(r"(?:^    .*\bkernel \w+:.*\n)(?:^    .*\n)*", flags=re.MULTILINE)

# What each quoted report begins with, apart from the driver's call: the kernel, the program's calls, and PYCUDA_CPU_CHECK.
PROGRAMS = {
    "kernel twice: illegal read": ("int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] *= 2;", "k(drv.mem_alloc(400), block=(64, 1, 1), grid=(2, 1))", ""),
    "kernel store: illegal write": ("x[61 + threadIdx.x] = 1;", "k(x, block=(8, 1, 1))", ""),
    "kernel smooth: uninitialised read": ("x[threadIdx.x] *= 2;", "drv.memset_d32(x, 0, 63); k(x, block=(64, 1, 1))", "init"),
    "kernel smooth: race": ("__shared__ float tile[64]; tile[threadIdx.x] = 1; x[threadIdx.x] = tile[threadIdx.x ^ 1];", "k(x, block=(64, 1, 1))", "race"),
    "pycuda: kernel smooth: illegal read": ("if (x[threadIdx.x] == 1) x[0] = 1;", "k(x, block=(76, 1, 1))", "continue"),
}
PROGRAM = """
import pycuda.autoinit, pycuda.driver as drv
from pycuda.compiler import SourceModule
k = SourceModule("__global__ void {kernel}(float *x) {{ {body} }}", options=["-lineinfo"]).get_function("{kernel}")
x = drv.mem_alloc(256)
{calls}
drv.Context.synchronize()
"""


def pattern_of(report):
    """Matches the report with any addresses, any lines of PTX and of sources, and with anything after its last line or for an ellipsis."""
    place = re.compile(r"(?:kernel source|\S+\.cu):\d+(?: `[^`]*`)?")
    text = r"(?:kernel source|\S+):\d+(?: `[^`]*`)?".join(re.escape(part) for part in place.split(" ".join(report.split())))
    text = re.sub("0x[0-9a-f]+", "0x[0-9a-f]+", text)
    return re.sub(r"PTX\\ line\\ \d+", r"PTX line \\d+", text).replace("…", ".*")


def stderr_of(program, check=""):
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_CHECK": check}, capture_output=True,
                          text=True, timeout=120)
    return " ".join(done.stderr.split())


class QuotedReportsTest(unittest.TestCase):
    def test_readme_s_program_gives_its_report(self):
        pairs = PAIR.findall((ROOT / "README.md").read_text())
        self.assertEqual(len(pairs), 1)
        for program, report in pairs:
            self.assertRegex(stderr_of(program), pattern_of(report))

    def test_programs_give_the_guides_reports(self):
        reports = [report for page in PAGES for report in REPORT.findall(page.read_text())]
        self.assertEqual(len(reports), len(PROGRAMS))
        for report in reports:
            with self.subTest(report=report):
                begin = re.search(r"(?:pycuda: )?kernel \w+: (?:illegal |uninitialised )?\w+", " ".join(report.split()))[0]
                body, calls, check = PROGRAMS[begin]
                kernel = re.search(r"kernel (\w+)", begin)[1]
                self.assertRegex(stderr_of(PROGRAM.format(kernel=kernel, body=body, calls=calls), check), pattern_of(report))


if __name__ == "__main__":
    unittest.main()
