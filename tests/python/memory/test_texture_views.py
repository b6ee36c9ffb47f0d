"""Textures that read an array as other elements, or only some of its levels."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule


def view_of(width, height=0, depth=0, **settings):
    view = drv.ResourceView()
    for name, value in dict(settings, width=width, height=height, depth=depth).items():
        setattr(view, name, value)
    return view


def test_a_view_reads_other_elements(context):
    array = drv.matrix_to_array(np.array([[1, 2], [-3, 0.5]], np.float32), "C")
    how = drv.TextureDescriptor()
    how.flags = drv.TRSF_READ_AS_INTEGER
    view = view_of(2, 2, format=drv.array_format.UNSIGNED_INT32)
    texture = drv.TextureObject(array, how, view)
    read = SourceModule("""
        __global__ void read(cudaTextureObject_t from, unsigned *to) { to[threadIdx.y * 2 + threadIdx.x] = tex2D<unsigned>(from, threadIdx.x, threadIdx.y); }
        """).get_function("read")
    out = np.zeros(4, np.uint32)
    read(np.uint64(texture.handle), drv.Out(out), block=(2, 2, 1))
    assert out.view(np.float32).tolist() == [1, 2, -3, 0.5]
    seen = texture.get_view()
    assert (seen.format, seen.num_channels, seen.width, seen.height, seen.depth) == (drv.array_format.UNSIGNED_INT32, 1, 2, 2, 0)
    assert (seen.first_mipmap_level, seen.last_mipmap_level, seen.first_layer, seen.last_layer) == (0, 0, 0, 0)


def test_a_view_of_some_levels(context):
    shape = drv.ArrayDescriptor3D()
    shape.width, shape.height, shape.format, shape.num_channels = 8, 8, drv.array_format.FLOAT, 2
    levels = drv.MipmappedArray(shape, 3)
    view = view_of(8, 8, format=drv.array_format.FLOAT, num_channels=2, first_mipmap_level=1, last_mipmap_level=2)
    seen = drv.TextureObject(levels, drv.TextureDescriptor(), view).get_view()
    assert (seen.num_channels, seen.first_mipmap_level, seen.last_mipmap_level) == (2, 1, 2)


def test_views_that_cannot_be(context):
    array = drv.matrix_to_array(np.zeros((3, 4), np.float32), "C")
    with pytest.raises(drv.LogicError, match="without a view"):
        drv.TextureObject(array).get_view()
    for view in (view_of(5, 3), view_of(4, 3, num_channels=2), view_of(4, 3, last_mipmap_level=1)):
        with pytest.raises(drv.LogicError):
            drv.TextureObject(array, drv.TextureDescriptor(), view)
    with pytest.raises(ValueError, match="1, 2 or 4 channels of 8, 16 or 32 bits, given 3"):
        drv.TextureObject(array, drv.TextureDescriptor(), view_of(4, 3, num_channels=3))
    with pytest.raises(TypeError):
        drv.TextureObject(array, drv.TextureDescriptor(), None)
