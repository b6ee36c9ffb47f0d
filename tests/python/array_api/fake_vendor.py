"""The functions of cuBLAS, cuSOLVER and cuFFT in libfake_vendor.so: NumPy computes them in the CPU device's memory, in stream order.

A plugin of pytest: `-p fake_vendor` with PYCUDA_CUBLAS, PYCUDA_CUSOLVER and PYCUDA_CUFFT naming the library.
"""

import collections
import ctypes
import os
from pathlib import Path

import numpy as np
import pycuda

LIBRARY = os.environ.get("PYCUDA_FAKE_VENDOR") or str(Path(pycuda.__file__).parents[2] / "tests/vendor/libfake_vendor.so")
DTYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}

#: How often each function was called.
calls = collections.Counter()
#: Functions that return this status instead of computing; for decompositions also ("info", name): the value they write there.
failures = {}
#: Errors inside calls: exceptions cannot pass through the library.
wrong = []

_state = {"blas_stream": 0, "solver": None, "stream": 0, "next": 0, "plans": {}}


def i32(number):
    return ctypes.c_int32(number & 0xFFFFFFFF).value


def memory(address, dtype, *shape):
    """Elements stored by columns: the first index varies fastest."""
    count = int(np.prod(shape))
    if not count:
        return np.empty(shape, dtype, order="F")
    bytes_there = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.frombuffer(bytes_there, dtype).reshape(shape, order="F")


def write(address, number, ctype=ctypes.c_int32):
    ctype.from_address(address).value = number


def await_stream(stream):
    driver = ctypes.CDLL(os.environ["PYCUDA_CPU_LIBRARY"] if "PYCUDA_CPU_LIBRARY" in os.environ else str(next(Path(pycuda.__file__).parent.glob("*pycuda_cpu*"))))
    assert driver.cuStreamSynchronize(ctypes.c_void_p(stream)) == 0


# ---- cuSOLVER; each function receives the dtype, and the numbers and addresses of the C interface


def _work_size(dtype, size):
    write(size, 7)


def getrf_size(dtype, m, n, a, lda, size):
    assert i32(m) == i32(n) <= i32(lda)
    _work_size(dtype, size)


def getrf(dtype, m, n, a, lda, work, pivots, info):
    n = i32(n)
    matrix, exchanged, status = memory(a, dtype, n, n), memory(pivots, np.int32, n), 0
    memory(work, dtype, 7)[:] = 1  # the memory exists
    for k in range(n):
        row = k + int(np.argmax(np.abs(matrix[k:, k])))
        exchanged[k] = row + 1
        matrix[[k, row]] = matrix[[row, k]]
        if matrix[k, k] == 0:
            status = status or k + 1
            continue
        matrix[k + 1:, k] /= matrix[k, k]
        matrix[k + 1:, k + 1:] -= np.outer(matrix[k + 1:, k], matrix[k, k + 1:])
    write(info, status)


def getrs(dtype, operation, n, columns, a, lda, pivots, b, ldb, info):
    assert (i32(operation), i32(lda), i32(ldb)) == (0, i32(n), i32(n))
    n, columns = i32(n), i32(columns)
    factors, right = memory(a, dtype, n, n), memory(b, dtype, n, columns)
    for k, row in enumerate(memory(pivots, np.int32, n)):
        right[[k, row - 1]] = right[[row - 1, k]]
    with np.errstate(all="ignore"):
        for k in range(n):
            right[k + 1:] -= np.outer(factors[k + 1:, k], right[k])
        for k in reversed(range(n)):
            right[k] /= factors[k, k]
            right[:k] -= np.outer(factors[:k, k], right[k])
    write(info, 0)


def potrf_size(dtype, part, n, a, lda, size):
    _work_size(dtype, size)


def potrf(dtype, part, n, a, lda, work, size, info):
    assert (i32(part), i32(size)) == (0, 7)  # the lower triangle
    matrix = memory(a, dtype, i32(n), i32(n))
    lower = np.tril(matrix)
    hermitian = lower + np.conj(np.tril(lower, -1).T)
    try:
        factors = np.linalg.cholesky(hermitian)
    except np.linalg.LinAlgError:
        return write(info, 1)
    failed = not np.isfinite(factors).all()
    matrix[np.tril_indices(i32(n))] = factors[np.tril_indices(i32(n))]
    write(info, int(failed))


def geqrf_size(dtype, m, n, a, lda, size):
    _work_size(dtype, size)


def geqrf(dtype, m, n, a, lda, tau, work, size, info):
    m, n = i32(m), i32(n)
    assert i32(lda) == m
    matrix = memory(a, dtype, m, n)
    reflectors, factors = np.linalg.qr(matrix, mode="raw")
    matrix[:] = reflectors.T
    memory(tau, dtype, min(m, n))[:] = factors
    write(info, 0)


def orgqr_size(dtype, m, n, k, a, lda, tau, size):
    assert i32(m) >= i32(n) >= i32(k)
    _work_size(dtype, size)


def orgqr(dtype, m, n, k, a, lda, tau, work, size, info):
    m, n, k = i32(m), i32(n), i32(k)
    matrix, factors = memory(a, dtype, m, n), memory(tau, dtype, k)
    q = np.eye(m, n, dtype=dtype)
    for j in reversed(range(k)):
        v = np.concatenate([np.zeros(j, dtype), np.ones(1, dtype), matrix[j + 1:, j]])
        q -= factors[j] * np.outer(v, np.conj(v) @ q)
    matrix[:] = q
    write(info, 0)


def gesvd_size(dtype, m, n, size):
    assert i32(m) >= i32(n) > 0
    _work_size(dtype, size)


def gesvd(dtype, of_u, of_vh, m, n, a, lda, s, u, ldu, vh, ldvh, work, size, real_work, info):
    m, n, job = i32(m), i32(n), chr(of_u & 0xFF)
    real = np.dtype(dtype).type(0).real.dtype
    assert (job, i32(lda), i32(ldu), i32(ldvh)) == (chr(of_vh & 0xFF), m, m, n)
    memory(real_work, real, max(n - 1, 0))[:] = 1
    matrix = memory(a, dtype, m, n)
    try:
        if job == "N":
            memory(s, real, n)[:] = np.linalg.svd(matrix, compute_uv=False)
        else:
            left, memory(s, real, n)[:], right = np.linalg.svd(matrix, full_matrices=job == "A")
            memory(u, dtype, *left.shape)[:] = left
            memory(vh, dtype, n, n)[:] = right
    except np.linalg.LinAlgError:
        return write(info, 1)
    matrix[:] = np.nan  # destroyed
    write(info, 0)


def syevd_size(dtype, vectors, part, n, a, lda, values, size):
    _work_size(dtype, size)


def syevd(dtype, vectors, part, n, a, lda, values, work, size, info):
    assert (i32(part), i32(lda)) == (0, i32(n))
    matrix = memory(a, dtype, i32(n), i32(n))
    try:
        found, columns = np.linalg.eigh(matrix)
    except np.linalg.LinAlgError:
        return write(info, 1)
    memory(values, found.dtype, i32(n))[:] = found
    matrix[:] = columns if i32(vectors) else np.nan
    write(info, 0)


_SOLVER = {"getrf": getrf, "getrs": getrs, "potrf": potrf, "geqrf": geqrf, "orgqr": orgqr, "ungqr": orgqr, "gesvd": gesvd, "syevd": syevd, "heevd": syevd,
           "getrf_bufferSize": getrf_size, "potrf_bufferSize": potrf_size, "geqrf_bufferSize": geqrf_size, "orgqr_bufferSize": orgqr_size,
           "ungqr_bufferSize": orgqr_size, "gesvd_bufferSize": gesvd_size, "syevd_bufferSize": syevd_size, "heevd_bufferSize": syevd_size}
_INFO = {"getrf": 8, "potrf": 8, "gesvd": 16, "syevd": 10, "heevd": 10}


def _solver(name, arguments):
    if name == "Create":
        _state["next"] += 1
        _state["solver"] = _state["next"]
        return write(arguments[0], _state["solver"], ctypes.c_void_p)
    assert arguments[0] == _state["solver"], "another handle"
    if name == "Destroy":
        _state["solver"] = None
    elif name == "SetStream":
        _state["stream"] = arguments[1]
    else:
        await_stream(_state["stream"])
        letter, routine = name[0], name[1:]
        function = _SOLVER[routine]
        given = arguments[1:function.__code__.co_argcount]
        function(DTYPES[letter], *given)
        if ("info", routine) in failures:
            write(arguments[_INFO[routine] - 1], failures["info", routine])


# ---- cuBLAS


def _blas(name, arguments):
    if name == "Create_v2":
        write(arguments[0], 1, ctypes.c_void_p)
    elif name == "SetStream_v2":
        _state["blas_stream"] = arguments[1]
    elif name == "GemmStridedBatchedEx":
        await_stream(_state["blas_stream"])
        _products(*arguments[1:23])


#: cudaDataType: the type of elements and cublasComputeType_t of their sums.
_BLAS_TYPES = {0: (np.float32, 68), 1: (np.float64, 70), 2: (np.float16, 68), 4: (np.complex64, 68), 5: (np.complex128, 70)}


def _products(of_a, of_b, m, n, k, alpha, a, type_of_a, lda, next_a, b, type_of_b, ldb, next_b, beta, c, type_of_c, ldc, next_c, count, compute, algorithm):
    """c = a @ b, stored by columns that start `ld` elements apart, for `count` matrices that start `next` elements apart."""
    m, n, k = i32(m), i32(n), i32(k)
    dtype, sums = _BLAS_TYPES[i32(type_of_a)]
    assert (i32(type_of_b), i32(type_of_c), i32(compute)) == (i32(type_of_a), i32(type_of_a), sums)
    factors = {np.float16: np.float32}.get(dtype, dtype)
    assert (memory(alpha, factors, 1)[0], memory(beta, factors, 1)[0]) == (1, 0)
    size = np.dtype(dtype).itemsize
    for matrix in range(i32(count)):
        left, right = (_columns(address + matrix * step * size, dtype, ld, *((columns, rows) if i32(operation) else (rows, columns)), i32(operation))
                       for address, step, ld, operation, rows, columns in ((a, next_a, lda, of_a, m, k), (b, next_b, ldb, of_b, k, n)))
        _columns(c + matrix * next_c * size, dtype, ldc, m, n, 0)[:] = left.astype(factors) @ right.astype(factors)


def _columns(address, dtype, ld, rows, columns, is_transposed):
    assert i32(ld) >= rows
    whole = memory(address, dtype, i32(ld) * (columns - 1) + rows)
    size = np.dtype(dtype).itemsize
    matrix = np.lib.stride_tricks.as_strided(whole, (rows, columns), (size, i32(ld) * size))
    return matrix.T if is_transposed else matrix


# ---- cuFFT

_TYPES = {0x2A: (np.float32, np.complex64), 0x2C: (np.complex64, np.float32), 0x29: (np.complex64, np.complex64),
          0x6A: (np.float64, np.complex128), 0x6C: (np.complex128, np.float64), 0x69: (np.complex128, np.complex128)}
_EXEC = {"ExecC2C": 0x29, "ExecZ2Z": 0x69, "ExecR2C": 0x2A, "ExecD2Z": 0x6A, "ExecC2R": 0x2C, "ExecZ2D": 0x6C}


def plans():
    """The live plans."""
    return _state["plans"]


def _fft(name, arguments):
    if name == "Create":
        _state["next"] += 1
        _state["plans"][_state["next"]] = {}
        return write(arguments[0], _state["next"])
    plan = _state["plans"][i32(arguments[0])]
    if name == "Destroy":
        del _state["plans"][i32(arguments[0])]
    elif name == "SetAutoAllocation":
        plan["auto"] = i32(arguments[1])
    elif name == "MakePlanMany64":
        assert (arguments[3], arguments[6], plan["auto"]) == (0, 0, 0)
        plan.update(n=list((ctypes.c_longlong * i32(arguments[1])).from_address(arguments[2])), type=i32(arguments[9]), count=arguments[10])
        write(arguments[11], 24, ctypes.c_size_t)
    elif name == "SetStream":
        plan["stream"] = arguments[1]
    elif name == "SetWorkArea":
        plan["area"] = arguments[1]
    else:
        assert plan["type"] == _EXEC[name]
        await_stream(plan["stream"])
        _execute(plan, arguments[1], arguments[2], arguments[3])


def _execute(plan, source, target, direction):
    (*_, n), count = plan["n"], plan["count"]
    given, made = _TYPES[plan["type"]]
    assert source % np.dtype(np.result_type(given, np.complex64)).itemsize == 0
    memory(plan["area"], np.uint8, 24)[:] = 1
    if len(plan["n"]) > 1:
        return _execute_over_axes(memory(source, given, *plan["n"][::-1], count).T, memory(target, made, *plan["n"][::-1], count).T, i32(direction))
    half, is_real, to_real = n // 2 + 1, given().dtype.kind == "f", made().dtype.kind == "f"
    rows = memory(source, given, half if to_real else n, count)
    out = memory(target, made, half if is_real else n, count)
    if is_real:
        out[:] = np.fft.rfft(rows, axis=0)
    elif to_real:
        out[:] = np.fft.irfft(rows, n, axis=0) * n
        rows[:] = np.nan  # overwritten
    else:
        assert i32(direction) in (-1, 1)
        out[:] = np.fft.fft(rows, axis=0) if i32(direction) == -1 else np.fft.ifft(rows, axis=0) * n


def _execute_over_axes(blocks, out, direction):
    assert blocks.dtype.kind == "c" and direction in (-1, 1)
    axes = tuple(range(1, blocks.ndim))
    out[:] = np.fft.fftn(blocks, axes=axes) if direction == -1 else np.fft.ifftn(blocks, axes=axes, norm="forward")


_LIBRARIES = {"cublas": _blas, "cusolverDn": _solver, "cufft": _fft}


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64))
def _handler(name, arguments):
    name = name.decode()
    calls[name] += 1
    if name in failures:
        return failures[name]
    try:
        prefix, run = next(each for each in _LIBRARIES.items() if name.startswith(each[0]))
        run(name.removeprefix(prefix), arguments[:23])
    except Exception as error:  # see `wrong`
        wrong.append(f"{name}: {error!r}")
        return 99
    return 0


ctypes.CDLL(LIBRARY).fake_vendor_set_handler(_handler)
