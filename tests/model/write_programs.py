"""Writes random programs and their expected results, for MemoryModelTest in Java: write_programs.py FILE [PROGRAMS [SEED]].

A program begins with `program SEED` and ends with `end`. Between stand its steps, as tests/model/model.py has them, a line and words each,
and what must be found: `seen VALUES` for each look, in order, and `= NAME VALUES` of all memory at the end. The calls of a capture, of a graph and of an update of a graph
follow it, each in a line of its own, and `captured GRAPH`, `built GRAPH` or `updated GRAPH` follows them.
"""

import sys

from calls import CALLS, KINDS
from generate import Choice, program
from model import lines_of

#: Java lacks this memory, route or call; or its result belongs to a stream, which orders more.
KINDS_OF_PYTHON = {"debug", "managed", "view", "registered", "careless"}
ROUTES = ("object", "number", "ptr", "holder")
CALLS_OF_PYTHON = {"elementwise", "maximum", "reverse", "cumsum", "sum", "to_gpu_async"}

CHOICE = Choice(parts_of_fills=False, kinds=tuple(kind for kind in KINDS if kind not in KINDS_OF_PYTHON), routes=ROUTES,
                calls=tuple(call for call in CALLS if call not in CALLS_OF_PYTHON))


def words(step):
    return " ".join(str(word) or "-" for word in step)


def lines_of_step(step):
    end = {"capture": "captured", "graph": "built", "update_graph": "updated"}.get(step[0])
    if end is None:
        return [words(step)]
    first = [part for part in step if not isinstance(part, tuple)]
    calls = [part for part in step if isinstance(part, tuple)]
    return [words(first), *map(words, calls), words((end, step[1]))]


def lines(seed):
    steps = program(seed, CHOICE)
    model = lines_of(steps)[1]
    found = [f"= {name} {' '.join(map(str, values))}" for name, values in model.expected().items()]
    seen = [f"seen {' '.join(map(str, values))}" for values in model.seen]
    return [f"program {seed}", *(line for step in steps for line in lines_of_step(step)), *seen, *found, "end"]


def main(path, programs=2000, seed=0):
    with open(path, "w", encoding="ascii") as file:
        for number in range(int(seed), int(seed) + int(programs)):
            file.write("\n".join(lines(number)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
