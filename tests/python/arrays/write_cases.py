"""Writes cases with NumPy's answers, one on each line, for arrays in other languages: ArrayCasesTest runs them in Java.

usage: write_cases.py FILE

A line has the operation, its arguments, and the answer, separated by tabs. Each of these consists of words separated by blanks:

    array DTYPE LAYOUT SHAPE BYTES   an operand: the whole array in C order, and the part of it that is used (made_up.LAYOUTS)
    whole N, real X, complex RE IM   a number
    axes N,N... [keep]               axes, or none; keep: kept with length 1
    index PART...                    each of N, START:STOP:STEP with nothing for None, new, rest
    = DTYPE SHAPE BYTES              the answer, in C order
    ! NAME                           the exception that must be raised instead

Shapes are lengths separated by commas, bytes are hexadecimal; "-" means none. Every run writes the same lines.
"""

import sys

import numpy as np
from hypothesis import given

from made_up import Axes, Index, Operand, few
from rules import algebra_rules, array_rules, elementwise_rules, moving_rules, numpys_rules

RULES = [*elementwise_rules.RULES, *array_rules.RULES, *moving_rules.RULES, *algebra_rules.RULES, *numpys_rules.RULES]
EXAMPLES = max(12, few.max_examples // 4)  # at most this number for each rule


def hosts(arguments):
    return [argument.host if isinstance(argument, Operand) else argument for argument in arguments]


def name_of(dtype):
    return np.dtype(dtype).name.upper()


def shape_and_bytes(array):
    return f"{','.join(map(str, array.shape)) or '-'} {array.tobytes('C').hex() or '-'}"


def part_word(part):
    if isinstance(part, slice):
        return ":".join("" if bound is None else str(bound) for bound in (part.start, part.stop, part.step))
    return "new" if part is None else "rest" if part is Ellipsis else str(part)


def word(argument):
    if isinstance(argument, Operand):
        return f"array {name_of(argument.whole.dtype)} {argument.layout} {shape_and_bytes(argument.whole)}"
    if isinstance(argument, Axes):
        return f"axes {','.join(map(str, argument)) or '-'}{' keep' if argument.keep else ''}"
    if isinstance(argument, Index):
        return " ".join(["index", *map(part_word, argument)])
    if isinstance(argument, complex):
        return f"complex {argument.real!r} {argument.imag!r}"
    return f"{'whole' if isinstance(argument, int) else 'real'} {argument!r}"


def answer_word(answer, arguments):
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(answer(*hosts(arguments)))
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        kinds = [kind.__name__ for kind in (IndexError, ValueError, TypeError, OverflowError) if isinstance(error, kind)]
        return f"! {kinds[0]}"
    return f"= {name_of(result.dtype)} {shape_and_bytes(result)}"


def lines_of(rule):
    lines = {}

    @few
    @given(rule())
    def collect(case):
        name, arguments, answer = case
        lines["\t".join([name, *map(word, arguments), answer_word(answer, arguments)])] = True

    collect()
    every = -(-len(lines) // EXAMPLES)  # hypothesis begins with the simplest
    return list(lines)[::every]


def main(path):
    lines = [line for rule in RULES for line in lines_of(rule)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
