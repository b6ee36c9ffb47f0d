"""Which function here implements which of NumPy's."""

import operator

import numpy as np

__all__ = ["CREATORS", "FUNCTIONS", "creates", "implements", "named"]

#: NumPy's functions, and the functions of this folder that implement them.
FUNCTIONS = {}

#: The same for functions that create arrays, and take a GPUArray as like=.
CREATORS = {}

_NAMES = {"": frozenset(dir(np)), **{name: frozenset(dir(operator.attrgetter(name)(np))) for name in ("linalg", "fft", "lib.stride_tricks")}}


def named(name):
    """NumPy's function of this name, such as "linalg.det"; None if the installed version does not have it."""
    folder, _, short = name.rpartition(".")
    return operator.attrgetter(name)(np) if short in _NAMES[folder] else None


def _registering(table, names):
    def register(ours):
        table.update({function: ours for function in map(named, names) if function is not None})
        return ours

    return register


def implements(*names):
    """Decorate a function that implements NumPy's functions of these names."""
    return _registering(FUNCTIONS, names)


def creates(*names):
    """The same for functions that create arrays."""
    return _registering(CREATORS, names)
