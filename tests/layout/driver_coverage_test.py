"""docs/driver_coverage.md names every function of cuda.h, as reachable in both languages, or with its reason."""

import os
import sys
import unittest
from pathlib import Path

from cuda_header import INCLUDE_DIR
from source_tree import ROOT

sys.path.insert(0, str(ROOT / "docs/site"))
from driver_coverage import PAGE, Coverage, called_by_the_core, functions_of, names_of_surface, page  # noqa: E402

#: Functions of cudaProfiler.h and cudaGL.h.
OF_OTHER_HEADERS = {"cuProfilerInitialize", "cuProfilerStart", "cuProfilerStop", "cuGLGetDevices", "cuGraphicsGLRegisterBuffer",
                    "cuGraphicsGLRegisterImage"}
NEWER_HEADER = os.environ.get("PYCUDA_NEWER_CUDA_H")


class DriverCoverageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.coverage = Coverage()

    def test_every_function_of_the_header_is_named_once(self):
        named = self.coverage.all_functions()
        self.assertEqual(sorted({name for name in named if named.count(name) > 1}), [], "named twice in driver_coverage.txt")
        declared = functions_of(INCLUDE_DIR / "cuda.h")
        self.assertGreater(len(declared), 400, "cuda.h was not understood")
        self.assertEqual(sorted(declared - set(named)), [], "cuda.h declares them: add them to docs/data/driver_coverage.txt")

    def test_nothing_else_is_named(self):
        known = functions_of(INCLUDE_DIR / "cuda.h") | OF_OTHER_HEADERS | set(self.coverage.versions)
        self.assertEqual(sorted(set(self.coverage.all_functions()) - known), [], "no header declares them")

    @unittest.skipUnless(NEWER_HEADER, "PYCUDA_NEWER_CUDA_H names no cuda.h")
    def test_every_function_of_a_newer_header_is_named(self):
        self.assertEqual(sorted(functions_of(Path(NEWER_HEADER)) - set(self.coverage.all_functions())), [])

    def test_reachable_functions_are_called_by_the_core(self):
        called = called_by_the_core()
        self.assertEqual(sorted(set(self.coverage.named("reachable")) - called), [], "reachable, but not in driver_functions.def")
        self.assertEqual(sorted(called & set(self.coverage.named("missing"))), [], "in driver_functions.def: which name reaches them?")

    def test_the_names_are_in_both_languages(self):
        surface = names_of_surface()
        for family in self.coverage.families.values():
            for function, name in family["reachable"].items():
                with self.subTest(function=function):
                    self.assertIn(name, surface, "surface.golden has no such name in Python")
                    self.assertTrue(surface[name], f"surface.golden has no counterpart of {name} in Java")

    def test_reasons_are_sentences(self):
        for family in self.coverage.families.values():
            for function, reason in family["reasoned"].items():
                self.assertGreater(len(reason.split()), 4, function)

    def test_the_page_is_up_to_date(self):
        self.assertEqual(PAGE.read_text(encoding="utf-8"), page(self.coverage), "run python docs/site/driver_coverage.py")


if __name__ == "__main__":
    unittest.main()
