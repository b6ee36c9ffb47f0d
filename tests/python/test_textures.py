"""Texture and surface references of CUDA 11's language, and objects."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import COMPILERS
from pycuda import _driver
from pycuda.compiler import SourceModule

SOURCE = """
#include <pycuda-helpers.hpp>
texture<float, 2> image;
texture<float, 1> line;
texture<fp_tex_double, 3> doubles;
surface<void, cudaSurfaceType2DLayered> sheet;

__global__ void read(float *out, int width) {
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D(image, x + 0.5f, y + 0.5f);
}
__global__ void read_line(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
__global__ void read_doubles(double *out) { out[threadIdx.x] = fp_tex3D(doubles, threadIdx.x, 1, 1); }
__global__ void paint() { fp_surf2DLayeredwrite(2.5f * threadIdx.x, sheet, threadIdx.x, 0, 0, cudaBoundaryModeClamp); }
__global__ void object(unsigned long long texture_object, float *out) {
    out[threadIdx.x] = tex2D<float>(texture_object, threadIdx.x + 0.5f, 0.5f);
}
"""


@pytest.fixture
def module(context):
    return SourceModule(SOURCE)


def read(module, shape, **keywords):
    out = np.zeros(shape, np.float32)
    module.get_function("read")(drv.Out(out), np.int32(shape[1]), block=(shape[1], shape[0], 1), **keywords)
    return out


def test_matrix_to_texref(module):
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    image = module.get_texref("image")
    drv.matrix_to_texref(matrix, image, order="C")
    assert (read(module, (3, 4), texrefs=[image]) == matrix).all()
    drv.bind_array_to_texref(drv.matrix_to_array(matrix, "F"), image)
    assert (read(module, (4, 3)) == matrix.T).all()


def test_bound_again_between_launches(module):
    image = module.get_texref("image")
    stream = drv.Stream()
    results = [drv.mem_alloc(16) for _ in range(20)]
    for i, out in enumerate(results):
        image.set_array(drv.matrix_to_array(np.full((1, 4), i, np.float32), "C"))
        module.get_function("read")(out, np.int32(4), block=(4, 1, 1), stream=stream, texrefs=[image])
    stream.synchronize()
    assert [drv.from_device(out, 4, np.float32)[3] for out in results] == list(range(20))


def test_linear_memory(module):
    data = np.arange(8, dtype=np.float32)
    memory = drv.to_device(data)
    line = module.get_texref("line")
    assert line.set_address(memory, data.nbytes) == 0
    line.set_format(drv.array_format.FLOAT, 1)
    out = np.zeros(8, np.float32)
    module.get_function("read_line")(drv.Out(out), block=(8, 1, 1), texrefs=[line])
    assert (out == data).all()
    with pytest.raises(drv.LogicError, match="allow_offset"):
        line.set_address(int(memory) + 4, 16)
    assert line.set_address(int(memory) + 4, 16, allow_offset=True) == 4


def test_prepared(module):
    image = module.get_texref("image")
    function = module.get_function("read").prepare("Pi", texrefs=[image])
    out = drv.mem_alloc(16)
    with pytest.raises(drv.LogicError, match="nothing is bound to texture reference 'image'"):
        function.prepared_call((1, 1), (4, 1, 1), out, 4)
    image.set_array(drv.matrix_to_array(np.ones((1, 4), np.float32), "C"))
    function.prepared_call((1, 1), (4, 1, 1), out, 4)
    assert drv.from_device(out, 4, np.float32).tolist() == [1, 1, 1, 1]
    function.param_set_texref(image)


def test_texrefs_are_checked(module):
    image = module.get_texref("image")
    function = SourceModule(SOURCE).get_function("read")
    with pytest.raises(drv.LogicError, match="of its own module"):
        function.param_set_texref(image)
    with pytest.raises(drv.LogicError, match="of its own module"):
        function.prepare("Pi", texrefs=[image])
    with pytest.raises(TypeError, match=r"texrefs\[0\]: expected TextureReference, not str"):
        read(module, (1, 1), texrefs=["image"])
    with pytest.raises(drv.LogicError, match="nothing is bound"):
        read(module, (1, 1), texrefs=[image])
    with pytest.raises(drv.LogicError, match="nowhere"):
        module.get_texref("nowhere")


def test_settings(module):
    image = module.get_texref("image")
    for reference in (image, drv.TextureReference()):
        reference.set_address_mode(1, drv.address_mode.BORDER)
        reference.set_filter_mode(drv.filter_mode.LINEAR)
        reference.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
        reference.set_format(drv.array_format.HALF, 2)
        reference.set_border_color((1, 2, 3, 4))
        assert reference.get_address_mode(1) is drv.address_mode.BORDER
        assert reference.get_address_mode(0) is drv.address_mode.CLAMP
        assert reference.get_filter_mode() is drv.filter_mode.LINEAR
        assert reference.get_flags() == drv.TRSF_NORMALIZED_COORDINATES
        assert reference.get_format() == (drv.array_format.HALF, 2)
        reference.set_max_anisotropy(4)
        reference.set_mipmap_filter_mode(drv.filter_mode.LINEAR)
        reference.set_mipmap_level_bias(0.5)
        reference.set_mipmap_level_clamp(1, 3)
        assert reference.get_border_color() == (1, 2, 3, 4)
        assert (reference.get_max_anisotropy(), reference.get_mipmap_filter_mode()) == (4, drv.filter_mode.LINEAR)
        assert reference.get_mipmap_level_bias() == 0.5
        assert (reference.get_min_mipmap_level_clamp(), reference.get_max_mipmap_level_clamp()) == (1, 3)
        with pytest.raises(drv.LogicError, match="no mipmapped array"):
            reference.get_mipmapped_array()
        with pytest.raises(ValueError):
            reference.set_address_mode(3, drv.address_mode.WRAP)
        with pytest.raises(ValueError, match="4 components"):
            reference.set_border_color((1, 2))
    assert image.name == "image" and "image" in repr(image)


def test_arrays_live_while_they_are_bound(module):
    image = module.get_texref("image")
    array = drv.matrix_to_array(np.full((1, 4), 3, np.float32), "C")
    image.set_array(array)
    assert image.get_array() == array
    del array, image
    gc.collect()
    assert read(module, (1, 4)).tolist() == [[3, 3, 3, 3]]


def test_doubles_and_surfaces(module):
    data = np.linspace(-1, 1, 24).reshape(2, 3, 4)
    doubles = module.get_texref("doubles")
    doubles.set_array(drv.np_to_array(data, "C"))
    out = np.zeros(4)
    module.get_function("read_doubles")(drv.Out(out), block=(4, 1, 1), texrefs=[doubles])
    assert (out == data[1, 1]).all()
    array = drv.np_to_array(np.zeros((1, 4), np.float32), "C", allowSurfaceBind=True)
    sheet = module.get_surfref("sheet")
    sheet.set_array(array)
    assert sheet.get_array() == array and sheet.name == "sheet"
    module.get_function("paint")(block=(4, 1, 1))
    painted = np.empty(4, np.float32)
    drv.memcpy_atoh(painted, array, 0)
    assert painted.tolist() == [0, 2.5, 5, 7.5]
    with pytest.raises(drv.LogicError, match="SURFACE_LDST"):
        sheet.set_array(drv.matrix_to_array(np.zeros((1, 4), np.float32), "C"))


def test_objects(module):
    array = drv.matrix_to_array(np.arange(4, dtype=np.float32).reshape(1, 4), "C")
    descriptor = drv.TextureDescriptor()
    descriptor.set_address_mode(0, drv.address_mode.BORDER)
    descriptor.set_border_color([9, 0, 0, 0])
    texture = drv.TextureObject(array, descriptor)
    out = np.zeros(6, np.float32)
    module.get_function("object")(np.uint64(texture.handle), drv.Out(out), block=(6, 1, 1))
    assert out.tolist() == [0, 1, 2, 3, 9, 9]
    with pytest.raises(drv.LogicError, match="SURFACE_LDST"):
        drv.SurfaceObject(array)
    pyramid = drv.ArrayDescriptor3D()
    pyramid.width = pyramid.height = 8
    levels = drv.MipmappedArray(pyramid, 3)
    assert levels.get_level(1).get_descriptor().width == 4
    assert drv.TextureObject(levels).handle != texture.handle


HEADERS = {
    "mine.h": '#include "inner/image.h"\nsurface<void, 2> sheet;\n',
    "inner/image.h": '#include "numbers.h"\ntexture<float, 2> image;\n',
    "inner/numbers.h": "static texture<int, 1> numbers;\nstatic const int step = 2;\n__device__ int stepped(int x) { return step * x; }\n",
}
WITH_HEADERS = """
#include "mine.h"
__global__ void read(float *out) { *out = tex2D(image, 0, 0) + tex1Dfetch(numbers, stepped(1)); }
__global__ void paint() { surf2Dwrite(2.5f, sheet, threadIdx.x * 4, 0); }
"""


def write_headers(folder, headers):
    for name, text in headers.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(params=COMPILERS)
def compiler(request, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", request.param)
    return request.param


@pytest.fixture
def headers(tmp_path, compiler):
    return write_headers(tmp_path, HEADERS)


def read_with_headers(headers):
    """Texel 7 of the image, and of texels 5, 6, ... the one that the headers select."""
    module = SourceModule(WITH_HEADERS, include_dirs=[str(headers)], cache_dir=str(headers / "cache"))
    image, numbers, out = module.get_texref("image"), module.get_texref("numbers"), np.zeros(1, np.float32)
    image.set_array(drv.matrix_to_array(np.full((2, 2), 7, np.float32), "C"))
    memory = drv.to_device(np.arange(5, 15, dtype=np.int32))
    numbers.set_address(memory, 40)
    module.get_function("read")(drv.Out(out), block=(1, 1, 1), texrefs=[image, numbers])
    assert module.get_surfref("sheet") is not None
    return out[0]


def test_references_in_headers(context, headers):
    assert read_with_headers(headers) == 7 + 7
    deepest = headers / "inner/numbers.h"
    deepest.write_text(deepest.read_text().replace("step = 2", "step = 3"))
    assert read_with_headers(headers) == 7 + 8, "a changed header must be detected"
    assert {name: (headers / name).read_text() for name in HEADERS} == HEADERS | {"inner/numbers.h": deepest.read_text()}


def test_errors_in_headers_with_references(context, headers):
    with pytest.raises(drv.CompileError, match="mistake") as raised:
        SourceModule(WITH_HEADERS + "__global__ void f() { mistake(); }", include_dirs=[str(headers)], cache_dir=False)
    assert "texture" not in raised.value.stderr
    wrong = headers / "inner/image.h"
    wrong.write_text(wrong.read_text() + "\n__device__ int error_of_header() { return blunder; }\n")
    with pytest.raises(drv.CompileError, match="blunder") as raised:
        SourceModule(WITH_HEADERS, include_dirs=[str(headers)], cache_dir=False)
    assert f"{wrong.as_posix()}(4)" in raised.value.stderr, "the header's own name and line"


# Each header can be distinguished from others with its name, and is found in a different way.
WAYS = {
    "one/same.h": "texture<float, 1> of_one;\n#define ONE 1\n#include <chosen.h>\n",
    "two/same.h": "#pragma once\n#include \"beside.h\"\n#include \"../up.h\"\n#define TWO ONE + BESIDE + UP + CHOSEN\n",
    "two/beside.h": "#define BESIDE 10\n",
    "up.h": "#pragma once\n#include \"two/same.h\"\n#define UP 100\nsurface<void, 2> of_up;\n",
    "first/chosen.h": "#define CHOSEN 1000\n",
    "second/chosen.h": "#error the folders' order\n",
    "before.h": "#pragma once\nstatic texture<int> of_before;\n",
}


def test_headers_are_found_from_copies_like_from_originals(context, tmp_path, compiler):
    write_headers(tmp_path, WAYS)
    source = """
    #if __has_include("one/same.h")
    #include "one/same.h"
    #endif
    #include "two/same.h"
    /* #include "no.h" */
    __global__ void f(int *out)
    { *out = (TWO) + 10000 * tex1Dfetch(of_before, 0) + 0 * (int) tex1Dfetch(of_one, 0); surf2Dwrite(1, of_up, 0, 0); }"""
    folders = [str(tmp_path / name) for name in ("", "first", "second")]
    module = SourceModule(source, include_dirs=folders, options=["-include", "before.h"], cache_dir=str(tmp_path / "cache"))
    before, one, sheet = module.get_texref("of_before"), module.get_texref("of_one"), module.get_surfref("of_up")
    five, zero = drv.to_device(np.full(4, 5, np.int32)), drv.to_device(np.zeros(4, np.float32))
    before.set_address(five, 16)
    one.set_address(zero, 16)
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width = descriptor.height = 4
    descriptor.format, descriptor.num_channels = drv.array_format.SIGNED_INT32, 1
    descriptor.flags = drv.array3d_flags.SURFACE_LDST
    sheet.set_array(drv.Array(descriptor))
    out = np.zeros(1, np.int32)
    module.get_function("f")(drv.Out(out), block=(1, 1, 1), texrefs=[before, one])
    assert out[0] == 51111


def test_references_in_source_and_header(context, tmp_path, compiler):
    write_headers(tmp_path, {"mine.h": "texture<float, 1> unused;\n"})
    module = SourceModule('#include "mine.h"\ntexture<int> own; __global__ void f(int *x) { *x = tex1Dfetch(own, 0); }',
                          include_dirs=[str(tmp_path)], cache_dir=False)
    assert module.get_texref("unused") is not None and module.get_texref("own") is not None


def test_types_with_typedef_names(context, tmp_path, compiler):
    write_headers(tmp_path, {"types.h": "typedef texture<int> Numbers;\n", "mine.h": '#include "types.h"\nstatic Numbers mine;\n'})
    module = SourceModule('''#include "mine.h"
        Numbers own;
        __global__ void f(int *x) { *x = tex1Dfetch(own, 0) + tex1Dfetch(mine, 0); }''', include_dirs=[str(tmp_path)], cache_dir=False)
    mine, own = module.get_texref("mine"), module.get_texref("own")
    memory, out = drv.to_device(np.full(4, 4, np.int32)), np.zeros(1, np.int32)
    mine.set_address(memory, 16)
    own.set_address(memory, 16)
    module.get_function("f")(drv.Out(out), block=(1, 1, 1), texrefs=[mine, own])
    assert out[0] == 8


def test_a_programs_class_named_texture_is_not_a_reference(context, tmp_path, compiler):
    write_headers(tmp_path, {"own.h": "extern \"C++\" template <class T, int n> struct texture { T texels[n]; };\n",
                             "mine.h": '#include "own.h"\n__device__ texture<int, 2> t;\n'})
    source = '#include "mine.h"\n__global__ void f(int *x) { *x = t.texels[1]; }'
    SourceModule(source, include_dirs=[str(tmp_path)], cache_dir=False)
    with pytest.raises(drv.CompileError) as raised:
        SourceModule(source + " mistake", include_dirs=[str(tmp_path)], cache_dir=False)
    assert "pycuda" not in raised.value.stderr


def test_invalid_pitches_are_rejected_when_bound(module):
    image, memory = module.get_texref("image"), drv.mem_alloc(4096)
    shape = drv.ArrayDescriptor()
    shape.width = shape.height = 8
    shape.format, shape.num_channels = drv.array_format.FLOAT, 1
    for pitch, words in ((33, "not a multiple of"), (16, "less than a row"), (512 * 8, "are there from the address on")):
        with pytest.raises(drv.LogicError, match=f"texture reference 'image'.*{words}"):
            image.set_address_2d(memory, shape, pitch)
    memory.free()
    with pytest.raises(drv.LogicError, match="device allocation was freed"):
        image.set_address_2d(memory, shape, 512)
    out, array = np.zeros(4, np.float32), drv.to_device(np.ones(4, np.float32))
    module.get_texref("line").set_address(array, 16)
    module.get_function("read_line")(drv.Out(out), block=(4, 1, 1))
    assert out.tolist() == [1] * 4


def test_destroyed_streams_leak_no_events(module):
    line, memory, out = module.get_texref("line"), drv.to_device(np.ones(64, np.float32)), drv.mem_alloc(256)
    line.set_address(memory, 256)
    before = _driver._live_handles("event")
    for _ in range(200):
        stream = drv.Stream()
        module.get_function("read_line")(out, block=(64, 1, 1), stream=stream, texrefs=[line])
        stream.synchronize()
    assert _driver._live_handles("event") <= before + 12


def described(**settings):
    descriptor = drv.TextureDescriptor()
    for name, value in settings.items():
        setattr(descriptor, name, value)
    descriptor.set_address_mode(1, drv.address_mode.BORDER)
    descriptor.set_border_color((1, 0.5, 0.25, 0))
    return descriptor


def test_objects_describe_themselves(context):
    array = drv.matrix_to_array(np.zeros((3, 4), np.float32), "C")
    texture = drv.TextureObject(array, described(filter_mode=drv.filter_mode.LINEAR, max_anisotropy=2))
    how, what = texture.get_descriptor(), texture.get_resource()
    assert (how.filter_mode, how.max_anisotropy, how.flags) == (drv.filter_mode.LINEAR, 2, 0)
    assert [how.get_address_mode(k) for k in range(3)] == [drv.address_mode.CLAMP, drv.address_mode.BORDER, drv.address_mode.CLAMP]
    assert how.get_border_color() == (1, 0.5, 0.25, 0)
    assert (what.type, what.source, what.width) == (drv.resource_type.ARRAY, array.handle, 0)
    with pytest.raises(ValueError, match="0, 1 or 2"):
        how.get_address_mode(3)
    with pytest.raises((TypeError, AttributeError)):
        drv.ResourceDescriptor()


def test_resources_of_memory(context):
    memory = drv.mem_alloc(4096)
    line = drv.TextureObject.of_linear(memory, 1024, drv.array_format.HALF, 2, drv.TextureDescriptor()).get_resource()
    assert (line.type, line.source, line.format, line.num_channels) == (drv.resource_type.LINEAR, int(memory), drv.array_format.HALF, 2)
    assert (line.width, line.height, line.pitch) == (256, 1, 0)
    shape = drv.ArrayDescriptor()
    shape.width, shape.height, shape.format, shape.num_channels = 8, 4, drv.array_format.FLOAT, 1
    sheet = drv.TextureObject.of_pitched(memory, shape, 512, drv.TextureDescriptor()).get_resource()
    assert (sheet.type, sheet.width, sheet.height, sheet.pitch) == (drv.resource_type.PITCH2D, 8, 4, 512)


def test_resource_of_a_surface(context):
    shape = drv.ArrayDescriptor3D()
    shape.width, shape.height, shape.format, shape.num_channels, shape.flags = 8, 4, drv.array_format.FLOAT, 1, drv.array3d_flags.SURFACE_LDST
    array = drv.Array(shape)
    assert drv.SurfaceObject(array).get_resource().source == array.handle


def test_planes_and_requirements_of_plain_arrays(context):
    array = drv.matrix_to_array(np.zeros((3, 4), np.float32), "C")
    with pytest.raises(drv.LogicError, match="plane 0"):
        drv.Array.plane_of(array, 0)
    with pytest.raises(drv.LogicError, match="DEFERRED_MAPPING"):
        array.get_memory_requirements()
    with pytest.raises(TypeError):
        drv.Array.plane_of(None, 0)


def test_objects_of_an_ended_context(device):
    context = device.make_context()
    texture = drv.TextureObject(drv.matrix_to_array(np.zeros((3, 4), np.float32), "C"))
    context.detach()
    for ask in (texture.get_descriptor, texture.get_resource):
        with pytest.raises(drv.LogicError):
            ask()
