"""Files, folders and functions stay small enough to be read. Run as a script, this also lists long functions."""

import re
import sys
import unittest
from collections import Counter

from source_tree import code_of, docstring_lines, text_of, tracked_files

SOURCE_SUFFIXES = {".cpp", ".hpp", ".h", ".i", ".py", ".pyi", ".java", ".cu"}
LONGEST_FILE = 400
LARGEST_FOLDER = 40
LONGEST_FUNCTION = 60
FUNCTION_SUFFIXES = {".cpp", ".hpp", ".java", ".py"}

# Longer files, each with the reason why it is not split.
LONG_FILES = {
    "java/src/arrays/java/org/pycuda/GPUArray.java": "every operation of an array, a few lines each; users look for them here",
    "java/src/main/java/org/pycuda/Driver.java": "the facade: programs look for every plain call and constant in it",
    "python/pycuda/driver.pyi": "the stub of one module: type checkers look for all its names in one file",
    "tests/core/contexts/context_test.cpp": "one subject, the stack of contexts, on one fixture",
    "tests/cpu/driver/arguments/module_arguments_test.cpp": "one table of bad arguments for each call that takes a module",
    "tests/cpu/exec/faults.cu": "one kernel a fault, compiled together",
}
# Folders with more files, each with the reason.
LARGE_FOLDERS = {
    "examples": "one subject a program, in both languages side by side, as the gallery shows them",
    "python/pycuda": "PyCUDA's modules, by the names that it has, and the stub of each beside it",
    "tests/java/org/pycuda": "one test class a public class, in the package that it tests",
}


def source_files():
    return [path for path in tracked_files() if path.suffix in SOURCE_SUFFIXES]


def long_files():
    lengths = {path.as_posix(): text_of(path).count("\n") - (docstring_lines(path) if path.suffix == ".py" else 0) for path in source_files()}
    return {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE}


def large_folders():
    sizes = Counter(path.parent.as_posix() for path in source_files())
    return {name: size for name, size in sizes.items() if size > LARGEST_FOLDER}


def long_functions():
    """Functions, recognised by layout: from a line that opens one to the next closing line with no more indentation."""
    for path in tracked_files():
        if path.suffix not in FUNCTION_SUFFIXES:
            continue
        lines = code_of(path).splitlines()
        for number, line in enumerate(lines):
            if path.suffix == ".py":
                opens = re.match(r"( *)(?:async )?def (\w+)", line)
                closes = opens and re.compile(rf" {{0,{len(opens[1])}}}\S")
            else:
                opens = re.match(r"( *)(?!namespace|struct|class|enum|union|extern|else)\S.*?(\w+)\([^;]*\{$", line)
                closes = opens and re.compile(rf" {{0,{len(opens[1])}}}\}}")
            if not opens:
                continue
            end = next((n for n in range(number + 1, len(lines)) if closes.match(lines[n])), len(lines))
            if end - number > LONGEST_FUNCTION:
                yield f"{path}:{number + 1}: {opens[2]}, {end - number} lines"


class SizesTest(unittest.TestCase):
    def test_no_file_is_too_long(self):
        found = {name: lines for name, lines in long_files().items() if name not in LONG_FILES}
        self.assertEqual(found, {}, f"more than {LONGEST_FILE} lines: split it, or list it above with the reason")

    def test_no_folder_is_too_large(self):
        found = {name: size for name, size in large_folders().items() if name not in LARGE_FOLDERS}
        self.assertEqual(found, {}, f"more than {LARGEST_FOLDER} sources: split it, or list it above with the reason")


if __name__ == "__main__":
    if "--functions" in sys.argv:
        print(*long_functions(), sep="\n")
    else:
        unittest.main()
