"""Every elementwise operation in a fused kernel, for every dtype, and random expressions: bit for bit what the separate operations give."""

import itertools
import os
import random

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda._arrays import operations

from conftest import sample
from same import check

DTYPES = "?bBhHiIlLefdFD"
SIZE = 7  # operations of a kernel
PROGRAMS = int(os.environ.get("PYCUDA_TEST_EXAMPLES", 15))

#: Not of arrays, or with operands of their own.
LEFT_OUT = {"arange", "copy"}


def supported(name, operands):
    try:
        operations.operate(name, *operands)
    except TypeError:
        return False
    return True


def of_shape(rng, dtype, layout):
    x = gpuarray.to_gpu(sample(rng, (6, 50), dtype))
    return {"dense": x, "turned": x.T, "steps": x[::2, ::3], "rows": gpuarray.to_gpu(sample(rng, (2, 600), dtype))[:, 1:]}[layout]


@pytest.mark.parametrize("layout", ["dense", "steps"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_operation(rng, dtype, layout):
    operands = [of_shape(rng, dtype, layout) for _ in range(4)]
    rows = [row for row in operations.table.values() if row.name not in LEFT_OUT and supported(row.name, operands[:row.arity])]
    for part in itertools.zip_longest(*[iter(rows)] * SIZE):
        names = [row for row in part if row is not None]

        def function(*given):
            return tuple(operations.operate(row.name, *given[:row.arity]) for row in names)

        check(gpuarray.fuse(function)(*operands), function(*operands))


#: Operations for random expressions, by the number of operands; those that some dtypes lack are left out there.
UNARY = ["neg", "abs", "square", "sqrt", "exp", "tanh", "logical_not", "isfinite", "sign", "rint", "copy", "reciprocal", "rad2deg"]
BINARY = ["add", "sub", "mul", "div", "maximum", "fmin", "lt", "eq", "logical_or", "add", "mul", "sub", "logaddexp", "mod", "pow", "hypot"]


class Expression:
    """A random expression, as a function of arrays and numbers."""

    def __init__(self, seed, arguments):
        self.random = random.Random(seed)
        self.steps = []
        count = len(arguments)
        for _ in range(self.random.randint(2, 9)):
            kind = self.random.choice(("unary", "binary", "binary", "binary", "where", "number", "view", "type"))
            pick = lambda: self.random.choice((count - 1, self.random.randrange(count)))
            if kind == "unary":
                self.steps.append((self.random.choice(UNARY), (pick(),), None))
            elif kind == "binary":
                self.steps.append((self.random.choice(BINARY), (pick(), pick()), None))
            elif kind == "where":
                self.steps.append(("where", (pick(), pick(), pick()), None))
            elif kind == "number":
                self.steps.append((self.random.choice(("add", "mul", "sub", "div")), (pick(),), self.random.choice((2, 0.5, 3.7, -1, 1000, 1.5))))
            elif kind == "view":
                self.steps.append(("view", (pick(),), self.random.choice(("T.T", "[None][0]", "[::-1]"))))
            else:
                self.steps.append(("type", (pick(),), self.random.choice("efdi")))
            count += 1
        self.end = self.random.choice((None, None, "sum", "mean", "max", "pair"))

    def __call__(self, *arguments):
        values = list(arguments)
        for name, operands, extra in self.steps:
            given = [values[k] for k in operands]
            if name == "view":
                value = given[0].T.T if extra == "T.T" else given[0][None][0] if extra == "[None][0]" else given[0][::-1] if given[0].ndim else given[0]
            elif name == "type":
                value = given[0].astype(np.dtype(extra))
            else:
                try:
                    value = operations.operate(name, *given, *(() if extra is None else (extra,)))
                except (TypeError, OverflowError):  # not defined for these dtypes
                    value = operations.operate("add", *(given * 2)[:2])
            values.append(value)
        if self.end == "pair":
            return values[-1], values[-2]
        return getattr(values[-1], self.end)() if self.end else values[-1]


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_expressions(rng, seed):
    shapes = ((3, 40), (40,), (3, 1), (), (3, 40))
    chosen = random.Random(seed)
    arguments = [gpuarray.to_gpu(sample(rng, chosen.choice(shapes), chosen.choice("fdehiB?"))) for _ in range(3)]
    expression = Expression(seed, arguments)
    check(gpuarray.fuse(expression)(*arguments), expression(*arguments))
