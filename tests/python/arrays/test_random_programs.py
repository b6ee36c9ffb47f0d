"""Random programs on views that share memory: after each step, every array of the program equals NumPy's, whatever the operands overlap with."""

import os
import random

import numpy as np
import pytest
from pycuda import gpuarray

PROGRAMS = int(os.environ.get("PYCUDA_TEST_EXAMPLES", 25))
STEPS = 25
DTYPES = (np.uint8, np.int16, np.int32, np.int64, np.float64)
UFUNCS = (np.add, np.subtract, np.maximum, np.minimum, np.negative, np.positive, np.absolute)


class Program:
    """Pairs of an array on the host and its counterpart on the device; `steps` is what ran, for messages."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.steps = []
        self.pairs = [self.new() for _ in range(3)]

    def new(self):
        shape = tuple(self.random.choice((1, 2, 3, 5)) for _ in range(self.random.choice((1, 2, 3))))
        host = np.array([self.random.randint(0, 20) for _ in range(int(np.prod(shape)))], self.random.choice(DTYPES)).reshape(shape)
        return host, gpuarray.to_gpu(host)

    def part(self, length):
        """A slice of an axis, forward or backward."""
        start, stop = (self.random.choice((None, self.random.randint(-length - 1, length + 1))) for _ in range(2))
        return slice(start, stop, self.random.choice((None, 2, -1, -2)))

    def view(self, pair):
        host, device = pair
        index = tuple(self.part(length) for length in host.shape)
        axes = self.random.sample(range(host.ndim), host.ndim)
        return host[index].transpose(axes), device[index].transpose(axes)

    def some(self):
        pair = self.random.choice(self.pairs)
        return self.view(pair) if self.random.random() < 0.5 else pair

    def operand_for(self, shape, dtype):
        """An array of the program, or a part of one, that broadcasts to the shape, and whose elements fit the dtype; else a number."""
        for _ in range(20):
            host, device = self.some()
            if host.ndim <= len(shape) and all(own in (1, wanted) for own, wanted in zip(host.shape[::-1], shape[::-1])) and np.can_cast(host.dtype, dtype, "same_kind"):
                return host, device
        return 3, 3

    def apply(self, function, name):
        """Do the same to arrays on the host and on the device: function(operands) of pairs."""
        self.steps.append(name)
        function(0), function(1)
        for number, (host, device) in enumerate(self.pairs):
            np.testing.assert_array_equal(device.get(), host, err_msg=f"array {number} after {self.steps}")

    # ---- steps

    def keep_a_view(self):
        self.pairs[self.random.randrange(3)] = self.some()

    def start_anew(self):
        self.pairs[self.random.randrange(3)] = self.new()

    def compute_into_an_array(self):
        ufunc, out = self.random.choice(UFUNCS), self.some()
        operands = [self.operand_for(out[0].shape, out[0].dtype) for _ in range(ufunc.nin)]
        if any(isinstance(operand[1], gpuarray.GPUArray) for operand in operands):
            self.apply(lambda side: ufunc(*(operand[side] for operand in operands), out=out[side]), f"{ufunc.__name__} into {out[0].shape} {out[0].strides}")

    def assign_a_part(self):
        target = self.some()
        values = self.operand_for(target[0].shape, target[0].dtype)
        self.apply(lambda side: target[side].__setitem__(Ellipsis, values[side]), f"assignment to {target[0].shape} {target[0].strides}")

    def assign_at_indices(self):
        target = self.some()
        if not target[0].size:
            return
        rows = np.array(self.random.sample(range(target[0].shape[0]), self.random.randint(1, target[0].shape[0])))
        index = rows, gpuarray.to_gpu(rows)
        values = self.operand_for(target[0][rows].shape, target[0].dtype)
        self.apply(lambda side: target[side].__setitem__(index[side], values[side]), f"assignment at {rows} of {target[0].shape}")

    def assign_where(self):
        target = self.some()
        self.apply(lambda side: target[side].__setitem__(target[side] > 9, 1), f"assignment where {target[0].shape} is large")

    def accumulate(self):
        target = self.some()
        self.apply(lambda side: np.cumsum(target[side], 0, target[side].dtype, target[side]), f"running sums of {target[0].shape} {target[0].strides}")


ACTIONS = (Program.keep_a_view, Program.keep_a_view, Program.compute_into_an_array, Program.compute_into_an_array, Program.compute_into_an_array,
           Program.assign_a_part, Program.assign_a_part, Program.assign_at_indices, Program.assign_where, Program.accumulate, Program.start_anew)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs(seed):
    program = Program(seed)
    for _ in range(STEPS):
        program.random.choice(ACTIONS)(program)
