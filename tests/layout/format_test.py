"""Every C++ source is formatted by clang-format, in the version that pyproject.toml pins: ./dev format."""

import os
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from source_tree import ROOT, text_of, tracked_files

SUFFIXES = {".cpp", ".hpp", ".h"}
CHUNK = 40  # files per process: a process starts in milliseconds, and all cores should be busy until the end


# The one that ./dev installs beside Python: the system's own may have another version.
CLANG_FORMAT = Path(sys.executable).with_name("clang-format")


@unittest.skipUnless(CLANG_FORMAT.exists(), "clang-format is not installed; a bundle carries none")
class FormatTest(unittest.TestCase):
    def test_clang_format_is_the_pinned_one(self):
        pinned = re.search(r"clang-format==([0-9.]+)", text_of("pyproject.toml"))[1]
        says = subprocess.run([CLANG_FORMAT, "--version"], check=True, capture_output=True, text=True).stdout
        self.assertIn(f" {pinned} ", says.replace("\n", " "), "another version formats differently: ./dev setup")

    def test_sources_are_formatted(self):
        paths = [str(path) for path in tracked_files() if path.suffix in SUFFIXES]
        self.assertGreater(len(paths), 300)

        def check(chunk):
            return subprocess.run([CLANG_FORMAT, "-n", *chunk], cwd=ROOT, capture_output=True, text=True).stderr

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            messages = "".join(pool.map(check, (paths[i : i + CHUNK] for i in range(0, len(paths), CHUNK))))
        faults = sorted(set(re.findall(r"^(\S+?):\d+:\d+: ", messages, re.M)))
        self.assertEqual(faults, [], "run ./dev format")


if __name__ == "__main__":
    unittest.main()
