"""Runs programs and compares results."""

import random

import numpy as np
import prelude
import pycuda.driver as drv
from model import lines_of

LONGEST_DELAY = 400_000  # cycles of a GPU's clock: some hundred microseconds


def execute(steps, delays=None):
    """Runs a program. Returns the error, or None. `delays`: a seed; on a GPU, spinning kernels are inserted before work at random."""
    lines, model = lines_of(steps)
    if delays is not None:
        lines = _with_delays(steps, lines, random.Random(delays))
    names = {**vars(prelude), "seen": []}
    try:
        exec(compile("\n".join(lines), "program", "exec"), names)
        drv.Context.synchronize()
        return _difference(model, names)
    except Exception as error:
        drv.Context.synchronize()
        return f"{type(error).__name__}: {error}"


def _with_delays(steps, lines, random_):
    delayed = []
    for step, line in zip(steps, lines, strict=True):
        if step[0] == "call" and random_.random() < 0.5:
            stream = "None" if step[2] == "-" else step[2]
            delayed.append(f"spin(i32({random_.randrange(LONGEST_DELAY)}), block=(1, 1, 1), stream={stream})")
        delayed.append(line)
    return delayed


def _difference(model, names):
    for number, (found, expected) in enumerate(zip(names["seen"], model.seen, strict=True)):
        if not np.array_equal(found, expected):
            return f"seen[{number}] is {_short(found)}, expected {_short(expected)}"
    for name, expected in model.expected().items():
        found = _content(names[name], len(expected))
        if not np.array_equal(found, expected):
            return f"{name} is {_short(found)}, expected {_short(expected)}"
    return None


def _content(memory, n):
    if isinstance(memory, np.ndarray):
        return memory.reshape(-1)
    return drv.from_device(memory, n, np.int32)


def _short(values):
    return " ".join(map(str, values[:4])) + (" ..." if len(values) > 4 else "")


def fails(steps, times, delays):
    """The error in one of this many runs, or None."""
    for turn in range(times):
        wrong = execute(steps, None if delays is None else delays + turn)
        if wrong:
            return wrong
    return None
