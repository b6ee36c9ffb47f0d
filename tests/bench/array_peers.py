"""Operations on large arrays here, in CuPy and in PyTorch, as far as these are installed: GB/s that have to be read and written, next to a copy on
the device. The three share the primary context and the default stream, and take turns. Arguments: the number of elements, as a power of two, and the
operations to measure (default: all)."""

import importlib
import sys

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401  the context that the others use
import pycuda.array_api as xp
import pycuda.driver as drv
from array_bench import seconds
from pycuda import cumath, gpuarray

#: An operation, its bytes read and written for each element of `a`, and the way to it here, in CuPy and in PyTorch.
OPERATIONS = [
    ("a + b", 12, "a + b", "a + b", "a + b"),
    ("a * 2", 8, "a * 2", "a * 2", "a * 2"),
    ("sin(a)", 8, "cumath.sin(a)", "p.sin(a)", "p.sin(a)"),
    ("where(a > 0, a, b)", 16, "gpuarray.where(a > 0, a, b)", "p.where(a > 0, a, b)", "p.where(a > 0, a, b)"),
    ("rows + a row", 8, "rows + rows[0]", "rows + rows[0]", "rows + rows[0]"),
    ("a copy of rows.T", 8, "rows.T.copy()", "rows.T.copy()", "rows.T.contiguous()"),
    ("sum(a)", 4, "gpuarray.sum(a)", "a.sum()", "a.sum()"),
    ("sum(rows, 0)", 4, "rows.sum(axis=0)", "rows.sum(axis=0)", "rows.sum(0)"),
    ("sum(rows, 1)", 4, "rows.sum(axis=1)", "rows.sum(axis=1)", "rows.sum(1)"),
    ("max(a)", 4, "gpuarray.max(a)", "a.max()", "a.max()"),
    ("argmax(a)", 4, "a.argmax()", "a.argmax()", "a.argmax()"),
    ("std(a)", 4, "a.std()", "a.std()", "a.std()"),
    ("var(rows, 1)", 4, "rows.var(axis=1)", "rows.var(axis=1)", "rows.var(1)"),
    ("cumsum(a)", 8, "gpuarray.cumsum(a)", "p.cumsum(a)", "p.cumsum(a, 0)"),
    ("roll(rows, 3, 1)", 8, "np.roll(rows, 3, 1)", "p.roll(rows, 3, 1)", "p.roll(rows, 3, 1)"),
    ("tile(half, 2)", 6, "np.tile(half, 2)", "p.tile(half, 2)", "p.tile(half, (2,))"),
    ("repeat(half, 2)", 6, "np.repeat(half, 2)", "p.repeat(half, 2)", "p.repeat_interleave(half, 2)"),
    ("take_along_axis(rows, places, 1)", 16, "np.take_along_axis(rows, places, 1)", "p.take_along_axis(rows, places, 1)", "p.gather(rows, 1, places)"),
    ("sort(a)", 8, "gpuarray.sort(a)", "p.sort(a)", "p.sort(a)"),
    ("unique(numbers)", 4, "gpuarray.unique(numbers)", "p.unique(numbers)", "p.unique(numbers)"),
    ("searchsorted(2^20, a)", 12, "xp.searchsorted(ascending, ours)", "p.searchsorted(ascending, a)", "p.searchsorted(ascending, a)"),
    ("square @ square", 8, "square @ square", "square @ square", "square @ square"),
    ("fft(a)", 16, "xp.fft.fft(complex_ours)", "p.fft.fft(complex_a)", "p.fft.fft(complex_a)"),
]


def operands(n):
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(n, np.float32) for _ in range(2))
    width = 1 << 12
    return {"a": a, "b": b, "rows": a.reshape(-1, width), "half": a[: n // 2], "ascending": np.sort(a[: 1 << 20]), "numbers": rng.integers(0, 1 << 20, n).astype(np.int32),
            "places": rng.integers(0, width, (n // width, width)), "square": a[: 1 << 24 if n >= 1 << 24 else 1 << 16].reshape(1 << (12 if n >= 1 << 24 else 8), -1),
            "complex_a": (a + 1j * b).astype(np.complex64)}


def namespaces(host):
    """For each package, the name of its column, and the names for its statements."""
    here = {name: gpuarray.to_gpu(value) for name, value in host.items()}
    ours = {"ours": xp.asarray(here["a"]), "complex_ours": xp.asarray(here["complex_a"]), "ascending": xp.asarray(here["ascending"])}
    yield "here", 2, {**here, **ours, "cumath": cumath, "gpuarray": gpuarray, "np": np, "xp": xp}
    for number, (title, package) in enumerate((("CuPy", "cupy"), ("PyTorch", "torch"))):
        try:
            peer = importlib.import_module(package)
        except ImportError:
            continue
        put = peer.asarray if package == "cupy" else lambda value: peer.as_tensor(value, device="cuda")
        yield title, 3 + number, {**{name: put(value) for name, value in host.items()}, "p": peer}


def main():
    n = 1 << (int(sys.argv[1]) if len(sys.argv) > 1 else 18 if drv.driver_info().is_cpu_device else 24)
    columns = list(namespaces(operands(n)))
    source, target = (gpuarray.zeros(n, np.float32) for _ in range(2))

    def copy():
        drv.memcpy_dtod_async(int(target.gpudata), int(source.gpudata), source.nbytes)

    print(f"{n} floats, GB/s{'':18} " + " ".join(f"{title:>9}" for title, _, _ in columns))
    chosen = [operation for operation in OPERATIONS if not sys.argv[2:] or operation[0] in sys.argv[2:]]
    for operation in [("copy", 8, *["copy()"] * 3), *chosen]:
        rates = []
        for _, place, names in columns:
            code = compile(operation[place], "bench", "eval")
            time = seconds(lambda code=code, names=names: eval(code, {**names, "copy": copy}), copy, rounds=7)
            rates.append(1e-9 * operation[1] * n / time)
        print(f"{operation[0]:34} " + " ".join(f"{rate:9.1f}" for rate in rates), flush=True)


if __name__ == "__main__":
    main()
