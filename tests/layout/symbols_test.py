"""The lists of driver symbols (the CPU device's exports, the core's driver table) agree with cuda.h."""

import re
import unittest

from cuda_header import INCLUDE_DIR, CudaHeader
from source_tree import code_of, files_under, text_of


def exports():
    """[(kind, symbol)] of exports.def: IMPLEMENTED(name...) or NOT_SUPPORTED(name...)."""
    text = code_of("core/cpu/exports.def")
    return re.findall(r"^\w*?(IMPLEMENTED|NOT_SUPPORTED)\(\s*(\w+)", text, re.M)


def base_name(symbol):
    return re.sub(r"(_v\d+)?(_ptds|_ptsz)?$", "", symbol)


# Functions that are newer than the headers that the project is built with.
NEWER = {name for line in re.findall(r"^\+ \d+ (.*)$", text_of("docs/data/driver_coverage.txt"), re.M) for name in line.split()}
# Functions of the core that the CPU device does not support: a process without a GPU has no checkpoints, its memory no
# dma-buf, and its arrays no tiles.
NOT_ON_THE_CPU_DEVICE = ("cuCheckpointProcess", "cuMemGetHandleForAddressRange", "cuMemMapArrayAsync")


class ExportsTest(unittest.TestCase):
    def setUp(self):
        self.rows = exports()
        self.names = [name for _, name in self.rows]

    def test_rows_are_unique(self):
        self.assertGreater(len(self.names), 100)
        self.assertEqual(sorted(n for n in set(self.names) if self.names.count(n) > 1), [])

    def test_every_function_of_the_driver_is_listed(self):
        self.assertEqual(sorted(CudaHeader().functions - set(self.names)), [], "cuda.h declares these")

    def test_nothing_is_invented(self):
        text = "".join(path.read_text() for path in INCLUDE_DIR.glob("cuda*.h"))
        # PFN_cuName_v4000 is the type of a pointer to a function that the header may no longer declare.
        known = {re.sub(r"_v\d{4,}$", "", name) for name in re.findall(r"\b(?:PFN_)?(cu[A-Z]\w+)", text)}
        per_thread = r"_pt(ds|sz)$"  # symbols for the per-thread default stream; cuda.h forms their names by macros
        self.assertEqual(sorted(n for n in self.names if re.sub(per_thread, "", n) not in known | NEWER), [])

    def test_implemented_symbols_have_a_body(self):
        bodies = "\n".join(code_of(path) for path in files_under("core/cpu/api", ".cpp"))
        defined = set(re.findall(r"\b(cu[A-Z]\w+)\s*\(", bodies))
        base_names = {base_name(name) for name in defined}
        missing = [n for kind, n in self.rows if kind == "IMPLEMENTED" and base_name(n) not in base_names]
        self.assertEqual(missing, [])


def rows_of_the_core():
    """Names of the functions that the core calls."""
    tables = [p for p in files_under("core/src") if p.stem.startswith("driver_") and p.suffix in (".def", ".hpp")]
    return [name for path in tables for name in re.findall(r"^\s*X\w*\(\s*(cu[A-Z]\w+)", code_of(path), re.M)]


class DriverTableTest(unittest.TestCase):
    def test_the_cpu_device_has_every_function_of_the_core(self):
        there = {base_name(symbol) for kind, symbol in exports() if kind == "IMPLEMENTED"}
        missing = {name for name in set(rows_of_the_core()) - there if not name.startswith(NOT_ON_THE_CPU_DEVICE)}
        self.assertEqual(sorted(missing), [])

    def test_every_row_is_a_function_of_the_driver(self):
        rows = rows_of_the_core()
        self.assertGreater(len(rows), 50)
        self.assertEqual(len(rows), len(set(rows)), "a row is there twice")
        known = set(NEWER)
        for header in INCLUDE_DIR.glob("cuda*.h"):
            known |= set(re.findall(r"\bcu[A-Z]\w+", header.read_text()))
        known.add("cuProfilerInitialize")  # the headers no longer declare it, but drivers still have it
        self.assertEqual(sorted(set(rows) - known), [])


if __name__ == "__main__":
    unittest.main()
