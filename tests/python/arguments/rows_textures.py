"""Textures, surfaces and the arrays behind them."""

import numpy as np
import pycuda.driver as drv
from kinds import shared
from other_values import NO_OBJECT, WRONG, array, floats, mipmapped_array, values
from pycuda.compiler import SourceModule
from table import SIZE, Reads, Writes, row


LINE = """texture<unsigned char, 1> line;
    __global__ void read_it(unsigned char *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }"""
IMAGE = """texture<unsigned char, 2> image;
    __global__ void read_it(unsigned char *out) { out[threadIdx.x] = tex2D(image, threadIdx.x % 32 + 0.5f, threadIdx.x / 32 + 0.5f); }"""
OBJECT = """__global__ void read_it(unsigned char *out, unsigned long long t) { out[threadIdx.x] = tex1Dfetch<unsigned char>(t, threadIdx.x); }"""
PITCHED = """__global__ void read_it(unsigned char *out, unsigned long long t) {
        out[threadIdx.x] = tex2D<unsigned char>(t, threadIdx.x % 32 + 0.5f, threadIdx.x / 32 + 0.5f);
    }"""
SURFACE = "surface<void, 2> sheet; __global__ void touch(int n) { surf2Dwrite(n, sheet, 0, 0); }"
MODULES = {source: shared(lambda source=source: SourceModule(source)) for source in (LINE, IMAGE, OBJECT, PITCHED, SURFACE)}


def line():
    reference = MODULES[LINE]().get_texref("line")
    reference.set_format(drv.array_format.UNSIGNED_INT8, 1)
    reference.set_flags(drv.TRSF_READ_AS_INTEGER)
    return reference


def image():
    reference = MODULES[IMAGE]().get_texref("image")
    reference.set_flags(drv.TRSF_READ_AS_INTEGER)
    return reference


def sheet():
    return MODULES[SURFACE]().get_surfref("sheet")


def read(source):
    """Writes what a kernel reads through the texture or surface to `back`."""

    def then(result, given):
        out = drv.mem_alloc(SIZE)
        objects = [np.uint64(result.handle)] if isinstance(result, drv.TextureObject) else []
        MODULES[source]().get_function("read_it")(out, *objects, block=(SIZE, 1, 1), texrefs=[given.self] if given.self else [])
        drv.memcpy_dtoh(given.back, out)

    return then


def rows_of(width, height):
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = width, height, drv.array_format.UNSIGNED_INT8, 1
    return descriptor


def integers():
    descriptor = drv.TextureDescriptor()
    descriptor.flags = drv.TRSF_READ_AS_INTEGER
    return descriptor


def box():
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 8, 8, drv.array_format.UNSIGNED_INT8, 1
    return descriptor


def surface_array():
    descriptor = box()
    descriptor.flags = drv.array3d_flags.SURFACE_LDST
    return drv.Array(descriptor)


# An address that textures read must be aligned: 16 bytes into an allocation is not.
UNALIGNED = dict.fromkeys(("view of a managed array", "view of a gpuarray", "address inside an allocation"), drv.LogicError)

row("driver.TextureReference.set_address", on=line, devptr=Reads(), bytes=SIZE, back=Writes("devptr"), then=read(LINE), but={"devptr": UNALIGNED})
row("driver.TextureReference.set_address_2d", on=image, devptr=Reads(), descr=lambda: rows_of(32, 2), pitch=32, back=Writes("devptr"),
    then=read(IMAGE), but={"devptr": UNALIGNED})
row("driver.TextureObject.of_linear", devptr=Reads(), nbytes=SIZE, format=drv.array_format.UNSIGNED_INT8, num_channels=1, descriptor=integers,
    back=Writes("devptr"), then=read(OBJECT), but={"devptr": UNALIGNED})
row("driver.TextureObject.of_pitched", devptr=Reads(), shape=lambda: rows_of(32, 2), pitch=32, descriptor=integers, back=Writes("devptr"),
    then=read(PITCHED), but={"devptr": UNALIGNED})

row("driver.ArrayDescriptor.width", on=drv.ArrayDescriptor, **{"=": 1})
row("driver.ArrayDescriptor.height", on=drv.ArrayDescriptor, **{"=": 1})
row("driver.ArrayDescriptor.format", on=drv.ArrayDescriptor, **{"=": drv.array_format.FLOAT})
row("driver.ArrayDescriptor.num_channels", on=drv.ArrayDescriptor, **{"=": 1})
for field, value in (("width", 1), ("height", 1), ("depth", 1), ("format", drv.array_format.FLOAT), ("num_channels", 1), ("flags", 0)):
    row(f"driver.ArrayDescriptor3D.{field}", on=drv.ArrayDescriptor3D, **{"=": value})
for field, value in (("filter_mode", 0), ("flags", 0), ("max_anisotropy", 1), ("mipmap_filter_mode", 0), ("mipmap_level_bias", 0.5),
                     ("min_mipmap_level_clamp", 0.5), ("max_mipmap_level_clamp", 0.5)):
    row(f"driver.TextureDescriptor.{field}", on=drv.TextureDescriptor, **{"=": value})
row("driver.TextureDescriptor.set_address_mode", on=drv.TextureDescriptor, dim=0, am=0)
row("driver.TextureDescriptor.get_address_mode", on=drv.TextureDescriptor, dim=0)
row("driver.TextureDescriptor.set_border_color", on=drv.TextureDescriptor, color=(0, 0, 0, 1.5))

row("driver.Array", descriptor=box)
row("driver.Array.plane_of", array=array, index=0, fails=drv.LogicError)  # it has no planes
row("driver.MipmappedArray", descriptor=box, levels=2)
for name, on in (("Array", array), ("MipmappedArray", mipmapped_array)):  # which are not sparse
    memory = {"memory": lambda: drv.PhysicalMemory(SIZE), "offset": 0}
    row(f"driver.{name}.map_tiles", on=on, region=drv.SparseRegion, stream=drv.Stream, **memory, fails=drv.LogicError)
    row(f"driver.{name}.unmap_tiles", on=on, region=drv.SparseRegion, stream=drv.Stream, fails=drv.LogicError)
    row(f"driver.{name}.map_mip_tail", on=on, tail_offset=0, size=SIZE, layer=0, stream=drv.Stream, **memory, fails=drv.LogicError)
    row(f"driver.{name}.unmap_mip_tail", on=on, tail_offset=0, size=SIZE, layer=0, stream=drv.Stream, fails=drv.LogicError)
row("driver.MipmappedArray.get_level", on=mipmapped_array, level=1)
def plain_view():
    view = drv.ResourceView()
    view.width, view.height, view.format = array().get_descriptor().width, array().get_descriptor().height, array().get_descriptor().format
    return view


for field in ("width", "height", "depth", "first_mipmap_level", "last_mipmap_level", "first_layer", "last_layer"):
    row(f"driver.ResourceView.{field}", on=drv.ResourceView, **{"=": 0})
for field in ("level", "layer", "x", "y", "z", "width", "height", "depth"):
    row(f"driver.SparseRegion.{field}", on=drv.SparseRegion, **{"=": 0})
row("driver.ResourceView.format", on=drv.ResourceView, **{"=": drv.array_format.FLOAT})
row("driver.ResourceView.num_channels", on=drv.ResourceView, **{"=": 1})
row("driver.TextureObject", array=array, descriptor=integers, view=plain_view, wrong={"view": [*NO_OBJECT, *values(None)]})
row("driver.SurfaceObject", array=surface_array)
row("driver.SurfaceReference.set_array", on=sheet, array=surface_array, flags=0)
row("driver.TextureReference.set_array", on=image, array=surface_array)
row("driver.TextureReference.set_mipmapped_array", on=image, array=mipmapped_array)
row("driver.TextureReference.set_format", on=drv.TextureReference, fmt=drv.array_format.FLOAT, num_components=2)
row("driver.TextureReference.set_address_mode", on=drv.TextureReference, dim=0, am=1)
row("driver.TextureReference.get_address_mode", on=drv.TextureReference, dim=0)
row("driver.TextureReference.set_filter_mode", on=drv.TextureReference, fm=1)
row("driver.TextureReference.set_flags", on=drv.TextureReference, flags=1)
row("driver.TextureReference.set_max_anisotropy", on=drv.TextureReference, anisotropy=2)
row("driver.TextureReference.set_border_color", on=drv.TextureReference, color=(0, 0, 0, 1.5))
row("driver.TextureReference.set_mipmap_filter_mode", on=drv.TextureReference, fm=1)
row("driver.TextureReference.set_mipmap_level_bias", on=drv.TextureReference, bias=0.5)
row("driver.TextureReference.set_mipmap_level_clamp", on=drv.TextureReference, minimum=0.0, maximum=1.0)


def matrix():
    return np.arange(8, dtype=np.float32).reshape(2, 4)


row("driver.dtype_to_array_format", dtype=np.float32)
row("driver.matrix_to_array", matrix=matrix, order="C", allow_double_hack=False)
row("driver.make_multichannel_2d_array", ndarray=lambda: np.zeros((2, 4, 2), np.float32), order="C")
row("driver.np_to_array", nparray=matrix, order="C", allowSurfaceBind=False)
row("driver.gpuarray_to_array", gpuarray=lambda: floats((2, 4)), order="C", allowSurfaceBind=False, wrong={"gpuarray": WRONG["GPUArray"]})
row("driver.bind_array_to_texref", ary=surface_array, texref=image)
row("driver.matrix_to_texref", matrix=matrix, texref=image, order="C")
