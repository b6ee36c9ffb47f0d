"""The headers that kernels include most often, with NVRTC alone, with NVRTC and CUDA's headers, and with nvcc."""

import re
from pathlib import Path

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import _driver
from pycuda.compiler import SourceModule

# Each header, and an expression over it that is true in device code. `i` is 3, `f` 2.25f, `p` has room for two ints.
HEADERS = {
    "assert.h": "(assert(i == 3), true)",
    "ctype.h": "true",
    "errno.h": "ERANGE == 34",
    "float.h": "FLT_EPSILON == 1.1920929e-7f && DBL_MAX > 1e308",
    "inttypes.h": "sizeof(int64_t) == 8 && PRId32[0] == 'd' && PRIu64[0] == 'l'",
    "limits.h": "INT_MAX == 2147483647 && CHAR_BIT == 8 && LLONG_MIN < LONG_MAX",
    "math.h": "sqrt(f) == 1.5f && sqrt(i + 1) == 2.0 && !isnan(f) && fabs(M_PI - 3.14159) < 1e-5 && isinf(INFINITY) && floor(-f) == -3",
    "stdarg.h": "sizeof(va_list) > 0",
    "stdbool.h": "true",
    "stddef.h": "offsetof(Two, second) == 4 && sizeof(ptrdiff_t) == 8",
    "stdint.h": "UINT32_MAX == 4294967295u && sizeof(int8_t) == 1 && sizeof(uint64_t) == 8 && sizeof(uintptr_t) == sizeof(p)",
    "stdio.h": 'printf("") >= 0',
    "stdlib.h": "(free(malloc(8)), abs(-i)) == 3",
    "string.h": "(memset(p, 0, 8), memcpy(p + 1, &i, 4), p[1]) == 3 && p[0] == 0",
    "sys/types.h": "sizeof(ssize_t) == 8",
    "time.h": "clock() != 0",
    "cassert": "(assert(f > 2), true)",
    "cfloat": "FLT_MAX > 3e38f",
    "climits": "UINT_MAX == 4294967295u",
    "cmath": "std::sqrt(f) == 1.5f && std::abs(-f) == f && std::pow(f, f) > 6 && std::isfinite(f) && std::fmax(f, 3.0f) == 3",
    "cstddef": "sizeof(std::size_t) == 8 && std::byte{1} == std::byte{1}",
    "cstdint": "sizeof(std::int16_t) == 2",
    "cstdio": 'std::printf("") >= 0',
    "cstdlib": "std::abs(-i) == 3",
    "cstring": "(std::memset(p, 1, 4), p[0]) == 0x01010101",
    "ctime": "std::clock() != 0",
    "limits": "std::numeric_limits<float>::infinity() > std::numeric_limits<float>::max() && std::numeric_limits<short>::lowest() == -32768 && "
              "std::numeric_limits<unsigned long long>::digits10 == 19 && std::numeric_limits<double>::quiet_NaN() != 0",
    "type_traits": "std::is_same_v<std::common_type_t<int, float>, float> && std::is_integral<char>::value && !std::is_signed_v<unsigned> && "
                   "std::is_base_of_v<Two, Three> && std::is_same_v<std::decay_t<const int (&)[3]>, const int *> && "
                   "std::is_same_v<std::make_unsigned_t<const long>, const unsigned long> && std::is_enum_v<Color> && "
                   "std::is_same_v<std::conditional_t<true, int, float>, int> && std::is_trivially_copyable_v<Two> && std::extent_v<int[2][5], 1> == 5",
    "utility": "std::make_pair(i, f) == std::pair<int, float>(3, 2.25f) && std::index_sequence_for<int, float>::size() == 2 && std::move(i) == 3",
    "algorithm": "std::min(i, 5) == 3 && std::max(f, 3.0f) == 3.0f && std::clamp(i, 4, 6) == 4",
    "array": "std::array<int, 2>{1, 2}[1] == 2",
    "tuple": "std::get<1>(std::make_tuple(1, 2.5f)) == 2.5f",
    "functional": "std::plus<int>()(1, 2) == 3 && std::less<>()(f, 3.0f)",
    "complex": "std::complex<float>(3, 4).imag() == 4 && COMPLEX_FUNCTIONS",
    "numeric": "std::accumulate(&i, &i + 1, 4) == 7",
    "iterator": "std::distance(p, p + 2) == 2",
    "optional": "std::optional<int>(5).value_or(1) == 5",
    "atomic": "std::memory_order_relaxed == std::memory_order_relaxed",
    "chrono": "std::chrono::seconds(2).count() == 2",
    "initializer_list": "std::initializer_list<int>{1, 2}.size() == 2",
    "new": "true",
    "iostream": "true",
    "vector": "true",
    "string": "true",
    "map": "true",
    "memory": "true",
    "cuda.h": "sizeof(CUdeviceptr) == 8 && CUDA_VERSION >= 11000 && alignof(CUtensorMap) >= 64",
    "cuda_runtime.h": "make_float2(1, 2).y == 2",
    "cuda_runtime_api.h": "cudaSuccess == 0",
    "device_launch_parameters.h": "threadIdx.x == 0 && blockDim.x == 1",
    "vector_types.h": "sizeof(float4) == 16",
    "vector_functions.h": "make_int4(1, 2, 3, 4).w == 4",
    "math_constants.h": "CUDART_PI_F > 3.14f",
    "cuComplex.h": "cuCrealf(make_cuFloatComplex(1, 2)) == 1",
    "cuda_fp16.h": "__half2float(__float2half(f)) == f",
    "cuda_bf16.h": "__bfloat162float(__float2bfloat16(f)) == f",
    "cooperative_groups.h": "cooperative_groups::this_thread_block().size() == 1",
    "mma.h": "nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>::num_elements == 8",
    "curand_kernel.h": "sizeof(curandStatePhilox4_32_10_t) > 16",
    "cub/block/block_reduce.cuh": "sizeof(cub::BlockReduce<int, 32>::TempStorage) > 0",
    "thrust/pair.h": "thrust::make_pair(1, 2).second == 2",
    "nv/target": "true",
}
# What NVRTC alone lacks, by the start of the package's name.
PACKAGES = {
    "nvidia-cuda-cccl": ["array", "tuple", "functional", "complex", "numeric", "iterator", "optional", "atomic", "chrono",
                         "cub/block/block_reduce.cuh", "thrust/pair.h", "nv/target"],
    "nvidia-cuda-runtime": ["math_constants.h", "cuComplex.h", "cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h", "mma.h"],
    "nvidia-curand": ["curand_kernel.h"],
}
LACKING = {header: package for package, headers in PACKAGES.items() for header in headers}
# A use that only the host has, and what the message says.
HOST_ONLY = {
    "stdio.h": ('fprintf(stderr, "x")', "fprintf is a function of the host"),
    "stdlib.h": ("p[0] = rand()", "rand is a function of the host"),
    "string.h": ('p[0] = strlen("x")', "strlen is a function of the host"),
    "time.h": ("time(nullptr)", "time is a function of the host"),
    "ctype.h": ("p[0] = toupper(i)", "toupper is a function of the host"),
    "cstdlib": ("std::exit(1)", "exit is a function of the host"),
    "algorithm": ("std::sort(p, p + 2)", "sort is a function of the host"),
    "iostream": ("std::cout << i << std::endl", "std::cout is of the host: device code prints with printf"),
    "vector": ("std::vector<int> v", "std::vector is for the host"),
    "string": ("std::string s", "std::string is for the host"),
    "memory": ("std::unique_ptr<int> q", "std::unique_ptr is for the host"),
}
# Not in nvcc, whose std::complex is the host's.
TYPES = """
#ifdef __CUDACC_RTC__
#define COMPLEX_FUNCTIONS (std::abs(std::complex<float>(3, 4)) == 5 && abs(std::complex<float>(3, 4)) == 5)
#else
#define COMPLEX_FUNCTIONS true
#endif
"""
TYPES += "struct Two { int first, second; };\nstruct Three : Two {};\nenum Color { red };\n"


def toolkits():
    """Folders with a libnvrtc, and whether nvcc is there too."""
    report = _driver.toolkit_search_report()
    return [(Path(root), "nvcc" in found) for root, found in re.findall(r"^  (/.*) \([^)]*\)((?:: nvcc)?: libnvrtc)$", report, re.MULTILINE)]


@pytest.fixture
def nvrtc_alone(tmp_path, monkeypatch):
    """An environment in which pip installed NVRTC and nothing else."""
    found = toolkits()
    if not found:
        pytest.skip("no libnvrtc on this machine")
    folder = tmp_path / "lib/python3/site-packages/nvidia/cu13"
    (folder / "lib").mkdir(parents=True)
    for library in found[0][0].glob("lib*/libnvrtc*.so*"):
        (folder / "lib" / library.name).symlink_to(library.resolve())
    for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYCUDA_TOOLKIT", str(folder))
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def with_headers(nvrtc_alone):
    """The same with the headers of the machine's toolkit."""
    root = next(iter(nvrtc_alone.glob("lib/libnvrtc.so.*"))).resolve().parents[1]
    if not (root / "include/cccl").is_dir() or not (root / "include/curand_kernel.h").is_file():
        pytest.skip(f"{root} has no headers of CCCL and cuRAND")
    (nvrtc_alone / "include").symlink_to(root / "include")


def source_of(headers, before=""):
    includes = "".join(f"#include <{header}>\n" for header in headers)
    cells = "".join(f"    result[{number}] = {HEADERS[header]};\n" for number, header in enumerate(headers))
    return (f'{includes}{before}{TYPES}extern "C" __global__ void run(int *result, int *p, int i, float f)\n{{\n{cells}}}\n')


def check(headers, **options):
    module = SourceModule(source_of(headers, **options.pop("source", {})), no_extern_c=True, **options)
    result, room = np.zeros(len(headers), np.int32), np.zeros(2, np.int32)
    module.get_function("run")(drv.Out(result), drv.InOut(room), np.int32(3), np.float32(2.25), block=(1, 1, 1))
    assert [header for header, fine in zip(headers, result) if not fine] == []


def test_the_table_is_whole():
    assert len(HEADERS) >= 60 and set(LACKING) | set(HOST_ONLY) <= set(HEADERS)


@pytest.mark.parametrize("header", HEADERS)
def test_nvrtc_alone(context, nvrtc_alone, header):
    if header not in LACKING:
        check([header])
        return
    with pytest.raises(drv.CompileError) as caught:
        check([header])
    assert re.search(rf'pip install "{LACKING[header]}(-cu\d+)?==', str(caught.value)), caught.value


def test_nvrtc_alone_with_all_in_one_source(context, nvrtc_alone):
    headers = [header for header in HEADERS if header not in LACKING]
    check(headers)
    check(headers, source={"before": "using namespace std;\n"})


def test_in_extern_c(context, nvrtc_alone):
    """As sources are compiled without no_extern_c."""
    headers = [header for header in HEADERS if header not in LACKING]
    source = "".join(f"#include <{header}>\n" for header in headers) + "__global__ void run(int *x) { x[0] = std::abs(x[0]); }\n"
    numbers = np.full(1, -7, np.int32)
    SourceModule(source).get_function("run")(drv.InOut(numbers), block=(1, 1, 1))
    assert numbers[0] == 7


def test_nvrtc_with_cuda_headers(context, with_headers):
    check(list(HEADERS))
    check(list(HEADERS), source={"before": "using namespace std;\n"})


@pytest.mark.parametrize("header", HOST_ONLY)
def test_what_only_the_host_has_says_so(context, nvrtc_alone, header):
    use, message = HOST_ONLY[header]
    source = f"#include <{header}>\n__global__ void run(int *p, int i) {{ {use}; }}\n"
    with pytest.raises(drv.CompileError, match=message) as caught:
        SourceModule(source)
    assert "kernel.cu" in caught.value.stderr


def test_nvcc(context, monkeypatch, tmp_path):
    if not any(nvcc for _, nvcc in toolkits()):
        pytest.skip("no nvcc on this machine")
    monkeypatch.setenv("PYCUDA_COMPILER", "nvcc")
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    check(list(HEADERS), options=["--std=c++20", "--expt-relaxed-constexpr", "-w"])


def test_names_that_nvcc_knows_without_an_include(context, nvrtc_alone):
    condition = "isinf(INFINITY) && f < M_PI && NAN != NAN && INT_MAX > 5 && sizeof(int64_t) == 8"
    numbers = np.zeros(1, np.uint32)
    module = SourceModule(f"__global__ void run(uint *x, float f) {{ x[0] = {condition} ? 7 : 0; }}")
    module.get_function("run")(drv.InOut(numbers), np.float32(2), block=(1, 1, 1))
    assert numbers[0] == 7
    SourceModule("typedef float uint;\n__device__ int time;\n__global__ void run(uint *x) { x[0] = time; }")  # their own
    with pytest.raises(drv.CompileError, match="no_such_name"):
        SourceModule("__global__ void run(float *x) { x[0] = no_such_name; }")


def test_includes_of_a_program_come_first(context, nvrtc_alone, tmp_path):
    (tmp_path / "stdio.h").write_text("#define MINE 5\n")
    numbers = np.zeros(1, np.int32)
    source = "#include <stdio.h>\n__global__ void run(int *x) { x[0] = MINE; }\n"
    SourceModule(source, include_dirs=[str(tmp_path)]).get_function("run")(drv.InOut(numbers), block=(1, 1, 1))
    assert numbers[0] == 5


@pytest.mark.parametrize("compiler", ["nvrtc", "nvcc"])
def test_byte_order_marks(context, nvrtc_alone, tmp_path, monkeypatch, compiler):
    if compiler == "nvcc":
        monkeypatch.delenv("PYCUDA_TOOLKIT")
        monkeypatch.setenv("PYCUDA_COMPILER", "nvcc")
        if not any(nvcc for _, nvcc in toolkits()):
            pytest.skip("no nvcc on this machine")
    (tmp_path / "marked.h").write_text("\ufeff#define VALUE __LINE__\n", encoding="utf-8")
    source = '\ufeff#include "marked.h"\n__global__ void run(int *x) { x[0] = VALUE; }\n'
    for text in (source, source.encode()):
        numbers = np.zeros(1, np.int32)
        SourceModule(text, include_dirs=[str(tmp_path)]).get_function("run")(drv.InOut(numbers), block=(1, 1, 1))
        assert numbers[0] == 2


LINKAGE = {
    "a template": "template <class T> __device__ T twice(T x) { return x + x; }\n__global__ void run(int *x) { x[0] = twice(x[0]); }",
    "an overload": "__device__ int g(int x) { return x; }\n__device__ float g(float x) { return x; }\n__global__ void run(float *x) { x[0] = g(x[0]); }",
}


@pytest.mark.parametrize("source", LINKAGE.values(), ids=LINKAGE)
@pytest.mark.parametrize("compiler", ["nvrtc", "nvcc"])
def test_errors_of_linkage_name_no_extern_c(context, monkeypatch, compiler, source):
    if compiler == "nvcc" and not any(nvcc for _, nvcc in toolkits()):
        pytest.skip("no nvcc on this machine")
    monkeypatch.setenv("PYCUDA_COMPILER", compiler)
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(source)
    assert "pass no_extern_c=True" in str(caught.value).splitlines()[-1]
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void run() { undefined_thing; }\n" + source, no_extern_c=True)
    assert "no_extern_c" not in str(caught.value)


def test_headers_of_nobody(context, nvrtc_alone):
    with pytest.raises(drv.CompileError) as caught:
        SourceModule('#include "helper_math.h"\n__global__ void run() {}\n')
    assert "helper_math.h was not found. NVRTC has no headers of the host. If it is your own header, name its folder in include_dirs" in str(caught.value)


def test_headers_with_code_of_the_host(context, with_headers):
    with pytest.raises(drv.CompileError, match=r"which only nvcc compiles.*cub/block/block_reduce.cuh"):
        SourceModule("#include <cub/cub.cuh>\n__global__ void run() {}\n", no_extern_c=True)


def test_options_of_nvcc_are_named(context, nvrtc_alone, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", "auto")
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void run() {}\n", options=["-Xcompiler", "-Wall"])
    assert re.fullmatch(r"only nvcc supports option -Xcompiler, and nvcc was not found\. NVRTC \(.*\) can compile the source without it",
                        caught.value.msg)
