"""pycuda.curandom."""

import numpy as np
from kinds import shared
from other_values import WRONG, floats, made, values
from pycuda import curandom
from pycuda.gpuarray import to_gpu, zeros
from surface import SURFACE
from table import row

#: Without numbers so large that memory would run out.
COUNT = [wrong for wrong in WRONG["integer"] if wrong.name not in (repr(2**31), repr(2**32))]

row("curandom.rand", shape=4, dtype=np.float32)
row("curandom.seed_getter_uniform", n=4, wrong={"n": COUNT})
row("curandom.seed_getter_unique", n=4, wrong={"n": COUNT})
row("curandom.generate_direction_vectors", count=4, direction=curandom.direction_vector_set.VECTOR_32,
    takes={"direction": "special"}, wrong={"direction": values("x", 99, 1.5), "count": COUNT})
for bits in (32, 64):
    row(f"curandom.generate_scramble_constants{bits}", count=4, wrong={"count": COUNT})

GENERATORS = [name.split(".")[1] for name in SURFACE if name.startswith("curandom.") and name.endswith("RandomNumberGenerator")]
#: For calls that return an array, and for those that fill one.
GIVEN = {"uniform": {}, "normal": {}, "log_normal": {"mean": 0.0, "stddev": 1.0}, "poisson": {"lambda_value": 2.0}}
#: Poisson numbers are integers, so other arrays are rejected.
FILLED = {"poisson": {"data": values("x", 3, None, [1], raises=AttributeError) + made(NotImplementedError, floats=floats)}}
#: Random numbers have one of three types.
DTYPES = {"dtype": [*WRONG["dtype"], *values(np.complex64, np.int8, "S3")]}


def add_rows(name):
    generator = shared(getattr(curandom, name))
    for kind, options in GIVEN.items():
        dtype = np.uint32 if kind == "poisson" else np.float32
        row(f"curandom.{name}.fill_{kind}", on=generator, data=lambda dtype=dtype: zeros(4, dtype), **options, wrong=FILLED.get(kind, {}))
        row(f"curandom.{name}.gen_{kind}", on=generator, shape=4, dtype=dtype, **options, wrong=DTYPES)
    dtype = np.uint32 if "Sobol32" in name else np.uint64
    for skip in ("", "_sequence", "_subsequence"):
        if f"curandom.{name}.call_skip_ahead{skip}" in SURFACE:
            row(f"curandom.{name}.call_skip_ahead{skip}", on=generator, i=1)
            row(f"curandom.{name}.call_skip_ahead{skip}_array", on=generator, i=lambda: to_gpu(np.ones(generator().block_count * generator().generators_per_block, dtype)))


for name in GENERATORS:
    add_rows(name)
    if "Sobol" in name:
        row(f"curandom.{name}", offset=0)
    else:
        row(f"curandom.{name}", seed_getter=lambda: curandom.seed_getter_uniform, offset=0)
