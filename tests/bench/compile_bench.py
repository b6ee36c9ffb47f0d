"""What a compile costs: cold through either compiler, a cache hit without and with headers, and a hit in a new process.

Needs no GPU and opens no driver. Times are medians; run it on a machine that is not busy.

    PYTHONPATH=build/release/python python tests/bench/compile_bench.py [--repeats N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

PLAIN = "__global__ void f(float *a) { a[threadIdx.x] *= 2; }\n"
HEADERS = """#include <pycuda-complex.hpp>
#include <curand_kernel.h>
extern "C" __global__ void f(pycuda::complex<float> *a)
{
    curandStateXORWOW_t state;
    curand_init(1, threadIdx.x, 0, &state);
    a[threadIdx.x] *= curand_uniform(&state);
}
"""


def median_ms(action, repeats):
    times = []
    for i in range(repeats):
        start = time.perf_counter()
        action(i)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def new_process_ms(code, repeats):
    return median_ms(lambda _: subprocess.run([sys.executable, "-c", code], check=True), repeats)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYCUDA_CACHE_DIR"] = folder
        os.environ.pop("PYCUDA_DISABLE_CACHE", None)
        from pycuda import compiler

        def compile(source, **arguments):
            return compiler.compile(source, arch="sm_90", no_extern_c=True, **arguments)

        for backend in ("nvrtc", "nvcc"):
            os.environ["PYCUDA_COMPILER"] = backend
            for name, source in (("no includes", PLAIN), ("complex and curand headers", HEADERS)):
                count = max(3, repeats // 3)
                compile(source, cache_dir=False)
                rows.append((f"{backend}, cold, {name}", median_ms(lambda _, s=source: compile(s, cache_dir=False), count)))
                compile(source)
                rows.append((f"{backend}, hit, {name}", median_ms(lambda _, s=source: compile(s), 20 * repeats)))
                imports = "from pycuda import compiler"
                hit = f"{imports}; compiler.compile({source!r}, arch='sm_90', no_extern_c=True)"
                both = new_process_ms(hit, repeats)
                rows.append((f"{backend}, new process: start, import and hit, {name}", both))
                rows.append((f"{backend}, new process: less start and import, {name}", both - new_process_ms(imports, repeats)))
    width = max(len(name) for name, _ in rows)
    for name, milliseconds in rows:
        print(f"{name:{width}}  {milliseconds:9.2f} ms")


if __name__ == "__main__":
    main()
