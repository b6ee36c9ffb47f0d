"""Prints files and functions that have outgrown what reads well. Advice for people, so no test."""

import re

from source_tree import code_of, text_of, tracked_files

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
FUNCTION_SUFFIXES = {".cpp", ".hpp", ".java", ".py"}


def long_files():
    for path in tracked_files():
        if path.suffix in {".cpp", ".hpp", ".i", ".py", ".java"} and path.parts[0] != "docs":
            lines = text_of(path).count("\n")
            if lines > LONGEST_FILE:
                yield f"{path}: {lines} lines"


def long_functions():
    """Functions by layout alone: from a line that opens one to the next closing line that is indented no more."""
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


if __name__ == "__main__":
    for advice in (*long_files(), *long_functions()):
        print(advice)
