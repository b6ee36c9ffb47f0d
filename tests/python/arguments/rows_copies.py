"""Copies, fills and structured copies."""

import numpy as np
import pycuda.driver as drv
from other_values import array
from table import SIZE, Reads, Writes, row


def queued(batch):
    stream = drv.Stream()
    batch.queue(stream)
    stream.synchronize()


def rectangle_of_array():
    copy = drv.Memcpy2D()
    copy.set_src_host(np.arange(64, dtype=np.uint8))
    copy.set_dst_device(drv.mem_alloc(64))
    copy.width_in_bytes, copy.height = 64, 1
    return copy


row("driver.memcpy_htod", dest=Writes("src"), src=Reads())
row("driver.memcpy_htod_async", dest=Writes("src"), src=Reads(), stream=drv.Stream)
row("driver.memcpy_dtoh", dest=Writes("src"), src=Reads())
row("driver.memcpy_dtoh_async", dest=Writes("src"), src=Reads(), stream=drv.Stream)
row("driver.memcpy_dtod", dest=Writes("src"), src=Reads(), size=SIZE)
row("driver.memcpy_dtod_async", dest=Writes("src"), src=Reads(), size=SIZE, stream=drv.Stream)
row("driver.CopyBatch.add", on=drv.CopyBatch, destination=Writes("source"), source=Reads(), nbytes=SIZE, order=drv.memcpy_src_access_order.STREAM, flags=0,
    then=lambda batch, _: queued(batch))
row("driver.CopyBatch.add_box", on=drv.CopyBatch, copy=lambda: rectangle_of_array(), order=drv.memcpy_src_access_order.STREAM, flags=0, then=lambda batch, _: queued(batch))
row("driver.CopyBatch.queue", on=drv.CopyBatch, stream=drv.Stream)
row("driver.memcpy_peer", dest=Writes("src"), src=Reads(), size=SIZE)
row("driver.memcpy_peer_async", dest=Writes("src"), src=Reads(), size=SIZE, stream=drv.Stream)
row("driver.to_device", buffer=Reads(), gives="buffer")
row("driver.from_device", devptr=Reads(), shape=SIZE, dtype=np.uint8, gives="devptr")
row("driver.from_device_like", devptr=Reads(), other_ary=lambda: np.empty(SIZE, np.uint8), gives="devptr")

# ---- fills: a value of 1, 2 or 4 bytes, over 64 bytes or over two rows of 32

for bits, value, in ((8, 0x12), (16, 0x1234), (32, 0x12345678)):
    nbytes = bits // 8
    filled = value.to_bytes(nbytes, "little") * (SIZE // nbytes)
    row(f"driver.memset_d{bits}", dest=Writes(filled), data=value, count=SIZE // nbytes)
    row(f"driver.memset_d{bits}_async", dest=Writes(filled), data=value, count=SIZE // nbytes, stream=drv.Stream)
    row(f"driver.memset_d2d{bits}", dest=Writes(filled), pitch=SIZE // 2, data=value, width=SIZE // 2 // nbytes, height=2)
    row(f"driver.memset_d2d{bits}_async", dest=Writes(filled), pitch=SIZE // 2, data=value, width=SIZE // 2 // nbytes, height=2, stream=drv.Stream)

# ---- arrays of 64 bytes in one line


def filled_array():
    result = array()
    drv.memcpy_htoa(result, 0, bytes(range(SIZE)))
    return result


row("driver.memcpy_dtoa", ary=array, index=0, src=Reads(), len=SIZE, back=Writes("src"), then=lambda _, given: drv.memcpy_atoh(given.back, given.ary, 0))
row("driver.memcpy_atod", dest=Writes(bytes(range(SIZE))), ary=filled_array, index=0, len=SIZE)
for prefix in ("", "py_"):
    row(f"driver.{prefix}memcpy_htoa", ary=array, index=0, src=Reads(), back=Writes("src"), then=lambda _, given: drv.memcpy_atoh(given.back, given.ary, 0))
    row(f"driver.{prefix}memcpy_atoh", dest=Writes(bytes(range(SIZE))), ary=filled_array, index=0)
row("driver.memcpy_atoa", dest=array, dest_index=0, src=filled_array, src_index=0, len=SIZE)

# ---- structured copies: each end through each of its setters, with the other end in host memory


def execute(copy):
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = SIZE // 4
    copy.height = 4
    if not isinstance(copy, drv.Memcpy2D):
        copy.src_height = copy.dst_height = 4
        copy.depth = 1
    copy()


def to_back(_, given):
    given.self.set_dst_host(given.back)
    execute(given.self)


def from_front(_, given):
    given.self.set_src_host(given.front)
    execute(given.self)


IS_SHORT = {"numpy float": ValueError}  # not an address, but host memory of 8 bytes


def ends(kind):
    """The rows for one class."""
    name = f"driver.{kind.__name__}"
    for setter in ("set_src_host", "set_src_unified"):
        row(f"{name}.{setter}", on=kind, then=to_back, src=Reads(), back=Writes("src"), but={"src": IS_SHORT if "unified" in setter else {}})
    for setter in ("set_dst_host", "set_dst_unified"):
        row(f"{name}.{setter}", on=kind, then=from_front, dest=Writes("front"), front=Reads(), but={"dest": IS_SHORT if "unified" in setter else {}})
    row(f"{name}.set_src_device", on=kind, then=to_back, devptr=Reads(), back=Writes("devptr"))
    row(f"{name}.set_dst_device", on=kind, then=from_front, devptr=Writes("front"), front=Reads())
    row(f"{name}.set_src_array", on=kind, array=filled_box, back=Writes(bytes(range(SIZE))), then=to_back)
    row(f"{name}.set_dst_array", on=kind, array=filled_box, front=Reads(), back=Writes("front"), then=through_array)
    for field in ("src_x_in_bytes", "src_y", "src_pitch", "dst_x_in_bytes", "dst_y", "dst_pitch", "width_in_bytes", "height"):
        row(f"{name}.{field}", on=kind, **{"=": 1})
    if kind is not drv.Memcpy2D:
        for field in ("src_height", "src_z", "dst_height", "dst_z", "depth"):
            row(f"{name}.{field}", on=kind, **{"=": 1})


def through_array(_, given):
    from_front(_, given)
    out = drv.Memcpy2D()
    out.set_src_array(given.array)
    out.set_dst_host(given.back)
    execute(out)


def filled_box():
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 16, 4, drv.array_format.UNSIGNED_INT8, 1
    result = drv.Array(descriptor)
    copy = drv.Memcpy2D()
    copy.set_src_host(bytes(range(SIZE)))
    copy.set_dst_array(result)
    execute(copy)
    return result


for kind in (drv.Memcpy2D, drv.Memcpy3D, drv.Memcpy3DPeer):
    ends(kind)


def ready(kind):
    """A copy that can be executed."""

    def make():
        copy = kind()
        copy.set_src_host(bytes(SIZE))
        copy.set_dst_host(bytearray(SIZE))
        copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = SIZE
        copy.height = 1
        if kind is not drv.Memcpy2D:
            copy.src_height = copy.dst_height = copy.depth = 1
        return copy

    return make


row("driver.Memcpy2D.__call__", on=ready(drv.Memcpy2D), aligned=True)
row("driver.Memcpy3D.__call__", on=ready(drv.Memcpy3D), stream=drv.Stream)
row("driver.Memcpy3DPeer.__call__", on=ready(drv.Memcpy3DPeer), stream=drv.Stream)
for end in ("src", "dst"):
    row(f"driver.Memcpy3DPeer.set_{end}_context", on=ready(drv.Memcpy3DPeer), context=drv.Context.get_current, then=lambda _, given: given.self())
