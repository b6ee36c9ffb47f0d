"""pycuda.tools: limits of devices, arguments of kernels, memoised results, tests in contexts of their own."""

import gc
from types import SimpleNamespace

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import characterize, tools
from pycuda.compiler import SourceModule


# ---- arguments


@pytest.mark.parametrize("text, kind, dtype, name", [
    ("float *x", tools.VectorArg, np.float32, "x"), ("const float* __restrict__ constants", tools.VectorArg, np.float32, "constants"),
    ("int n", tools.ScalarArg, np.int32, "n"), ("unsigned   long  int k_2", tools.ScalarArg, "L", "k_2"),
    ("double y[]", tools.VectorArg, np.float64, "y"), ("volatile char const *s", tools.VectorArg, np.int8, "s"),
    ("pycuda::complex<float> *z", tools.VectorArg, np.complex64, "z"), ("float **pp", tools.VectorArg, np.float32, "pp"),
    ("float4 v", tools.ScalarArg, [(f, "f4") for f in "xyzw"], "v"), ("int[3] a", None, None, None),
])
def test_declarations(text, kind, dtype, name):
    if kind is None:
        with pytest.raises(ValueError):
            tools.parse_c_arg(text)
        return
    arg = tools.parse_c_arg(text)
    assert (type(arg), arg.dtype, arg.name) == (kind, np.dtype(dtype), name)


@pytest.mark.parametrize("text", ["", "x", "float", "frobnicate x", "float x y *", "float 3x"])
def test_bad_declarations(text):
    with pytest.raises(ValueError):
        tools.parse_c_arg(text)


def test_struct_characters():
    assert [tools.get_arg_type(t) for t in ("float *x", "float x", "int x", "unsigned long x", "float3 v", "pycuda::complex<double> z")] == \
        ["P", "f", np.dtype(np.int32).char, "L", "12s", "D"]
    assert tools.VectorArg(np.float32, "x").declarator() == "float *x"
    assert tools.ScalarArg("i4", "n").declarator() == "int n"
    assert repr(tools.ScalarArg("i4", "n")) == "ScalarArg('n', int32)"


def test_texture_names():
    assert [tools.dtype_to_ctype(np.dtype(t), with_fp_tex_hack=True) for t in ("f4", "f8", "c8", "c16", "i4")] == \
        ["fp_tex_float", "fp_tex_double", "fp_tex_cfloat", "fp_tex_cdouble", "int"]


def test_bitlog2():
    assert [tools.bitlog2(n) for n in (0, 1, 2, 3, 4, 1023, 1024, 2**70)] == [0, 0, 1, 1, 2, 9, 10, 70]


# ---- devices


def test_device_data(context):
    data = tools.DeviceData()
    device = drv.Context.get_device()
    assert data.max_threads == device.max_threads_per_block
    assert data.warps_per_mp * data.warp_size == device.max_threads_per_multiprocessor
    assert vars(tools.DeviceData(device)) == vars(data)
    assert (data.align_bytes(), data.align(65), data.align_words(8), data.align_dtype(17, 8), data.coalesce(17)) == (64, 128, 16, 32, 32)
    with pytest.raises(ValueError):
        data.align_bytes(3)
    assert [data.make_valid_tex_channel_count(n) for n in (1, 2, 3, 4)] == [1, 2, 4, 4]
    with pytest.raises(ValueError):
        tools.DeviceData.make_valid_tex_channel_count(5)


def h100():
    return SimpleNamespace(max_threads=1024, warp_size=32, warps_per_mp=64, thread_blocks_per_mp=32, registers=65536, registers_per_mp=65536,
                           shared_memory=49152, shared_memory_per_mp=233472, reserved_shared_memory=1024, shared_memory_optin=232448,
                           smem_alloc_granularity=128)


@pytest.mark.parametrize("threads, shared, registers, blocks, reason", [
    (128, 0, 0, 16, "warps"), (32, 0, 0, 32, "device"), (256, 0, 64, 4, "regs"), (128, 40000, 0, 5, "smem"), (1024, 0, 32, 2, "regs"),
    (96, 0, 40, 16, "regs"),
])
def test_occupancy(threads, shared, registers, blocks, reason):
    record = tools.OccupancyRecord(h100(), threads, shared, registers)
    assert (record.tb_per_mp, record.limited_by) == (blocks, reason)
    assert record.warps_per_mp == blocks * threads // 32
    assert record.occupancy == record.warps_per_mp / 64


@pytest.mark.parametrize("arguments, what", [((1025,), "too many threads"), ((512, 0, 200), "too many registers"), ((32, 300000), "too much smem")])
def test_no_occupancy(arguments, what):
    with pytest.raises(ValueError, match=what):
        tools.OccupancyRecord(h100(), *arguments)


# ---- caches for each context


def test_memoised_by_context_and_arguments(device):
    calls = []

    @tools.context_dependent_memoize
    def f(*args, **kwargs):
        """Counts its calls."""
        calls.append((args, kwargs))
        return len(calls)

    first = device.make_context()
    assert [f(1), f(1), f(2), f(1, a=2), f(1, a=2)] == [1, 1, 2, 3, 3]
    second = device.make_context()
    assert f(1) == 4
    second.pop()
    assert f(1) == 1 and f in tools.context_dependent_memoized_functions
    assert f.__doc__ == "Counts its calls."
    tools.clear_context_caches()
    assert f(1) == 5
    first.pop()
    tools.clear_context_caches()


def test_caches_keep_contexts_alive_until_cleared(device):
    from pycuda import _driver

    remember = tools.context_dependent_memoize(lambda: 1)
    before = _driver._live_handles("context")
    context = device.make_context()
    remember()
    context.pop()
    del context
    gc.collect()
    assert _driver._live_handles("context") == before + 1
    tools.clear_context_caches()
    gc.collect()
    assert _driver._live_handles("context") == before


def test_characterize(context):
    assert characterize.platform_bits() == 64
    assert characterize.has_stack() and characterize.has_double_support()
    assert characterize.sizeof("double2") == 16
    assert characterize.sizeof("point", "struct point { float x; double y; };") == 16
    assert characterize.sizeof("point", "struct point { char x[3]; };") == 3
    tools.clear_context_caches()


# ---- tests


def test_fixture_and_mark():
    seen = []

    @tools.mark_cuda_test
    def inner(value):
        seen.append((value, drv.Context.get_current() is not None))

    inner(3)
    assert seen == [(3, True)] and drv.Context.get_current() is None
    assert any(mark.name == "cuda" for mark in getattr(inner, "pytestmark", []))

    @tools.mark_cuda_test
    def failing():
        raise KeyError("inner")

    with pytest.raises(KeyError):
        failing()
    assert drv.Context.get_current() is None


# ---- private modules that programs import


def test_cluda_preamble(context):
    from pycuda._cluda import CLUDA_PREAMBLE

    function = SourceModule(CLUDA_PREAMBLE + """
        WITHIN_KERNEL int twice(int x) { return 2 * x; }
        KERNEL REQD_WG_SIZE(4, 1, 1) void f(GLOBAL_MEM int *a)
        {
            LOCAL_MEM int shared[4];
            shared[LID_0] = twice(LID_0 + GID_0 * LDIM_0);
            local_barrier();
            a[LID_0 + GID_0 * LDIM_0] = shared[LDIM_0 - 1 - LID_0] + 100 * GDIM_0;
        }
        """, no_extern_c=True).get_function("f")
    a = np.zeros(8, np.int32)
    function(drv.Out(a), block=(4, 1, 1), grid=(2, 1))
    assert a.tolist() == [206, 204, 202, 200, 214, 212, 210, 208]
    assert not set("$<%#") & set(CLUDA_PREAMBLE.replace("#define", ""))  # it is used in mako templates


def test_mymako():
    pytest.importorskip("mako")
    from pycuda._mymako import template
    import pycuda._mymako as mymako

    assert mymako.template.Template("${a + 1}").render(a=1) == "2"
    assert template is mymako.template


def test_debug_runs_a_script(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, pycuda.driver as drv\nprint(__name__, sys.argv[1:], drv.CUDA_DEBUGGING)\n")
    run = ("import runpy, sys; sys.argv = ['pycuda.debug', *{!r}]; runpy.run_module('pycuda.debug', run_name='__main__')")
    good = run_python(run.format([str(script), "a", "b"]))
    assert good.stdout == "__main__ ['a', 'b'] True\n", good.stderr
    usage, missing = run_python(run.format([])), run_python(run.format([str(tmp_path / "absent.py")]))
    assert (usage.returncode, missing.returncode) == (2, 1)
    assert "usage" in usage.stderr and "absent.py does not exist" in missing.stderr
