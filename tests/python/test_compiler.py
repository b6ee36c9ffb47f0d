"""pycuda.compiler: compiling, loading, caching, errors and messages."""

import inspect
import os
import shutil
import subprocess
import threading

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import COMPILERS, HAS_NVCC, NEEDS_NVCC
from pycuda import _driver, compiler
from pycuda.compiler import DynamicModule, DynamicSourceModule, SourceModule

FILL = "__global__ void fill(float *a)\n{\n    a[threadIdx.x] = VALUE;\n}\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(folder))
    for name in ("PYCUDA_COMPILER", "PYCUDA_DISABLE_CACHE", "PYCUDA_CACHE_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(params=COMPILERS)
def backend(request, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", request.param)
    return request.param


@pytest.fixture
def fake_nvcc(tmp_path):
    """A compiler that counts its runs, and whose output contains its arguments and the source."""
    if not HAS_NVCC:
        pytest.skip("a shell script stands for nvcc")
    script = tmp_path / "fake" / "nvcc"
    script.parent.mkdir()
    script.write_text(f"""#!/bin/sh
case "$1" in --version) echo 'release 12.4, V12.4.99'; exit 0;; --list-gpu-arch) echo compute_50; echo compute_90; exit 0;; esac
echo run >> {tmp_path}/runs
line="$*"
while [ $# -gt 0 ]; do case "$1" in -o) out="$2"; shift;; *.cu) in="$1";; esac; shift; done
{{ echo "$line"; cat "$in"; }} > "$out"
""")
    script.chmod(0o755)
    return str(script)


def runs(tmp_path):
    log = tmp_path / "runs"
    return log.read_text().count("run") if log.exists() else 0


def filled(module, name="fill", n=32):
    result = np.zeros(n, np.float32)
    module.get_function(name)(drv.Out(result), block=(n, 1, 1))
    return result


def test_signatures_are_documented():
    assert str(inspect.signature(SourceModule)) == (
        "(source, nvcc='nvcc', options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None, "
        "include_dirs=[], name_expressions=())")
    assert str(inspect.signature(compiler.compile)).startswith(
        "(source, nvcc='nvcc', options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None, include_dirs=[]")
    assert compiler.CompileError is drv.CompileError and issubclass(drv.CompileError, drv.Error)


def test_source_module_runs(context, backend):
    module = SourceModule(FILL, options=["-DVALUE=2.5f"])
    assert (filled(module) == 2.5).all()
    assert module.function_names() == ["fill"]
    assert isinstance(module.module, drv.Module)
    with pytest.raises(drv.LogicError, match="none_such.*fill"):
        module.get_function("none_such")


def test_globals(context, backend):
    module = SourceModule("__constant__ float scale[2]; __global__ void fill(float *a) { a[threadIdx.x] = scale[1]; }")
    pointer, size = module.get_global("scale")
    assert size == 8
    drv.memcpy_htod(pointer, np.array([1, 7], np.float32))
    assert (filled(module) == 7).all()


def test_name_expressions(context, backend):
    source = "template <class T> __global__ void fill(T *a, T k) { a[threadIdx.x] = k; }\nnamespace n { __device__ int g[3]; }"
    module = SourceModule(source, name_expressions=["fill<float>", "fill<int>", "n::g"])
    floats, ints = np.zeros(8, np.float32), np.zeros(8, np.int32)
    module.get_function("fill<float>")(drv.Out(floats), np.float32(1.5), block=(8, 1, 1))
    module.get_function("fill<int>")(drv.Out(ints), np.int32(3), block=(8, 1, 1))
    assert (floats == 1.5).all() and (ints == 3).all()
    assert module.get_global("n::g")[1] == 12
    assert len(module.function_names()) == 2


def test_complex_header(context, backend):
    module = SourceModule("#include <pycuda-complex.hpp>\n__global__ void f(pycuda::complex<float> *z, float k)\n"
                          "{ z[threadIdx.x] = sqrt(z[threadIdx.x] * k) + conj(z[threadIdx.x]); }")
    z = (np.arange(16) - 8 + 1j * np.arange(16)).astype(np.complex64)
    expected = np.sqrt(z * np.float32(2)) + z.conj()
    module.get_function("f")(drv.InOut(z), np.float32(2), block=(16, 1, 1))
    np.testing.assert_allclose(z, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target, start", [("cubin", b"\x7fELF"), ("ptx", b"//"), pytest.param("fatbin", b"\x50\xed\x55\xba", marks=NEEDS_NVCC)])
def test_targets(target, start):
    image = compiler.compile(FILL, options=["-DVALUE=1"], arch="sm_90", target=target)
    assert isinstance(image, bytes)
    assert image.lstrip().startswith(start)


def test_wrong_values():
    with pytest.raises(ValueError, match="exe"):
        compiler.compile(FILL, target="exe")
    with pytest.raises(ValueError, match="expected text without NUL characters for source, given one at position 1"):
        compiler.compile("a\0b", arch="sm_90")


def test_compile_returns_an_image_that_the_device_loads(context):
    module = drv.module_from_buffer(compiler.compile(FILL, options=["-DVALUE=4"]))
    assert (filled(module) == 4).all()


def test_explicit_arch_runs(context):
    major, minor = drv.Device(0).compute_capability()
    for arch in (f"sm_{major}{minor}", f"compute_{major}{minor}"):
        assert (filled(SourceModule(FILL, options=["-DVALUE=4"], arch=arch)) == 4).all()


def test_an_arch_above_the_devices_warns(context, fake_nvcc):
    with pytest.warns(UserWarning, match="sm_999") as caught:
        compiler.compile("x", nvcc=fake_nvcc, arch="sm_999")
    assert caught[0].filename == __file__, "the warning must point to the caller"


def test_compile_error(backend):
    with pytest.raises(drv.CompileError) as caught:
        compiler.compile("__global__ void f(float *a)\n{\n\n  a[0] = no_such_name;\n}", arch="sm_90")
    error = caught.value
    assert "kernel.cu" in error.msg
    assert "kernel.cu(4): error" in error.stderr and "no_such_name" in error.stderr
    assert not error.stdout
    assert "--gpu-architecture=sm_90" in error.command_line if backend == "nvrtc" else "sm_90" in error.command_line
    assert "kernel.cu(4): error" in str(error) and "[command: " in str(error) and "[stderr:" in str(error)


def test_messages_of_successful_compilations_are_warnings(backend):
    with pytest.warns(UserWarning, match=r"kernel\.cu\(2\)") as caught:
        compiler.compile("__global__ void f(float *a) {\n  int unused; a[0] = 1; }", arch="sm_90")
    assert caught[0].filename == __file__


def test_default_flags(context, run_python, monkeypatch):
    code = "from pycuda import compiler; print(compiler.DEFAULT_NVCC_FLAGS)"
    assert run_python(code, PYCUDA_DEFAULT_NVCC_FLAGS=" -O2  -DX ").stdout == "['-O2', '-DX']\n"
    assert run_python(code, PYCUDA_DEFAULT_NVCC_FLAGS=None).stdout == "[]\n"
    compiler.DEFAULT_NVCC_FLAGS.append("-DVALUE=3")
    try:
        assert (filled(SourceModule(FILL)) == 3).all()
        with pytest.raises(drv.CompileError):
            SourceModule(FILL, options=[])
    finally:
        compiler.DEFAULT_NVCC_FLAGS.remove("-DVALUE=3")
    monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DVALUE=5"])
    assert (filled(SourceModule(FILL)) == 5).all()


def test_options_reach_nvcc(fake_nvcc, tmp_path):
    line = compiler.compile("x", nvcc=fake_nvcc, options=["-Xcompiler", "-Wall"], arch="compute_50", code="sm_50",
                            include_dirs=[tmp_path, "rel"], target="fatbin").decode().splitlines()[0].split()
    for part in ("-Xcompiler", "-Wall", "-arch", "compute_50", "-code", "sm_50", "--fatbin", f"-I{tmp_path}",
                 f"-I{os.path.abspath('rel')}"):
        assert part in line
    assert any(part.startswith("-I") and os.path.exists(part[2:] + "/pycuda-complex.hpp") for part in line)


def test_extern_c_wrapper(fake_nvcc):
    wrapped = compiler.compile("x", nvcc=fake_nvcc).decode()
    plain = compiler.compile("x", nvcc=fake_nvcc, no_extern_c=True).decode()
    assert 'extern "C" {' in wrapped and 'extern "C"' not in plain


def test_keep_prints_the_build_folder(capsys, backend):
    compiler.compile("__global__ void f() {}", keep=True, arch="sm_90")
    folder = capsys.readouterr().out.strip().split(" in ")[-1]
    assert "kernel.cu" in os.listdir(folder)
    shutil.rmtree(folder)
    compiler.compile("__global__ void g() {}", arch="sm_90")
    assert capsys.readouterr() == ("", ""), "nothing must be printed by default"


def test_cache_is_used(fake_nvcc, tmp_path, own_cache):
    first = compiler.compile("x", nvcc=fake_nvcc)
    assert compiler.compile("x", nvcc=fake_nvcc) == first
    assert runs(tmp_path) == 1
    compiler.compile("x", nvcc=fake_nvcc, cache_dir=tmp_path / "other")
    assert runs(tmp_path) == 2 and (tmp_path / "other").is_dir()
    compiler.compile("x", nvcc=fake_nvcc, cache_dir=False)
    assert runs(tmp_path) == 3


def test_cache_can_be_disabled(fake_nvcc, tmp_path, own_cache, monkeypatch):
    monkeypatch.setenv("PYCUDA_DISABLE_CACHE", "0")
    for _ in range(2):
        compiler.compile("x", nvcc=fake_nvcc, cache_dir=tmp_path / "other")
    assert runs(tmp_path) == 2 and not own_cache.exists() and not (tmp_path / "other").exists()


def test_debugging_disables_the_cache(fake_nvcc, tmp_path, own_cache, monkeypatch, capsys):
    monkeypatch.setattr(drv, "CUDA_DEBUGGING", True, raising=False)
    line = compiler.compile("x", nvcc=fake_nvcc, options=["-DX"]).decode().splitlines()[0].split()
    assert "-G" in line and "-DX" in line and not own_cache.exists()
    folder = capsys.readouterr().out.strip().split(" in ")[-1]
    shutil.rmtree(folder)


def test_cache_object(fake_nvcc, tmp_path, own_cache):
    cache = compiler.cache
    assert cache.directory == str(own_cache)
    assert cache.list() == [] and cache.size() == 0 and cache.clear() == 0
    compiler.compile("x", nvcc=fake_nvcc, arch="sm_90")
    compiler.compile("y", nvcc=fake_nvcc, arch="sm_90", target="ptx")
    assert sorted((entry.kind, entry.arch, entry.name) for entry in cache.list()) == [
        ("cubin", "sm_90", "kernel.cu"), ("ptx", "sm_90", "kernel.cu")]
    assert all(entry.compiler.startswith("nvcc 12.4.99") for entry in cache.list())
    assert sum(entry.nbytes for entry in cache.list()) == cache.size() > 0
    assert cache.export_to(tmp_path / "all.tar") == 2
    listing = subprocess.run(["tar", "tf", tmp_path / "all.tar"], capture_output=True, text=True, check=True).stdout
    assert len(listing.split()) == 2
    other = cache(tmp_path / "other")
    assert other.import_from(tmp_path / "all.tar") == 2 and other.import_from(tmp_path / "all.tar") == 0
    assert sorted(entry.key for entry in other.list()) == sorted(entry.key for entry in cache.list())
    assert cache.clear() == 2 and cache.list() == []
    with pytest.raises(drv.RuntimeError, match="missing.tar"):
        cache.import_from(tmp_path / "missing.tar")


def test_machine_without_compiler(context, tmp_path, monkeypatch):
    options = ["-DVALUE=6"]
    SourceModule(FILL, options=options)
    assert compiler.cache.export_to(tmp_path / "kernels.tar") == 1
    monkeypatch.setenv("PYCUDA_TOOLKIT", str(tmp_path / "no-toolkit"))
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "imported"))
    with pytest.raises(drv.CompileError, match=r"pip install \"pycuda-swig\[toolkit\]\""):
        SourceModule(FILL, options=options)
    compiler.cache.import_from(tmp_path / "kernels.tar")
    assert (filled(SourceModule(FILL, options=options)) == 6).all()


def test_a_cache_hit_in_a_new_process_runs_no_compiler(fake_nvcc, tmp_path, run_python):
    code = f"from pycuda import compiler; compiler.compile('x', nvcc={fake_nvcc!r}, arch='sm_90')"
    for _ in range(2):
        assert run_python(code).returncode == 0
    assert runs(tmp_path) == 1


@NEEDS_NVCC
def test_compiling_lets_other_threads_run(tmp_path):
    slow = tmp_path / "nvcc"
    slow.write_text("#!/bin/sh\ncase $1 in --version) echo V1;; *) sleep 0.5; exit 1;; esac\n")
    slow.chmod(0o755)

    def compile_slowly():
        with pytest.raises(drv.CompileError):
            compiler.compile("x", nvcc=str(slow), arch="sm_90")

    worker = threading.Thread(target=compile_slowly)
    worker.start()
    ticks = 0
    while worker.is_alive():
        worker.join(0.01)
        ticks += 1
    assert ticks > 10


@NEEDS_NVCC
def test_without_a_host_compiler_a_typo_is_reported(context, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(drv.CompileError, match="no host compiler") as caught:
        SourceModule("__global__ void f(int *a)\n{ a[0] = undeclared; }")
    assert "kernel.cu(2)" in caught.value.stderr and "undeclared" in caught.value.stderr


def test_nvcc_version(fake_nvcc):
    assert compiler.get_nvcc_version(fake_nvcc) == "release 12.4, V12.4.99\n"
    with pytest.raises(OSError, match="pip install"):
        compiler.get_nvcc_version("/no/such/nvcc")


CALLEE = "__device__ float twice(float x) { return 2 * x; }"
CALLER = "extern __device__ float twice(float); __global__ void fill(float *a) { a[threadIdx.x] = twice(4); }"


def test_dynamic_module(context):
    logs = []
    module = DynamicModule(message_handler=lambda *log: logs.append(log))
    assert module.add_source(CALLEE, nvcc_options=["-rdc=true"], name="callee") is module
    ptx = compiler.compile(CALLER, options=["-rdc=true"], target="ptx")
    assert module.add_data(ptx, drv.jit_input_type.PTX, "caller").link() is module
    assert (filled(module) == 8).all()
    assert logs and logs[0][0] is True


@pytest.mark.parametrize("method", ["get_function", "get_global", "get_texref", "get_surfref", "function_names"])
def test_dynamic_module_before_link(context, method):
    names = () if method == "function_names" else ("fill",)
    with pytest.raises(drv.LogicError, match=r"not linked yet; call link\(\)"):
        getattr(DynamicModule(), method)(*names)


@pytest.mark.parametrize("again", [
    lambda module: module.link(),
    lambda module: module.add_source("does not even compile"),
    lambda module: module.add_data(b"", drv.jit_input_type.PTX),
    lambda module: module.add_file("/no/such/file", drv.jit_input_type.PTX),
    lambda module: module.add_stdlib("cudadevrt"),
])
def test_dynamic_module_after_link(context, again):
    logs = []
    module = DynamicModule(message_handler=lambda *log: logs.append(log))
    module.add_source(CALLEE + CALLER.partition(";")[2], nvcc_options=["-rdc=true"]).link()
    with pytest.raises(drv.LogicError, match="already linked; create another"):
        again(module)
    assert len(logs) == 1
    assert (filled(module) == 8).all()


def test_dynamic_module_with_an_undefined_symbol(context):
    module = DynamicModule().add_source(CALLER, nvcc_options=["-rdc=true"])
    with pytest.raises(drv.Error, match="twice"):
        module.link()


def test_dynamic_module_files_and_libraries(context, tmp_path):
    (tmp_path / "callee.ptx").write_bytes(compiler.compile(CALLEE, options=["-rdc=true"], target="ptx"))
    module = DynamicModule().add_file(tmp_path / "callee.ptx", drv.jit_input_type.PTX)
    module.add_source(CALLER, nvcc_options=["-rdc=true"]).add_stdlib("cudadevrt").link()
    assert (filled(module) == 8).all()
    with pytest.raises(OSError, match="no_such_library"):
        DynamicModule().add_stdlib("no_such_library")


def test_dynamic_module_link_time_optimised(context):
    if not _driver.has_nvjitlink():
        pytest.skip("nvJitLink is not installed")
    module = DynamicModule()
    for source in (CALLEE, CALLER):
        module.add_source(source, nvcc_options=["-rdc=true", "-dlto"])
    assert (filled(module.link()) == 8).all()


def test_dynamic_source_module(context):
    module = DynamicSourceModule("__device__ float nine() { return 9; }\n"
                                 "__global__ void fill(float *a) { a[threadIdx.x] = nine(); }")
    assert (filled(module) == 9).all()


def test_dynamic_source_module_launches_from_the_device(context):
    source = ("__global__ void child(float *a) { a[threadIdx.x] = 9; }\n"
              "__global__ void fill(float *a) { if (threadIdx.x == 0) child<<<1, 32>>>(a); }")
    assert (filled(DynamicSourceModule(source)) == 9).all()
