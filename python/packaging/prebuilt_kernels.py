"""Compiles the kernels of everyday array operations, for the package to bring along: prebuilt_kernels.py FILE [--archs sm_90,compute_75].

The operations run on the CPU device, and the core prints the source of each kernel that they need. Each becomes a fat binary, with machine code for
every architecture and PTX for the CPU device. core/src/compiler/prebuilt_kernels.hpp describes the file, which is read where a kernel would be compiled.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

#: What GPUs of today have. Others compile at the first use, as for kernels that are not here.
ARCHS = "sm_75,sm_80,sm_86,sm_89,sm_90,sm_100,sm_120,compute_75"
LIMIT = 5 << 20  # bytes of the file

#: By the dtypes of `a` and `b`, which have the shape of `A` in one axis; `A` and `B` have two axes. `t` is a mask, `i` are indices.
OF_ALL = (
    "a + b", "a - b", "a * b", "a + 2", "a - 2", "2 - a", "a * 2", "-a", "abs(a)", "a > b", "a < b", "a >= b", "a <= b", "a == b", "a != b", "a > 1", "a < 1", "a == 1",
    "np.maximum(a, b)", "np.minimum(a, b)", "np.where(t, a, b)", "np.clip(a, 1, 2)", "a.sum()", "a.min()", "a.max()", "A.sum(axis=0)", "A.sum(axis=1)", "A.max(axis=0)",
    "A.max(axis=1)", "a.argmax()", "A + B[0]", "A * B[0]", "a.copy()", "A.T.copy()", "a[::2] + b[::2]", "a[::2].copy()", "a[t]", "a[i]", "A[i[:16]]", "put(a, i, b)", "np.cumsum(a)", "np.sort(a)",
    "np.concatenate((a, b))", "np.stack((a, b), axis=1)", "gpuarray.arange(100, dtype=a.dtype)", "a.fill(3)", "a.astype(np.float32)", "a.astype(np.float64)", "a.astype(np.int32)", "a.astype(np.int64)",
)
OF_FLOATS = (
    "a / b", "a / 2", "1 / a", "a ** 2", "a ** 3", "a ** 0.5", "np.sin(a)", "np.cos(a)", "np.exp(a)", "np.log(abs(a))", "np.sqrt(abs(a))", "np.tanh(a)", "np.isnan(a)", "np.isfinite(a)", "np.floor(a)",
    "np.dot(a, b)", "a.mean()", "A.mean(axis=0)", "A.mean(axis=1)", "a.std()", "A.var(axis=1)", "np.linalg.norm(a)",
)
OF_INTEGERS = ("a // (b + 9)", "a % (b + 9)", "a & b", "a | b", "a << 1", "np.bincount(abs(a))")
OF_MASKS = ("~t", "t & t", "t | t", "t.any()", "t.all()", "np.count_nonzero(t)", "np.nonzero(t)", "t.sum()")
LARGE = 1 << 16  # from here on some operations have kernels of their own

FLOATS, INTEGERS = ("float32", "float64"), ("int32", "int64")


def put(a, i, values):
    a[i] = values


def run_operations():
    """Runs each operation once on the current device: for its kernels."""
    import numpy as np
    import pycuda.autoprimaryctx  # noqa: F401
    from pycuda import gpuarray

    for n in (1024, LARGE):
        order = gpuarray.to_gpu(np.arange(n)[::-1].copy())
        mask = gpuarray.to_gpu(np.arange(n) % 3 == 0)
        for dtype in (*FLOATS, *INTEGERS):
            values = np.arange(n).astype(dtype) % 100
            a, b = gpuarray.to_gpu(values), gpuarray.to_gpu(values[::-1].copy())
            names = {"np": np, "gpuarray": gpuarray, "put": put, "a": a, "b": b, "A": a.reshape(-1, 32), "B": b.reshape(-1, 32), "t": mask, "i": order}
            for operation in (*OF_ALL, *(OF_FLOATS if dtype in FLOATS else OF_INTEGERS), *OF_MASKS):
                eval(operation, names)


def sources():
    """(options, source) of each kernel, once."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYCUDA_SHOW_SOURCE": "1", "PYCUDA_CACHE_DIR": cache, "PYCUDA_DRIVER": "cpu", "PYCUDA_DEVICE_INCLUDE_DIR": ""}
        ran = subprocess.run([sys.executable, "-W", "ignore", __file__, "--run"], env=environment, stderr=subprocess.PIPE, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    parts = re.split(r"(?m)^// ---- \S+(.*)\n", ran.stderr)[1:]
    return sorted({(tuple(options.split()), text.removesuffix("\n")) for options, text in zip(parts[::2], parts[1::2], strict=True)})


def fat_binary(fatbinary, options, source, archs):
    """With an image for each architecture, which is the same on whatever machine it is made."""
    from pycuda import compiler

    with tempfile.TemporaryDirectory() as folder:
        images = []
        for arch in archs:
            target, kind = ("cubin", "elf") if arch.startswith("sm_") else ("ptx", "ptx")  # the compiler's word, and fatbinary's
            image = compiler.compile(source, no_extern_c=True, options=list(options), arch=arch, target=target, cache_dir=False)
            path = Path(folder, f"{arch}.image")
            path.write_bytes(image.rstrip(b"\0") if target == "ptx" else image)
            images.append(f"--image3=kind={kind},sm={arch.split('_')[1]},file={path}")
        made = Path(folder, "kernel.fatbin")
        subprocess.run([fatbinary, f"--create={made}", "--compress-all", "--compress-mode=size", "-64", *images], check=True)
        return made.read_bytes()


def digest(options, source):
    return hashlib.blake2b(("".join(f"{option} " for option in options) + "\n" + source).encode(), digest_size=32).hexdigest()


def find_fatbinary():
    """A tool of CUDA's toolkit, beside nvcc."""
    place = os.pathsep.join([os.path.join(os.environ.get("CUDA_HOME", ""), "bin"), os.environ["PATH"], "/usr/local/cuda/bin"])
    return shutil.which("fatbinary", path=place) or sys.exit("prebuilt_kernels.py: expected CUDA's tool fatbinary on the PATH or in CUDA_HOME/bin; it comes with nvcc")


def write(path, archs):
    import warnings

    fatbinary, kernels = find_fatbinary(), sources()
    with warnings.catch_warnings(), ThreadPoolExecutor(os.cpu_count()) as pool:
        warnings.simplefilter("ignore")  # messages of the compiler
        images = list(pool.map(lambda kernel: fat_binary(fatbinary, *kernel, archs), kernels))
    lines, place = [" ".join(archs)], 0
    for kernel, image in zip(kernels, images, strict=True):
        lines.append(f"{digest(*kernel)} {place} {len(image)}")
        place += len(image)
    index = ("\n".join(lines) + "\n").encode()
    content = b"pycuda prebuilt kernels 1\n%010d\n" % len(index) + index + b"".join(images)
    if len(content) > LIMIT:
        sys.exit(f"prebuilt_kernels.py: {len(content)} bytes for {len(kernels)} kernels are more than the limit of {LIMIT}")
    Path(path).write_bytes(content)
    print(f"{path}: {len(kernels)} kernels, {len(content) / 2**20:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--archs", default=ARCHS)
    parser.add_argument("--run", action="store_true", help="only run the operations, on the driver that PYCUDA_DRIVER names")
    asked = parser.parse_args()
    if asked.run:
        run_operations()
    elif asked.file:
        write(asked.file, asked.archs.split(","))
    else:
        parser.error("expected the file to write")


if __name__ == "__main__":
    main()
