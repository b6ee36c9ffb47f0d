"""Uses in existing programs that go beyond the documentation. Kinds of launch arguments are tested elsewhere."""

import importlib
import subprocess
import sys

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import COMPILERS, NEEDS_NVCC
from pycuda import characterize, compiler, cumath, curandom, elementwise, gpuarray
from pycuda.compiler import DynamicModule, SourceModule
from pycuda.reduction import ReductionKernel
from pycuda.tools import clear_context_caches, get_or_register_dtype

TWICE = "__global__ void twice(float *a)\n{\n    a[threadIdx.x] *= 2;\n}\n"
TEXTURE = """
texture<float, 2> picture;
__global__ void look(float *out) { out[threadIdx.x] = tex2D(picture, threadIdx.x, 1); }
"""


def twice(function):
    a = np.arange(4, dtype=np.float32)
    function(drv.InOut(a), block=(4, 1, 1))
    return a.tolist() == [0, 2, 4, 6]


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


# ---- names


@pytest.mark.parametrize("module, names", [
    ("pycuda.elementwise", "ScalarArg VectorArg dtype_to_ctype context_dependent_memoize get_binary_op_kernel get_pow_kernel"),
    ("pycuda.compiler", "compile_plain preprocess_source"),
    ("pycuda.gpuarray", "drv _get_common_dtype"),
    ("pycuda.curandom", "drv"),
    ("pycuda.cumath", "gpuarray"),
    ("pycuda._cluda", "CLUDA_PREAMBLE"),
    ("pycuda._mymako", "template"),
    ("pycuda._driver", "LogicError CompileError"),
    ("pycuda.driver", "Linker have_gl_ext mem_get_address_range py_memcpy_htoa py_memcpy_atoh"),
])
def test_names_that_programs_import(module, names):
    if module == "pycuda._mymako":
        pytest.importorskip("mako")
    assert [name for name in names.split() if not hasattr(importlib.import_module(module), name)] == []


def test_modules_are_importable_under_their_names(context):
    assert gpuarray.drv is curandom.drv is drv and cumath.gpuarray is gpuarray


# ---- devices and contexts


def test_hash_of_a_device_is_its_number(context):
    device = drv.Device(0)
    assert hash(device) == device.handle  # katgpucbf


def test_attributes_of_a_device(context):
    attributes = drv.Device(0).get_attributes()  # kernel_tuner
    assert attributes[drv.device_attribute.WARP_SIZE] == 32


def test_attributes_by_their_names_in_both_cases(context):
    device = drv.Device(0)
    assert device.MULTIPROCESSOR_COUNT == device.multiprocessor_count > 0 and device.WARP_SIZE == 32  # graphdot
    function = SourceModule(TWICE).get_function("twice")
    assert function.NUM_REGS == function.num_regs and function.MAX_THREADS_PER_BLOCK == function.max_threads_per_block > 0
    with pytest.raises(AttributeError):
        device.WARP_SIZES


def test_importing_creates_no_context():
    assert run("import pycuda.driver as drv, pycuda.gpuarray, pycuda.compiler\n"
               "drv.init()\nprint(drv.Context.get_current())") == ["None"]


def test_attach_requires_one_more_detach(context):
    own = drv.Device(0).make_context()
    attached = drv.Context.attach()
    assert attached == own
    attached.detach()
    assert drv.Context.get_current() == own and drv.mem_alloc(4).free() is None
    own.detach()
    with pytest.raises(drv.LogicError, match="context has ended"):
        own.detach()
    with pytest.raises(drv.LogicError, match="flags must be 0"):
        drv.Context.attach(1)


def test_attach_without_a_context():
    assert run("import pycuda.driver as drv\ndrv.init()\ntry:\n    drv.Context.attach()\n"
               "except drv.LogicError as error:\n    print('refused')") == ["refused"]


def test_have_gl_ext_agrees_with_the_libraries():
    import ctypes

    def loads(name):
        try:
            return bool(ctypes.CDLL(name))
        except OSError:
            return False

    assert drv.have_gl_ext() is any(loads(name) for name in ("libEGL.so.1", "libGLX.so.0", "libGL.so.1", "opengl32.dll"))


# ---- memory


def test_address_range(context):
    block = drv.mem_alloc(1000)
    base, size = drv.mem_get_address_range(int(block) + 999)
    assert base == int(block) and size >= 1000
    assert drv.mem_get_address_range(block) == (base, size)
    with pytest.raises(drv.LogicError, match="cuMemGetAddressRange"):
        drv.mem_get_address_range(16)


def test_numpy_integers_are_copied_as_buffers(context):
    table = drv.mem_alloc(16)  # chroma writes pointers to a structure
    drv.memcpy_htod(int(table) + 8, np.intp(table).data)
    assert drv.from_device(int(table) + 8, (), np.intp) == int(table)


def test_pagelocked_base_has_a_device_pointer(context):
    host = drv.pagelocked_zeros(4, np.float32, mem_flags=drv.host_alloc_flags.DEVICEMAP)  # pycbc
    host[:] = np.arange(4)
    SourceModule(TWICE).get_function("twice")(np.intp(host.base.get_device_pointer()), block=(4, 1, 1))
    drv.Context.synchronize()
    assert host.tolist() == [0, 2, 4, 6]


def test_host_memory_to_arrays_under_their_old_names(context):
    array = drv.np_to_array(np.zeros((1, 4), np.float32), "C")
    row = np.arange(4, dtype=np.float32)
    drv.py_memcpy_htoa(array, 0, row)
    back = np.empty_like(row)
    drv.py_memcpy_atoh(back, array, 0)
    assert back.tolist() == row.tolist()


# ---- modules


@NEEDS_NVCC
def test_preprocess_source():
    text = compiler.preprocess_source("#define N 12\nint n = N;\n", ["-DUNUSED"], "nvcc")
    assert "int n = 12;" in text
    with pytest.raises(drv.CompileError) as caught:
        compiler.preprocess_source("#error wrong here\n", [], "nvcc")
    assert "wrong here" in caught.value.stderr and "--preprocess" in caught.value.command_line
    with pytest.raises(OSError, match="was not found"):
        compiler.preprocess_source("", [], "/no/such/nvcc")


def test_compile_plain(context):
    image = compiler.compile_plain('extern "C" ' + TWICE, [], False, "nvcc", None, target="ptx")
    assert twice(drv.module_from_buffer(image).get_function("twice"))


def test_subclass_that_looks_attributes_up_in_the_module(context):
    class Module(SourceModule):  # compyle, pysph
        def __getattr__(self, name):
            return self.get_function(name)

    assert twice(Module(TWICE).twice)


def test_compile_errors_have_the_attributes_that_kernel_tuner_reads(context):
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void f() { wrong; }")
    error = caught.value
    assert "wrong" in error.stderr and isinstance(error.stdout, str) and isinstance(error.command_line, (list, tuple))
    assert "wrong" in str(error)


@pytest.mark.parametrize("backend", COMPILERS)
def test_too_much_shared_memory_is_reported_in_ptxas_words(monkeypatch, backend):
    monkeypatch.setenv("PYCUDA_COMPILER", backend)
    with pytest.raises(drv.CompileError) as caught:  # kernel_tuner skips such configurations
        compiler.compile("__global__ void f(int *a) { __shared__ int s[1 << 20]; s[*a] = 1; __syncthreads(); *a = s[a[1]]; }", arch="sm_80")
    assert "uses too much shared data" in caught.value.stderr


@NEEDS_NVCC
def test_a_fat_binary_with_ptx(context):
    image = compiler.compile(TWICE, target="fatbin", options=["-gencode", "arch=compute_80,code=compute_80"])
    assert twice(drv.module_from_buffer(image).get_function("twice"))  # xpra


def relocatable(name, target):
    return compiler.compile(f'extern "C" __device__ float {name}(float x) {{ return 2 * x; }}', no_extern_c=True, target=target,
                            options=["-dc"], arch="sm_{}{}".format(*drv.Context.get_device().compute_capability()))


CALLER = 'extern "C" __device__ float gain(float x);\nextern "C" __global__ void twice(float *a) { a[threadIdx.x] = gain(a[threadIdx.x]); }'


def test_linking_ptx_with_a_relocatable_cubin(context, is_cpu_device):
    caller = compiler.compile(CALLER, no_extern_c=True, target="ptx", options=["-rdc=true"])
    module = DynamicModule(link_options=[(drv.jit_option.MAX_REGISTERS, 64)])  # PsyNeuLink
    module.add_data(relocatable("gain", "cubin"), drv.jit_input_type.CUBIN, "builtins.cubin")
    module.add_data(caller, drv.jit_input_type.PTX, "caller.ptx")
    if is_cpu_device:
        with pytest.raises(drv.Error, match="builtins.cubin"):
            module.link()
    else:
        assert twice(module.link().get_function("twice"))


def test_linker(context):
    logs = []
    linker = drv.Linker(lambda *log: logs.append(log), [(drv.jit_option.MAX_REGISTERS, 64)], True)
    linker.add_data(compiler.compile(CALLER, no_extern_c=True, target="ptx", options=["-rdc=true"]), drv.jit_input_type.PTX, "caller")
    linker.add_data(relocatable("gain", "ptx"), drv.jit_input_type.PTX, "callee")
    assert twice(linker.link_module().get_function("twice"))
    assert [log[0] for log in logs] == [True]
    for again in (linker.link_module, lambda: linker.add_data(b"", drv.jit_input_type.PTX)):
        with pytest.raises(drv.LogicError, match="already linked"):
            again()


def test_size_of_a_type_of_a_header_of_the_toolkit(context, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")
    assert characterize.sizeof("curandStateXORWOW", "#include <curand_kernel.h>") == 48  # chroma, tmu


# ---- functions


def test_prepare_returns_the_function_and_takes_several_formats(context):
    module = SourceModule("__global__ void f(float *a, int b, double c) { a[0] = b + c; }")
    function = module.get_function("f")
    out = drv.mem_alloc(4)
    for form in ("Pid", [np.uintp, np.int32, np.float64], [np.dtype(np.uintp), "i", np.float64]):  # katsdpsigproc, PyFstat, cuvarbase
        assert function.prepare(form) is function
        function.prepared_call((1, 1), (1, 1, 1), out, 2, 0.5)
        assert drv.from_device(out, 1, np.float32) == [2.5]


def test_textures_of_kernels(context):
    module = SourceModule(TEXTURE)
    texture = module.get_texref("picture")
    with pytest.raises(drv.LogicError, match="picture"):
        texture.get_address()
    picture = np.arange(32, dtype=np.float32).reshape(2, 16)
    drv.matrix_to_texref(picture, texture, order="C")  # kernel_tuner
    with pytest.raises(drv.LogicError, match="picture"):
        texture.get_address()
    function = module.get_function("look")
    out = np.empty(16, np.float32)
    function(drv.Out(out), block=(16, 1, 1), texrefs=[texture])
    assert out.tolist() == picture[1].tolist()
    assert function.num_regs >= 0
    memory = drv.mem_alloc(1024)
    texture.set_address(memory, 1024)
    assert texture.get_address() == int(memory)


# ---- arrays


def test_a_reduction_kernel_called_stage_by_stage(context):
    class Sum(ReductionKernel):  # pycbc
        def by_stages(self, values):
            block = (self.block_size, 1, 1)
            partial, out = gpuarray.empty(2, self.dtype_out), gpuarray.empty((), self.dtype_out)
            self.stage1_func((2, 1), block, None, partial.gpudata, values.gpudata, 1, values.size, shared_size=0)
            self.stage2_func((1, 1), block, None, out.gpudata, partial.gpudata, values.gpudata, 1, partial.size, shared_size=0)
            return out

    kernel = Sum(np.float32, neutral="0", reduce_expr="a + b", map_expr="x[i]", arguments="float *x")
    values = gpuarray.to_gpu(np.arange(700, dtype=np.float32))
    assert kernel.dtype_out == np.float32
    assert kernel.by_stages(values).get() == kernel(values).get() == values.get().sum()


def test_declarations_of_elementwise_kernels_are_read_at_the_first_use(context):
    wrong = elementwise.ElementwiseKernel("double *mask, double *p float level", "mask[i] = p[i] < level")  # hebel never calls it
    with pytest.raises(ValueError, match="double \\*p float level"):
        wrong(gpuarray.zeros(3, np.float64), gpuarray.zeros(3, np.float64), 0.5)
    later = elementwise.ElementwiseKernel("later_pair *pairs", "pairs[i].b = i", preamble="struct later_pair { int a, b; };")
    pair = get_or_register_dtype("later_pair", np.dtype([("a", np.int32), ("b", np.int32)]))
    pairs = gpuarray.zeros(3, pair)
    later(pairs)
    assert pairs.get()["b"].tolist() == [0, 1, 2]
    assert [argument.name for argument in later.arguments] == ["pairs"]


def test_private_helpers_of_arrays(context):
    a = gpuarray.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert a._new_like_me().shape == (2, 3) and a._new_like_me(np.int8).dtype == np.int8
    assert gpuarray._get_common_dtype(a, a.astype(np.float64)) == np.float64
    out = gpuarray.empty_like(a)
    add = elementwise.get_binary_op_kernel(np.float32, np.float32, np.float32, "+")
    add.prepared_async_call(a._grid, a._block, None, a.gpudata, a.gpudata, out.gpudata, a.size)
    assert out.get().tolist() == (a.get() * 2).tolist()
    clear_context_caches()  # the memoized kernel's module keeps the context


def test_attributes_of_arrays_can_be_set(context):
    a = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    b = gpuarray.to_gpu(np.arange(6, 12, dtype=np.float32))  # neurokernel
    a.gpudata, b.gpudata = b.gpudata, a.gpudata
    assert a.get().tolist() == [6, 7, 8, 9, 10, 11]
    a.shape, a.strides = (2, 3), (12, 4)
    assert a.get().tolist() == [[6, 7, 8], [9, 10, 11]]
    a.dtype = np.dtype(np.int32)
    assert a.get()[0, 0] == np.float32(6).view(np.int32)
    a.shape, a.strides, a.size = (4,), (4,), 4
    assert a.get().shape == (4,) and a.size == 4


def test_async_copies_by_position(context):
    stream = drv.Stream()
    host = drv.pagelocked_empty(4, np.float32)
    host[:] = 3
    array = gpuarray.zeros(4, np.float32)
    array.set_async(host, stream)  # katsdpsigproc
    back = drv.pagelocked_zeros(4, np.float32)
    assert array.get_async(stream, back) is back
    stream.synchronize()
    assert back.tolist() == [3, 3, 3, 3]
