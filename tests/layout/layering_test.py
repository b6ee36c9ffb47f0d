"""The layers of the project, and which of them may use which others, checked in the source text without comments."""

import re
import unittest
from pathlib import Path, PurePosixPath

from source_tree import ROOT, code_of, files_under, includes_of

CPP = (".hpp", ".cpp", ".h", ".c", ".inc", ".def")

PYTHON_API = r"\bPy_\w+|\bPy(?!CUDA)[A-Z]\w*|\bPython\.h\b|\bSWIGPYTHON\b|\bnumpy\b"
JAVA_API = r"\bJNIEnv\b|\bJNI_\w+|\bj(?:object|string|array|class|throwable)\b|\bjni\.h\b|\bSWIGJAVA\b|\bjenv\b"
# A driver call: cu, a capital letter, and an opening bracket.
DRIVER_CALL = r"\bcu(?:[A-Z][a-z]|GL|D3D)\w*\s*\("

# A unit is a header with the .cpp of its name. Units that include each other in a circle must be read, built and tested together.
LARGEST_CIRCLES = {"core": 5, "swig/python": 5}
# The folders of core/include/pycuda and core/src, which have the same names, from the bottom up: a file includes files of its own
# folder and of those before it. core/DESIGN.md says what lies in each.
CORE_FOLDERS = [
    "text", "constants", "errors", "platform", "platform/linux", "platform/windows", "threads", "observing", "driver", "toolchain", "timeline", "known_memory", "compiler", "devices",
    "contexts", "handles", "launching", "captures", "streams", "green_contexts", "memory", "pools", "modules", "kernels", "arrays", "external", "opengl",
    "gpuarray", "gpuarray/random", "gpuarray/own", "gpuarray/fusing", "gpuarray/libraries", "gpuarray/composed", "graphs", "start", "reports",
]
# The same for swig/python; "." is swig/python itself.
PYTHON_FOLDERS = ["interpreter", ".", "modules", "calls", "dlpack", "textures", "launching", "gpuarray", "graphs"]
# What a file there includes of later folders. They are to become fewer.
UPWARD_IN_PYTHON = {
    "interpreter/core_hooks.cpp": {"host_functions.hpp", "lifetime.hpp"},
    "interpreter/program_places.cpp": {"lifetime.hpp"},
    "device_arrays.cpp": {"gpuarray/array.hpp"},
    "pointers.cpp": {"gpuarray/array.hpp"},
}
# The CPU device from the bottom up: the system, PTX text to a program, its execution, driver objects, the driver's ABI.
CPU_LAYERS = ["platform", "ptx", "exec", "state", "api"]


# The folders that hide the system.
PLATFORMS = ["core/src/platform", "core/cpu/platform"]


def included_name(path):
    return path.relative_to("core/include").as_posix()


def unit_of(path):
    """The place of a header and its .cpp: core/src/memory/staging.cpp implements core/include/pycuda/memory/staging.hpp."""
    for root in ("core/include/pycuda", "core/src"):
        if PurePosixPath(root) in path.parents:
            return path.relative_to(root).with_suffix("").as_posix()
    return path.with_suffix("").as_posix()


def place_of(path):
    """The path below its root: streams/stream.hpp of core/include/pycuda/streams/stream.hpp."""
    return next(path.relative_to(root).as_posix() for root in ("core/include/pycuda", "core/src", "swig/python") if path.is_relative_to(root))


def folder_of(path):
    return PurePosixPath(place_of(path)).parent.as_posix()


def includes_of_units(files, roots):
    """The units that each unit includes. Quoted names are relative to one of the roots, or to the including file."""
    known = set(files)
    uses = {unit_of(path): set() for path in files}
    for path in files:
        for _, name in includes_of(path):
            found = next((place / name for place in [path.parent, *map(Path, roots)] if place / name in known), None)
            if found and unit_of(found) != unit_of(path):
                uses[unit_of(path)].add(unit_of(found))
    return uses


def circles(uses):
    """The sets of units that include each other, by Tarjan's algorithm."""
    number, lowest, path, found = {}, {}, [], []

    def visit(unit):
        number[unit] = lowest[unit] = len(number)
        path.append(unit)
        for used in uses[unit]:
            if used not in number:
                visit(used)
            if used in path:
                lowest[unit] = min(lowest[unit], lowest[used])
        if lowest[unit] == number[unit]:
            begin = path.index(unit)
            found.append(sorted(path[begin:]))
            del path[begin:]

    for unit in uses:
        if unit not in number:
            visit(unit)
    return found


class LayeringTest(unittest.TestCase):
    def assert_nowhere(self, files, pattern, why):
        self.assertTrue(files, "no such files: the test looks in the wrong place")
        found = []
        for path in files:
            for number, line in enumerate(code_of(path).splitlines(), 1):
                if match := re.search(pattern, line):
                    found.append(f"{path}:{number}: {match[0]!r}")
        self.assertEqual(found, [], why)

    def assert_includes(self, files, allowed, why):
        found = [f"{path}:{number}: {name}" for path in files for number, name in includes_of(path)
                 if not allowed(path, name)]
        self.assertEqual(found, [], why)

    def test_core_does_not_know_the_cpu_device(self):
        files = files_under("core/include", *CPP) + files_under("core/src", *CPP)
        self.assert_nowhere(files, r"\bcpu::|[<\"](?:\.\./)*cpu/|\bnamespace cpu\b", "core must not name core/cpu")

    def test_a_system_is_asked_in_the_platform_folders(self):
        """A port to another system only has to write core/src/platform/<system>/*.cpp and core/cpu/platform/<system>/*.cpp."""
        headers = (r"#include <(?:(?:sys|linux|net|netinet|arpa)/[\w/]+|aclapi|aio|dirent|dlfcn|elf|execinfo|fcntl|io|ifaddrs|link|netdb|poll|process"
                   r"|psapi|pthread|pwd|sched|sddl|semaphore|shlobj|signal|spawn|syslog|termios|tlhelp32|ucontext|unistd|windows|winsock2)\.h>"
                   r"|#include <csignal>")
        conditions = r"\b_WIN(?:32|64)\b|\b__(?:linux|linux__|unix|unix__|APPLE__|MINGW32__|MINGW64__|CYGWIN__)\b"
        calls = (r"(?<![\w.>:])(?:::)?(?:dlopen|dlsym|dladdr|dlerror|dlclose|flock|posix_spawnp?|execv\w*|fork|waitpid|pipe2?|mkdtemp|mkstemp"
                 r"|getpid|gettid|getenv|mmap|munmap|mprotect|madvise|sysconf|pthread_\w+|syscall)\(|std::getenv|std::call_once")
        sources = [path for root in ("core/include", "core/src", "core/cpu", "swig") for path in files_under(root, ".i", *CPP)]
        systems = [path for path in sources if re.search(r"/platform/(?:linux|windows)/", path.as_posix())]
        self.assertGreater(len(systems), 30, "the test looks in the wrong place")
        self.assert_nowhere([path for path in sources if path not in systems], f"{headers}|{conditions}|{calls}",
                            "ask core/src/platform, or the CPU device's core/cpu/platform")
        self.assert_includes(sources, lambda path, name: "/linux/" not in name and "/windows/" not in name or path in systems,
                             "what is of one system is known there only")

    def test_each_platform_has_the_same_sources(self):
        def sources_of(root, system):
            return {path.name for path in files_under(f"{root}/{system}", ".cpp")}

        # Windows only: conversion of texts, rights of folders, and reserved addresses, each with a header of its own; and a function that compilers call.
        own = {path.stem + ".cpp" for root in PLATFORMS for path in files_under(f"{root}/windows", ".hpp")} | {"thread_exit.cpp"}
        for root in PLATFORMS:
            self.assertEqual(sources_of(root, "linux"), sources_of(root, "windows") - own, root)

    def test_core_formats_without_streams(self):
        files = files_under("core/include", *CPP) + files_under("core/src", *CPP) + files_under("swig", *CPP)
        self.assert_nowhere(files, r"#include <(?:[io]?stream|iostream|[io]?fstream|sstream|ostream|istream|iomanip|regex|locale)>",
                            "where the standard library is linked into the module, its locale is not that of a process which has "
                            "another one loaded: numbers then end in a crash")

    def test_core_knows_no_language(self):
        files = files_under("core/include", *CPP) + files_under("core/src", *CPP) + files_under("core/cpu", *CPP)
        self.assert_nowhere(files, rf"{PYTHON_API}|{JAVA_API}", "the core serves every language")

    def test_cpu_device_does_not_know_the_core(self):
        self.assert_nowhere(files_under("core/cpu", *CPP), r"\bpycuda/|\bpycuda::|\bnamespace pycuda\b",
                            "all that the CPU device shows is the driver's C ABI")

    def test_only_the_driver_table_opens_the_driver(self):
        files = [p for p in files_under("core/src", *CPP) if p.stem not in ("driver_table", "host_platform")]
        self.assert_nowhere(files, r"libcuda\.so|\bcuGetProcAddress\b", "driver_table is the one place that opens it")
        callers = files_under("core/include", *CPP) + files
        self.assert_nowhere(callers, rf"(?<![\w.:>\"]){DRIVER_CALL}", "driver calls go through the driver table")

    def test_circles_of_includes_are_small(self):
        core = files_under("core/include", ".hpp") + files_under("core/src", ".hpp", ".cpp")
        python = files_under("swig/python", ".hpp", ".cpp")
        for name, files, roots in (("core", core, ("core/include", "core/src")), ("swig/python", python, ("swig/python",))):
            uses = includes_of_units(files, roots)
            self.assertGreater(sum(map(len, uses.values())), 50, "the test looks in the wrong place")
            large = [circle for circle in circles(uses) if len(circle) > LARGEST_CIRCLES[name]]
            self.assertEqual(large, [], "cut one of their includes: by a forward declaration, or by a header that only declares what lower units call")

    def upward_includes(self, files, roots, folders):
        """[(including file, included file)] against the order of the folders, both relative to their root."""
        known = set(files)
        found = []
        for path in files:
            for _, name in includes_of(path):
                used = next((place / name for place in [path.parent, *map(Path, roots)] if place / name in known), None)
                if used and folders.index(folder_of(used)) > folders.index(folder_of(path)):
                    found.append((place_of(path), place_of(used)))
        return found

    def test_folders_of_the_core_include_downwards(self):
        core = files_under("core/include", ".hpp", ".def") + files_under("core/src", ".hpp", ".cpp", ".def")
        self.assertEqual({folder_of(path) for path in core}, set(CORE_FOLDERS), "CORE_FOLDERS gives each folder its layer")
        self.assertEqual(self.upward_includes(core, ("core/include", "core/src"), CORE_FOLDERS), [],
                         "move what the lower folder needs down, or let it declare what the upper one implements")

    def test_folders_of_the_python_module_include_downwards(self):
        files = files_under("swig/python", ".hpp", ".cpp")
        self.assertEqual({folder_of(path) for path in files}, set(PYTHON_FOLDERS), "PYTHON_FOLDERS gives each folder its layer")
        found = self.upward_includes(files, ("swig/python",), PYTHON_FOLDERS)
        expected = [(path, used) for path, all_used in UPWARD_IN_PYTHON.items() for used in all_used]
        self.assertEqual(sorted(found), sorted(expected))

    def test_an_error_knows_only_texts(self):
        core = files_under("core/include", ".hpp") + files_under("core/src", ".hpp", ".cpp")
        uses = includes_of_units(core, ("core/include", "core/src"))
        self.assertEqual((uses["errors/error"], uses["errors/closed_text"]), ({"errors/closed_text"}, set()), "what asks the driver belongs to failures")

    def test_includes_of_the_core_say_the_folder(self):
        users = files_under("core/include", ".hpp") + files_under("core/src", ".hpp", ".cpp") + files_under("tests/core", ".hpp", ".cpp")
        heads = {path.name for path in files_under("core/include", ".hpp", ".def") + files_under("core/src", ".hpp", ".def")}
        self.assert_includes(users, lambda path, name: "/" in name or name not in heads
                             or "tests/core" in path.as_posix() and (ROOT / path.parent / name).is_file(), "as in driver/driver_table.hpp")

    def test_public_headers_are_self_contained(self):
        headers = files_under("core/include", ".hpp")
        self.assert_includes(headers, lambda _, name: "/" not in name or name.startswith("pycuda/"),
                             "public headers include the standard library, cuda.h and each other")

    def test_public_headers_do_not_include_in_circles(self):
        uses = {included_name(path): [name for _, name in includes_of(path) if name.startswith("pycuda/")]
                for path in files_under("core/include", ".hpp")}

        def visit(name, chain):
            self.assertNotIn(name, chain, " -> ".join([*chain, name]))
            for used in uses.get(name, []):
                visit(used, [*chain, name])

        for name in uses:
            visit(name, [])

    def test_cpu_device_includes_downwards(self):
        def layer(path):
            parts = PurePosixPath(path).parts
            return next((CPU_LAYERS.index(part) for part in parts if part in CPU_LAYERS), None)

        def allowed(path, name):
            own, other = layer(path.parent), layer(name)
            return own is None or other is None or other <= own

        self.assert_includes(files_under("core/cpu", *CPP), allowed, "api -> state -> exec -> ptx -> platform")

    def test_shared_swig_files_know_no_language(self):
        files = [p for p in files_under("swig", ".i") if len(p.parts) == 2]
        languages = rf"{PYTHON_API}|{JAVA_API}|(?i:\bpython\b|\bjava\b)"
        self.assert_nowhere(files, languages, "what depends on a language belongs to swig/python or swig/java")

    def test_swig_language_files_know_their_own_language_only(self):
        suffixes = (".i", *CPP)
        self.assert_nowhere(files_under("swig/python", *suffixes), rf"{JAVA_API}|\bswig/java\b", "another language")
        self.assert_nowhere(files_under("swig/java", *suffixes), rf"{PYTHON_API}|\bswig/python\b", "another language")
        for language in ("python", "java"):
            self.assert_nowhere(files_under(f"swig/{language}", *suffixes), rf"(?<![\w.:>\"]){DRIVER_CALL}",
                                "wrappers call the core, not the driver")

    def test_packages_do_not_name_the_driver(self):
        python = files_under("python/pycuda", ".py", ".pyi")
        self.assert_nowhere(python, rf"\blibcuda\b|\bcuda\.bindings\b|(?<![\w.\"]){DRIVER_CALL}",
                            "Python reaches the driver through the generated module only")
        # Segments provides host memory of java.lang.foreign; no call needs it.
        java = [p for p in files_under("java/src", ".java") if p.name != "Segments.java"]
        self.assert_nowhere(java, rf"\blibcuda\.so|\bjava\.lang\.foreign\b|(?<![\w.\"]){DRIVER_CALL}",
                            "Java reaches the driver through the generated classes only")


if __name__ == "__main__":
    unittest.main()
