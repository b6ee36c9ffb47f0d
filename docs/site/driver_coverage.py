"""Writes docs/driver_coverage.md from docs/data/driver_coverage.txt, which names every function of cuda.h, and the surface of both languages.
With the path of a newer cuda.h as an argument, it prints instead the functions that no line names."""

import importlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "docs/data/driver_coverage.txt"
PAGE = ROOT / "docs/driver_coverage.md"
TESTS = ROOT / "tests/parity", ROOT / "tests/layout"


def module_of_tests(name):
    """A module of the folders of tests that read the surface and cuda.h."""
    folder = next(folder for folder in TESTS if (folder / f"{name}.py").exists())
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(name)


def base_name(symbol):
    """cuMemAlloc of cuMemAlloc_v2: cuda.h gives the newest version of a function the plain name."""
    return re.sub(r"(_v\d+)?(_pt(ds|sz))?$", "", symbol)


def functions_of(header):
    """The functions that a cuda.h declares, by their plain names."""
    return {base_name(symbol) for symbol in module_of_tests("cuda_header").CudaHeader(header).functions}


def called_by_the_core():
    text = (ROOT / "core/src/driver/driver_functions.def").read_text(encoding="utf-8")
    return set(re.findall(r"^X(?:_AS|_DROPPED)?\((cu\w+),", text, re.M))


def names_of_surface():
    """The members of Python's surface by their names, with Java's names for the same: {"Event.query": ["Event.isDone"]}."""
    names = {}
    for python, java in module_of_tests("surface_test").read_golden():
        for text in python:
            name = re.sub(r"\(.*", "", text.split(" ")[1])
            names[name] = [re.sub(r"\(.*", "", other.split(" ")[1]) for other in java]
    return names


class Coverage:
    """`families`: name -> {"reachable": {function: Python's name}, "reasoned": {function: reason}, "missing": [function]}."""

    def __init__(self):
        self.families = {}
        self.header = ""
        self.versions = {}
        for _, name, version in re.findall(r"^(?:IMPLEMENTED|NOT_SUPPORTED)\((\w+), (\w+), (\d+),",
                                           (ROOT / "core/cpu/exports.def").read_text(encoding="utf-8"), re.M):
            self.versions[name] = min(int(version), self.versions.get(name, int(version)))
        for line in filter(None, ROWS.read_text(encoding="utf-8").splitlines()):
            self._read(line)

    def _read(self, line):
        if line.startswith("## "):
            self.families[line[3:]] = {"reachable": {}, "reasoned": {}, "missing": []}
        elif line.startswith("header "):
            self.header = line.removeprefix("header ")
        elif line.startswith("+ "):
            version, *functions = line[2:].split()
            self.versions.update(dict.fromkeys(functions, int(version)))
        elif line.startswith("? "):
            self._family()["missing"] += line[2:].split()
        elif not line.startswith("#"):
            text, _, functions = line.rpartition(": ")
            kind, text = ("reasoned", text[2:]) if line.startswith("- ") else ("reachable", text)
            self._family()[kind].update(dict.fromkeys(functions.split(), text))

    def _family(self):
        return next(reversed(self.families.values()))

    def named(self, kind):
        """[function] of all families: twice if two lines name it."""
        return [function for family in self.families.values() for function in family[kind]]

    def all_functions(self):
        return self.named("reachable") + self.named("reasoned") + self.named("missing")

    def since(self, function):
        version = self.versions[function]
        return f"{version // 1000}.{version % 1000 // 10}"


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |",
            *("| " + " | ".join(row) + " |" for row in rows), ""]


def code(names):
    return ", ".join(f"`{name}`" for name in names)


def page(coverage):
    surface = names_of_surface()
    counts = {kind: len(coverage.named(kind)) for kind in ("reachable", "reasoned", "missing")}
    lines = ["# The driver API, function by function", "",
             f"This page lists the {sum(counts.values())} functions of `cuda.h` and `cudaProfiler.h` of {coverage.header}, and those of `cudaGL.h` that are",
             f"not deprecated. Programs reach {counts['reachable']} of them by the names below; {counts['reasoned']} have no name of their own, for the reasons",
             f"given; {counts['missing']} cannot be reached yet.", "",
             "One build serves every driver since CUDA 11.3. If the driver in use lacks a function, the call raises `RuntimeError`, which says which CUDA",
             "version introduced it; nothing was done then. `since` is that version.", ""]
    for title, family in coverage.families.items():
        lines += [f"## {title}", ""]
        if family["reachable"]:
            lines += table(["function", "Python", "Java", "since"],
                           [(f"`{function}`", f"`{name}`", code(surface.get(name, [])), coverage.since(function))
                            for function, name in family["reachable"].items()])
        if family["reasoned"]:
            lines += table(["function", "why it has no name", "since"],
                           [(code(f for f in family["reasoned"] if family["reasoned"][f] == reason), reason,
                             ", ".join(sorted({coverage.since(f) for f in family["reasoned"] if family["reasoned"][f] == reason})))
                            for reason in dict.fromkeys(family["reasoned"].values())])
        if family["missing"]:
            lines += [f"Not reachable yet: {code(sorted(family['missing']))}.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        unnamed = sorted(functions_of(sys.argv[1]) - set(Coverage().all_functions()))
        print("\n".join(unnamed))
        sys.exit(1 if unnamed else 0)
    PAGE.write_text(page(Coverage()), encoding="utf-8")
