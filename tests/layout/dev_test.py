"""./dev run: the caller's folder, and copied checkouts. ./dev random in a bundle. ./dev setup where dnf installs packages. Tools that build and
install are replaced by stand-ins."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DEV = Path(__file__).resolve().parents[2] / "dev"

# Configuring writes the files that CMake would write; every call is recorded.
CMAKE = """#!/bin/sh
[ "$1" != --version ] || { echo "cmake version ${CMAKE_VERSION:-3.25.1}"; exit; }
echo "$@" >> calls
case "$1" in --build) ;; *) mkdir -p build/release; touch build/release/build.ninja
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" > build/release/CMakeCache.txt;; esac
"""

JAVA = """#!/bin/sh
echo "$PYCUDA_CPU_LIBRARY" "$@"
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

    def run_dev(self, *command, root=None, folder=None, task="run", check=True, **environment):
        path = f"{self.folder / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return subprocess.run([str((root or self.checkout) / "dev"), task, *command], cwd=folder or self.checkout,
                              env={"PATH": path, "HOME": str(self.folder), **environment}, check=check, capture_output=True, text=True)

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
        self.assertIn(f"belongs to {self.checkout}", ran.stderr)
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

    def test_random_calls_of_a_bundle_use_its_classes_and_libraries(self):
        java = self.checkout / "build/jre/bin/java"
        java.write_text(JAVA)
        java.chmod(0o755)
        ran = self.run_dev("100", task="random")
        built = next(call for call in (self.checkout / "calls").read_text().splitlines() if "--build" in call)
        self.assertIn("--target pycuda_java pycuda_cpu --", built)  # javac makes neither its jars nor that of the libraries
        self.assertTrue(ran.stdout.startswith(f"{self.checkout}/build/release/core/cpu/libpycuda_cpu.so "), ran.stdout)
        self.assertIn(f"-Dorg.pycuda.library={self.checkout}/build/release/java/native/libpycuda_java.so", ran.stdout)
        self.assertTrue(ran.stdout.rstrip().endswith("org.pycuda.fuzz.RandomCalls 100"), ran.stdout)

    def test_a_cmake_that_is_too_old(self):
        ran = self.run_dev("true", check=False, CMAKE_VERSION="3.22.1")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("CMake 3.22.1 is too old; 3.25 or newer is needed", ran.stderr)
        self.run_dev("true", CMAKE_VERSION="4.0.0")


# Programs that ./dev calls before it installs anything; a system with only these lacks every package.
TOOLS = ("bash", "dirname", "uname", "id", "sed", "xargs", "sort", "mkdir", "sha256sum", "grep", "nproc", "echo", "ln", "cat")
# Installs nothing, records its arguments, one per line, and fails.
DNF = """#!/bin/sh
printf '%s\\n' "$@" >> "$HOME/asked"
exit 1
"""


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copy(DEV, self.folder / "dev")
        (self.folder / "bin").mkdir()
        for tool in TOOLS:
            (self.folder / "bin" / tool).symlink_to(shutil.which(tool))
        self.add_tool("sudo", '#!/bin/sh\nexec "$@"\n')

    def add_tool(self, name, text="#!/bin/sh\n"):
        tool = self.folder / "bin" / name
        tool.parent.mkdir(parents=True, exist_ok=True)
        tool.write_text(text)
        tool.chmod(0o755)

    def run_dev(self, *arguments):
        ran = subprocess.run([str(self.folder / "dev"), *arguments], env={"PATH": str(self.folder / "bin"), "HOME": str(self.folder)},
                             capture_output=True, text=True)
        self.assertNotEqual(ran.returncode, 0)
        return ran

    def asked_of_dnf(self):
        self.add_tool("dnf", DNF)
        ran = self.run_dev("setup")
        self.assertIn("could not install: ", ran.stderr)
        return (self.folder / "asked").read_text().splitlines()

    def test_fedora(self):
        self.add_tool("rpm", "#!/bin/sh\necho '%rhel'\n")
        self.assertEqual(self.asked_of_dnf(), ["install", "-y", "-q", "python3", "python3-devel"])

    def test_red_hat_9_has_a_python_3_9_that_is_too_old(self):
        self.add_tool("rpm", "#!/bin/sh\necho 9\n")
        self.add_tool("python3", '#!/bin/sh\ncase "$2" in *"(3, 10)"*) exit 1;; esac\n')
        self.assertEqual(self.asked_of_dnf(), ["install", "-y", "-q", "python3.12", "python3.12-devel"])

    def test_another_python_beside_one_that_is_too_old(self):
        self.add_tool("python3", "#!/bin/sh\nexit 1\n")
        self.add_tool("python3.11")
        asked = self.asked_of_dnf()
        self.assertEqual([name for name in asked if "python" in name], [])
        self.assertIn("gcc-c++", asked)
        self.assertIn("java-devel >= 1:17", asked)

    def test_pip_replaces_a_cmake_that_is_too_old(self):
        for tool in ("g++", "ninja", "javac", "python3"):
            self.add_tool(tool)
        self.add_tool("cmake", "#!/bin/sh\necho cmake version 3.22.1\n")
        self.add_tool("cmake-of-pip", "#!/bin/sh\necho called: cmake of pip\nexit 1\n")
        self.add_tool("../.venv/bin/python", '#!/bin/sh\ncase "$*" in *"cmake>=3.25"*) ln -s ../../bin/cmake-of-pip .venv/bin/cmake;; esac\n')
        shutil.copy(DEV.parent / "pyproject.toml", self.folder)
        self.assertIn("called: cmake of pip", self.run_dev("run", "true").stderr)


if __name__ == "__main__":
    unittest.main()
