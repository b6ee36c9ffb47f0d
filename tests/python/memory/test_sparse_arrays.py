"""Arrays whose memory is mapped to them in tiles, where the device has them, and what says that it does not."""

import gc

import numpy as np
import pycuda.driver as drv
import pytest

TILE_BYTES = 1 << 16  # of every format


def shape(flags=drv.array3d_flags.SPARSE):
    made = drv.ArrayDescriptor3D()
    made.width = made.height = 1024
    made.format, made.num_channels, made.flags = drv.array_format.UNSIGNED_INT8, 4, flags
    return made


@pytest.fixture
def sparse(device, context):
    if not device.sparse_cuda_array_supported:
        pytest.skip("the device has no sparse arrays (SPARSE_CUDA_ARRAY_SUPPORTED)")


@pytest.fixture
def not_sparse(device, context):
    if device.sparse_cuda_array_supported:
        pytest.skip("the device has sparse arrays")


@pytest.mark.parametrize("make", [lambda: drv.Array(shape()), lambda: drv.MipmappedArray(shape(), 3), lambda: drv.PhysicalMemory.tile_pool(TILE_BYTES),
                                  lambda: drv.Array(shape(drv.array3d_flags.DEFERRED_MAPPING))])
def test_a_device_without_them_says_so(not_sparse, make):
    with pytest.raises(drv.LogicError, match="not supported"):
        make()


def test_other_arrays_have_no_tiles(context, device):
    if not device.get_attribute(drv.device_attribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED):
        pytest.skip("no memory to map")
    array, levels, region, memory = drv.Array(shape(0)), drv.MipmappedArray(shape(0), 2), drv.SparseRegion(), drv.PhysicalMemory(TILE_BYTES)
    for resource in (array, levels):
        with pytest.raises(drv.LogicError, match="created with array3d_flags.SPARSE"):
            resource.get_sparse_properties()
        for call in (lambda: resource.map_tiles(region, memory), lambda: resource.unmap_tiles(region),
                     lambda: resource.map_mip_tail(0, TILE_BYTES, memory), lambda: resource.unmap_mip_tail(0, TILE_BYTES)):
            with pytest.raises(drv.LogicError):
                call()
    levels.free()
    with pytest.raises(drv.LogicError, match="mipmapped array was freed"):
        levels.map_tiles(region, memory)


def test_regions(context):
    region = drv.SparseRegion()
    region.x, region.width, region.layer = 128, 256, 3
    assert (region.level, region.layer, region.x, region.y, region.z, region.width, region.height, region.depth) == (0, 3, 128, 0, 0, 256, 0, 1)
    with pytest.raises((OverflowError, TypeError)):
        region.width = -1


def copied(array, data, x, to_array):
    copy = drv.Memcpy2D()
    (copy.set_src_host if to_array else copy.set_dst_host)(data)
    (copy.set_dst_array if to_array else copy.set_src_array)(array)
    setattr(copy, "dst_x_in_bytes" if to_array else "src_x_in_bytes", 4 * x)
    copy.width_in_bytes, copy.height = data.shape[1], data.shape[0]
    copy(aligned=True)
    return data


def test_tiles(sparse):
    array, stream = drv.Array(shape()), drv.Stream()
    tiles = array.get_sparse_properties()
    assert tiles.tile_width * tiles.tile_height * 4 == TILE_BYTES and tiles.tile_depth == 1
    memory = drv.PhysicalMemory.tile_pool(2 * TILE_BYTES)
    region = drv.SparseRegion()
    region.x, region.width, region.height = tiles.tile_width, tiles.tile_width, tiles.tile_height
    array.map_tiles(region, memory, TILE_BYTES, stream)
    stream.synchronize()
    del memory  # it stays while it is mapped
    gc.collect()
    data = np.random.default_rng(1).integers(0, 256, (tiles.tile_height, 4 * tiles.tile_width), np.uint8)
    copied(array, data, region.x, True)
    assert (copied(array, np.zeros_like(data), region.x, False) == data).all()
    array.unmap_tiles(region, stream)
    stream.synchronize()
    region.x = 1
    with pytest.raises(drv.LogicError, match="whole tiles"):
        array.map_tiles(region, drv.PhysicalMemory.tile_pool(TILE_BYTES))


def test_a_mip_tail(sparse):
    levels = drv.MipmappedArray(shape(), 11)
    tiles = levels.get_sparse_properties()
    assert 0 < tiles.mip_tail_first_level < 11 and tiles.mip_tail_size > 0
    memory, stream = drv.PhysicalMemory.tile_pool(tiles.mip_tail_size), drv.Stream()
    levels.map_mip_tail(0, tiles.mip_tail_size, memory, stream=stream)
    stream.synchronize()
    last = levels.get_level(10)
    data = np.array([[1, 2, 3, 4]], np.uint8)
    copied(last, data, 0, True)
    assert (copied(last, np.zeros_like(data), 0, False) == data).all()
    levels.unmap_mip_tail(0, tiles.mip_tail_size, stream=stream)
    stream.synchronize()
