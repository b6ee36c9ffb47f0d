"""./dev run: the caller's folder, and copied checkouts. Build tools are replaced by stand-ins."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEV = Path(__file__).resolve().parents[2] / "dev"

# Configuring writes the files that CMake would write; every call is recorded.
CMAKE = """#!/bin/sh
echo "$@" >> calls
case "$1" in --build) ;; *) mkdir -p build/release; touch build/release/build.ninja
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" > build/release/CMakeCache.txt;; esac
"""


class DevRun(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.checkout = self.make_checkout("checkout")

    def make_checkout(self, name):
        root = self.folder / name
        (root / ".tools").mkdir(parents=True)  # as in a bundle, where nothing is installed
        (root / "build/jre/bin").mkdir(parents=True)
        shutil.copy(DEV, root / "dev")
        cmake = self.folder / "bin/cmake"
        cmake.parent.mkdir(exist_ok=True)
        cmake.write_text(CMAKE)
        cmake.chmod(0o755)
        return root

    def run_dev(self, *command, root=None, folder=None):
        path = f"{self.folder / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return subprocess.run([str((root or self.checkout) / "dev"), "run", *command], cwd=folder or self.checkout,
                              env={"PATH": path, "HOME": str(self.folder)}, check=True, capture_output=True, text=True)

    def configured(self, root):
        return sum("--preset" in call and "--build" not in call for call in (root / "calls").read_text().splitlines())

    def test_the_command_runs_where_the_caller_is(self):
        elsewhere = self.folder / "else where"
        elsewhere.mkdir()
        (elsewhere / "prog.py").write_text("import os; print(os.getcwd())")
        ran = self.run_dev(sys.executable, "prog.py", folder=elsewhere)
        self.assertEqual(ran.stdout.strip(), str(elsewhere))

    def test_a_build_is_configured_once(self):
        self.run_dev("true")
        self.run_dev("true")
        self.assertEqual(self.configured(self.checkout), 1)

    def test_a_copied_checkout_builds_its_own_sources(self):
        self.run_dev("true")
        (self.checkout / "build/release/object.o").touch()
        copy = self.folder / "copy"
        shutil.copytree(self.checkout, copy)
        ran = self.run_dev("true", root=copy)
        self.assertIn(f"is of {self.checkout}", ran.stderr)
        self.assertEqual(self.configured(copy), 2)
        self.assertFalse((copy / "build/release/object.o").exists())
        self.run_dev("true", root=copy)
        self.assertEqual(self.configured(copy), 2)

    def test_a_link_to_the_checkout_is_the_checkout(self):
        self.run_dev("true")
        link = self.folder / "link"
        link.symlink_to(self.checkout)
        self.run_dev("true", root=link)
        self.assertEqual(self.configured(self.checkout), 1)


if __name__ == "__main__":
    unittest.main()
