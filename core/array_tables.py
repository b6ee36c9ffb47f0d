"""Reads the array engine's tables, core/include/pycuda/gpuarray/*.def, for what is generated of them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROW = re.compile(r"^X\((.*)\)\s*(?://.*)?$")
FIELD = re.compile(r'"((?:[^"\\]|\\.)*)"|([^\s,"]+)')


@dataclass
class Operation:
    """A row of operations.def, which says what the fields are."""
    name: str
    arity: str
    rule: str
    boolean: str
    integer: str
    natural: str
    floating: str
    complex: str
    python: str
    ufunc: str
    java: str
    sentence: str


    @property
    def is_comparison(self):
        return self.name in ("eq", "ne", "lt", "le", "gt", "ge")

    @property
    def is_operator(self):
        """Of Python and of two operands: with a form that changes the array in place."""
        return self.arity == "2" and " " in self.python and not self.is_comparison

    @property
    def is_commutative(self):
        return self.name in ("add", "mul", "bit_and", "bit_or", "bit_xor")

    def documentation(self, a, b=""):
        """The sentence, of operands with these names."""
        text = self.sentence.replace("{a}", a).replace("{b}", b)
        return text[0].upper() + text[1:]


def rows(path):
    """The fields of each row."""
    return [[quoted or bare.strip("'") for quoted, bare in FIELD.findall(match.group(1))]
            for match in map(ROW.match, Path(path).read_text().splitlines()) if match]


def operations(tables):
    return [Operation(*fields) for fields in rows(Path(tables) / "operations.def")]


@dataclass
class Reduction:
    """A row of reductions.def."""
    name: str
    arity: str
    accumulator: str
    neutral: str
    map: str
    combine: str
    finish: str
    python: str
    ufunc: str
    java: str
    sentence: str


def reductions(tables):
    return [Reduction(*fields) for fields in rows(Path(tables) / "reductions.def")]
