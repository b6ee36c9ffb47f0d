"""Operations of the sweep on CUDA arrays, textures and surfaces."""

import numpy as np
import pycuda.driver as drv
from operations import row
from pycuda.compiler import SourceModule

TEXTURES = """
texture<float, 2> image;
surface<void, 2> sheet;
__global__ void read(float *out) { out[threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, 0.5f); }
__global__ void paint() { surf2Dwrite(2.5f, sheet, threadIdx.x * 4, 0); }
"""


def array_of(flags=0, levels=None):
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth, descriptor.flags = 16, 4, 0, flags
    descriptor.format, descriptor.num_channels = drv.array_format.FLOAT, 1
    return drv.Array(descriptor) if levels is None else drv.MipmappedArray(descriptor, levels)


class Textures:
    def __init__(self):
        self.module = texture_module()
        self.image, self.sheet = self.module.get_texref("image"), self.module.get_surfref("sheet")
        self.array = drv.matrix_to_array(np.arange(12, dtype=np.float32).reshape(3, 4), "C")
        self.surface = array_of(drv.array3d_flags.SURFACE_LDST)
        self.memory, self.out = drv.to_device(np.arange(64, dtype=np.float32)), drv.mem_alloc(16)

    def read(self):
        self.image.set_array(self.array)
        self.module.get_function("read")(self.out, block=(4, 1, 1), texrefs=[self.image])
        return drv.from_device(self.out, 4, np.float32).tolist()

    def paint(self):
        self.sheet.set_array(self.surface)
        self.module.get_function("paint")(block=(16, 1, 1))

    def read_linear(self):
        descriptor = drv.ArrayDescriptor()
        descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 16, 4, drv.array_format.FLOAT, 1
        self.image.set_address_2d(self.memory, descriptor, 64)
        self.image.set_filter_mode(drv.filter_mode.POINT)
        self.image.set_address_mode(0, drv.address_mode.CLAMP)
        self.image.set_flags(0)
        self.module.get_function("read")(self.out, block=(4, 1, 1), texrefs=[self.image])
        return drv.from_device(self.out, 4, np.float32).tolist()


def texture_module():
    return SourceModule(TEXTURES)


def texture_of_memory(memory):
    drv.TextureObject.of_linear(memory, 64, drv.array_format.FLOAT, 1, drv.TextureDescriptor())


def module_of_drivers_references():
    return drv.module_from_buffer(b".version 7.0\n.target sm_52\n.address_size 64\n"
                                  b".visible .global .texref image;\n.visible .global .surfref sheet;\n")


def state_of(image):
    return image.get_address_mode(1), image.get_filter_mode(), image.get_flags(), image.get_format()


class DriversReferences:
    """The driver's own references, which PTX declares."""

    def __init__(self):
        self.module = module_of_drivers_references()
        self.image, self.sheet = self.module.get_texref("image"), self.module.get_surfref("sheet")
        self.array, self.levels, self.surface = array_of(), array_of(levels=2), array_of(drv.array3d_flags.SURFACE_LDST)
        self.memory, self.pitched = drv.mem_alloc(256), drv.ArrayDescriptor()
        self.pitched.width, self.pitched.height, self.pitched.format, self.pitched.num_channels = 16, 4, drv.array_format.FLOAT, 1


def set_all(r):
    image = r.image
    image.set_array(r.array)
    image.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
    image.set_format(drv.array_format.FLOAT, 1)
    image.set_address_mode(1, drv.address_mode.CLAMP)
    image.set_filter_mode(drv.filter_mode.LINEAR)
    image.set_max_anisotropy(1)
    image.set_border_color([0, 0, 0, 0])
    image.set_mipmap_filter_mode(drv.filter_mode.POINT)
    image.set_mipmap_level_bias(0)
    image.set_mipmap_level_clamp(0, 0)
    image.set_address(r.memory, 64)
    image.set_address_2d(r.memory, r.pitched, 64)
    image.set_mipmapped_array(r.levels)
    r.sheet.set_array(r.surface)
    return state_of(image)


row("TextureReference.known_to_driver", set_all, DriversReferences)
row("Module.get_texref.known_to_driver", lambda module: state_of(module.get_texref("image")), module_of_drivers_references)
def viewed(array):
    view, shape = drv.ResourceView(), array.get_descriptor()
    view.width, view.height, view.format, view.num_channels = shape.width, shape.height, shape.format, shape.num_channels
    return drv.TextureObject(array, drv.TextureDescriptor(), view).get_view().width


row("Array", lambda _: array_of().get_descriptor_3d().width)
row("Array.get_descriptor", lambda array: array.get_descriptor().height, array_of)
row("MipmappedArray", lambda _: array_of(levels=2).get_level(1).get_descriptor().width)
row("matrix_to_array", lambda matrix: drv.matrix_to_array(matrix, "C").get_descriptor().width, lambda: np.zeros((3, 4), np.float32))
row("TextureObject", lambda array: drv.TextureObject(array) and None, array_of)
row("TextureObject.described", lambda texture: (texture.get_descriptor().flags, texture.get_resource().type), lambda: drv.TextureObject(array_of()))
row("TextureObject.get_view", viewed, array_of)
row("SurfaceObject.described", lambda surface: surface.get_resource().type, lambda: drv.SurfaceObject(array_of(drv.array3d_flags.SURFACE_LDST)))
row("TextureObject.of_linear", texture_of_memory, lambda: drv.mem_alloc(64))
row("SurfaceObject", lambda array: drv.SurfaceObject(array) and None, lambda: array_of(drv.array3d_flags.SURFACE_LDST))
row("Module.get_texref", lambda module: (module.get_texref("image").name, module.get_surfref("sheet").name), texture_module)
row("TextureReference.set_array", Textures.read, Textures)
row("TextureReference.set_address_2d", Textures.read_linear, Textures)
row("SurfaceReference.set_array", Textures.paint, Textures)
