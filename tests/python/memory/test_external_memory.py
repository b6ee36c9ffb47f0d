"""Memory of another interface: its import, buffers and arrays that are mapped onto it, and who keeps what."""

import gc
import os
import threading

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest
from external import is_open, memory, memory_file
from kernels import SCALE
from pycuda import _driver
from pycuda.compiler import SourceModule

NBYTES = 1 << 16
HANDLES = drv.external_memory_handle_type


def live(what):
    gc.collect()
    return _driver._live_handles(what)


def test_a_buffer_is_the_memory_of_the_other_side(context):
    external, view = memory(NBYTES)
    assert external.size == NBYTES and external.handle
    buffer = external.map_buffer()
    drv.memset_d8(buffer, 7, NBYTES)
    assert (view == 7).all()
    view[:4] = 1, 2, 3, 4
    found = np.zeros(4, np.uint8)
    drv.memcpy_dtoh(found, buffer)
    assert found.tolist() == [1, 2, 3, 4]


def test_a_kernel_works_in_it(context):
    external, view = memory(NBYTES)
    numbers = view.view(np.float32)
    numbers[:8] = np.arange(8)
    scale = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    scale(external.map_buffer(16, 16), np.float32(10), np.int32(4), block=(4, 1, 1))
    drv.Context.synchronize()
    assert numbers[:9].tolist() == [0, 1, 2, 3, 40, 50, 60, 70, 0]


@pytest.mark.parametrize("offset, size", [(0, 4096), (100, 28), (4096, 0), (NBYTES - 1, 1)])
def test_parts(context, offset, size):
    external, view = memory(NBYTES)
    buffer = external.map_buffer(offset, size)
    drv.memset_d8(buffer, 9, size or NBYTES - offset)
    assert np.flatnonzero(view == 9).tolist() == list(range(offset, offset + size if size else NBYTES))


@pytest.mark.parametrize("offset, size", [(NBYTES, 0), (NBYTES + 1, 0), (0, NBYTES + 1), (NBYTES - 8, 9), (2**63, 1), (2**64 - 1, 2)])
def test_bytes_that_it_does_not_have(context, offset, size):
    external, _ = memory(NBYTES)
    with pytest.raises(drv.LogicError, match=f"at byte {offset} of {NBYTES} bytes of external memory"):
        external.map_buffer(offset, size)


def test_a_kernel_beyond_a_buffer_is_found(device, context):
    external, _ = memory(NBYTES)
    scale = drv.module_from_buffer(SCALE.encode()).get_function("scale")
    child = device.make_context()
    try:
        external, _ = memory(NBYTES)
        scale = drv.module_from_buffer(SCALE.encode()).get_function("scale")
        scale(external.map_buffer(0, 12), np.float32(1), np.int32(4), block=(4, 1, 1))
        with pytest.raises(drv.LaunchError):
            drv.Context.synchronize()
    finally:
        child.pop()
        child.detach()


def test_the_descriptor_belongs_to_the_driver_after_the_import(context):
    descriptor, _ = memory_file(NBYTES)
    external = drv.ExternalMemory(descriptor, NBYTES)
    assert not is_open(descriptor), "the CPU device keeps the memory by a descriptor of its own"
    with pytest.raises(drv.RuntimeError, match="which still belongs to the program"):
        drv.ExternalMemory(descriptor, NBYTES)
    drv.memset_d8(external.map_buffer(), 1, NBYTES)


@pytest.mark.parametrize("size", [0, NBYTES + 1, 2**63])
def test_a_failed_import_leaves_the_descriptor_to_the_program(context, size):
    descriptor, _ = memory_file(NBYTES)
    with pytest.raises(drv.LogicError, match=f"file descriptor {descriptor}, which still belongs to the program"):
        drv.ExternalMemory(descriptor, size)
    assert is_open(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize("kind", [kind for kind in HANDLES.__members__ if kind not in ("OPAQUE_FD", "DMABUF_FD")])
def test_handles_that_are_no_descriptors(context, kind):
    with pytest.raises(drv.LogicError, match=f"{kind} is not a file descriptor"):
        drv.ExternalMemory(0, NBYTES, False, HANDLES[kind])


def test_dma_bufs_are_tegras(context):
    descriptor, _ = memory_file(NBYTES)
    with pytest.raises(drv.LogicError):
        drv.ExternalMemory(descriptor, NBYTES, handle_type=HANDLES.DMABUF_FD)
    assert is_open(descriptor)
    os.close(descriptor)


def test_other_descriptors(context, tmp_path):
    memory_file(1)
    with pytest.raises(ValueError, match="expected a file descriptor, not -1"):
        drv.ExternalMemory(-1, NBYTES)
    with open(tmp_path / "file", "w+b") as file:
        file.truncate(NBYTES)
        with pytest.raises(drv.Error):
            drv.ExternalMemory(file.fileno(), NBYTES)
        assert is_open(file.fileno()), "a file is no memory of another interface"
    for end in os.pipe():
        with pytest.raises(drv.Error):
            drv.ExternalMemory(end, 1)
        os.close(end)


def test_a_dedicated_allocation(context):
    descriptor, view = memory_file(NBYTES)
    drv.memset_d8(drv.ExternalMemory(descriptor, NBYTES, dedicated=True).map_buffer(), 3, NBYTES)
    assert (view == 3).all()


def test_physical_memory_is_shared_by_a_descriptor_too(context):
    memory_file(1)
    piece = drv.PhysicalMemory(NBYTES, handle_type=drv.mem_allocation_handle_type.POSIX_FILE_DESCRIPTOR)
    mapped = drv.VirtualMemory()
    mapped.map(piece)
    external = drv.ExternalMemory(piece.export_descriptor(), piece.size)
    drv.memset_d8(external.map_buffer(), 5, 16)
    assert drv.from_device(mapped, 16, np.uint8).tolist() == [5] * 16


def test_what_is_mapped_keeps_the_memory(context):
    before = live("external memory"), live("external buffer")
    external, view = memory(NBYTES)
    buffer, other = external.map_buffer(), external.map_buffer(4096)
    del external
    assert live("external memory") == before[0] + 1
    drv.memset_d8(buffer, 7, NBYTES)
    buffer.free()
    assert live("external buffer") == before[1] + 1
    with pytest.raises(drv.LogicError, match="external buffer was freed"):
        int(buffer)
    with pytest.raises(drv.LogicError):
        buffer.free()
    drv.memset_d8(other, 8, 1)
    assert view[4095:4098].tolist() == [7, 8, 7]
    del other
    assert (live("external memory"), live("external buffer")) == before


def test_a_graph_keeps_it(context):
    before = live("external memory")
    external, view = memory(NBYTES)
    graph = drv.Graph()
    graph.memset(external.map_buffer(), 7, 16)
    del external
    run = graph.instantiate()
    assert live("external memory") == before + 1
    run.launch()
    drv.Context.synchronize()
    assert view[:17].tolist() == [7] * 16 + [0]
    del graph, run
    for _ in range(100):  # another thread releases what graphs kept
        if live("external memory") == before:
            return
        threading.Event().wait(0.05)
    raise AssertionError("the graph's end did not release the memory")


def test_the_context_has_ended(device, context):
    memory_file(1)
    child = device.make_context()
    external, _ = memory(NBYTES)
    buffer = external.map_buffer()
    child.pop()
    child.detach()
    for use in (external.map_buffer, lambda: int(buffer), lambda: external.handle):
        with pytest.raises(drv.LogicError):
            use()


def test_threads_map_and_drop(context):
    external, _ = memory(NBYTES)
    failures = []

    def work():
        context.push()
        try:
            for k in range(50):
                drv.memset_d8(external.map_buffer(4096 * (k % 4), 64), k, 64)
        except BaseException as error:  # noqa: B036
            failures.append(error)
        finally:
            drv.Context.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ---- arrays

READ = """
__global__ void read(cudaTextureObject_t texture, float *out, float level)
{ out[threadIdx.x] = tex2DLod<float>(texture, threadIdx.x + 0.5f, 0.5f, level); }
"""


def image(width=8, height=4):
    shape = drv.ArrayDescriptor3D()
    shape.width, shape.height = width, height
    shape.format, shape.num_channels = drv.array_format.FLOAT, 1
    return shape


def test_an_array_is_the_image_of_the_other_side(context):
    external, view = memory(NBYTES)
    levels = external.map_mipmapped_array(image(), 2, 512)
    view[512:512 + 128].view(np.float32)[:] = np.arange(32)
    view[1024:1024 + 32].view(np.float32)[:] = np.arange(100, 108)  # each level begins at a multiple of 512 bytes
    del external
    out = gpuarray.zeros(8, np.float32)
    read = SourceModule(READ).get_function("read")
    texture = drv.TextureObject(levels.get_level(0))
    read(np.uint64(texture.handle), out, np.float32(0), block=(8, 1, 1))
    assert out.get().tolist() == list(range(8))
    copy = drv.Memcpy2D()
    copy.set_src_array(levels.get_level(1))
    found = np.zeros((2, 4), np.float32)
    copy.set_dst_host(found)
    copy.width_in_bytes, copy.height = 16, 2
    copy(aligned=True)
    assert found.ravel().tolist() == list(range(100, 108))
    levels.free()
    with pytest.raises(drv.LogicError):
        levels.get_level(0)


@pytest.mark.parametrize("levels, offset", [(1, 100), (1, NBYTES), (1, NBYTES - 64), (1, 2**63), (2, NBYTES - 512), (0, 0)])
def test_images_that_do_not_fit(context, levels, offset):
    external, _ = memory(NBYTES)
    arrays = live("mipmapped array")
    with pytest.raises(drv.LogicError, match=f"{levels} levels, at byte {offset} of {NBYTES} bytes"):
        external.map_mipmapped_array(image(), levels, offset)
    assert live("mipmapped array") == arrays


def test_an_array_keeps_the_memory(context):
    before = live("external memory")
    external, _ = memory(NBYTES)
    levels = external.map_mipmapped_array(image(), 1)
    level = levels.get_level(0)
    del external, levels
    assert live("external memory") == before + 1
    assert level.get_descriptor().width == 8
    del level
    assert live("external memory") == before
