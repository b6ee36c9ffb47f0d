"""Copies, fills and structured copies."""

import numpy as np
import pycuda.driver as drv
from other_values import array
from table import SIZE, Reads, Writes, row

EMPTY = {"zero-length array": None}

row("driver.memcpy_htod", dest=Writes("src"), src=Reads())
row("driver.memcpy_htod_async", dest=Writes("src"), src=Reads(), stream=drv.Stream)
row("driver.memcpy_dtoh", dest=Writes("src"), src=Reads())
row("driver.memcpy_dtoh_async", dest=Writes("src"), src=Reads(), stream=drv.Stream)
row("driver.memcpy_dtod", dest=Writes("src"), src=Reads(), size=SIZE)
row("driver.memcpy_dtod_async", dest=Writes("src"), src=Reads(), size=SIZE, stream=drv.Stream)
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
row("driver.memcpy_htoa", ary=array, index=0, src=Reads(), back=Writes("src"), then=lambda _, given: drv.memcpy_atoh(given.back, given.ary, 0))
row("driver.memcpy_atoh", dest=Writes(bytes(range(SIZE))), ary=filled_array, index=0)
row("driver.memcpy_atoa", dest=array, dest_index=0, src=filled_array, src_index=0, len=SIZE)

# ---- structured copies: each end by each of its setters, the other end in host memory


def execute(copy):
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = SIZE // 4
    copy.height = 4
    if not isinstance(copy, drv.Memcpy2D):
        copy.src_height = copy.dst_height = 4
        copy.depth = 1
    copy()


def ends(kind, made):
    """Rows of one class. A structured copy keeps its ends, so the copy is what `on` made last."""

    def on():
        made.append(kind())
        return made[-1]

    def to_back(_, given):
        made[-1].set_dst_host(given.back)
        execute(made[-1])

    def from_front(_, given):
        made[-1].set_src_host(given.front)
        execute(made[-1])

    name = f"driver.{kind.__name__}"
    for setter in ("set_src_host", "set_src_unified"):
        row(f"{name}.{setter}", on=on, then=to_back, src=Reads(), back=Writes("src"))
    for setter in ("set_dst_host", "set_dst_unified"):
        row(f"{name}.{setter}", on=on, then=from_front, dest=Writes("front"), front=Reads())
    row(f"{name}.set_src_device", on=on, then=to_back, devptr=Reads(), back=Writes("devptr"))
    row(f"{name}.set_dst_device", on=on, then=from_front, devptr=Writes("front"), front=Reads())
    row(f"{name}.set_src_array", on=on, array=filled_box)
    row(f"{name}.set_dst_array", on=on, array=filled_box)
    for field in ("src_x_in_bytes", "src_y", "src_pitch", "dst_x_in_bytes", "dst_y", "dst_pitch", "width_in_bytes", "height"):
        row(f"{name}.{field}", on=on, **{"=": 1})
    if kind is not drv.Memcpy2D:
        for field in ("src_height", "src_z", "dst_height", "dst_z", "depth"):
            row(f"{name}.{field}", on=on, **{"=": 1})


def filled_box():
    descriptor = drv.ArrayDescriptor()
    descriptor.width, descriptor.height, descriptor.format, descriptor.num_channels = 16, 4, drv.array_format.UNSIGNED_INT8, 1
    return drv.Array(descriptor)


for kind in (drv.Memcpy2D, drv.Memcpy3D, drv.Memcpy3DPeer):
    ends(kind, [])


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
row("driver.Memcpy3DPeer.set_src_context", on=drv.Memcpy3DPeer, context=drv.Context.get_current)
row("driver.Memcpy3DPeer.set_dst_context", on=drv.Memcpy3DPeer, context=drv.Context.get_current)
