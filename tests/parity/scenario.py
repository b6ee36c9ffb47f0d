"""One walk through the driver's objects; Scenario.java takes the same steps in the same order.

Standard output is what a program sees: values and errors. Standard error, with PYCUDA_TRACE=1, is what the driver sees.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import pycuda.driver as drv

SCALE = """\
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 launches;
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd4], %f3;
DONE:
    ret;
}
"""

N = 1000
EVENT_FLAGS = drv.event_flags.BLOCKING_SYNC | drv.event_flags.DISABLE_TIMING


def show(step, *values):
    print(step, *(str(v).lower() if isinstance(v, bool) else v for v in values))


def fails(step, action):
    """Prints the error that `action` raises: its class, the driver's code, the driver call, and the message."""
    try:
        action()
    except drv.Error as error:
        show(step, type(error).__name__, error.code, error.routine)
        show("   ", error)
    except (TypeError, ValueError):
        show(step, "argument refused")
    else:
        show(step, "no error")


def devices():
    drv.init()
    drv.init()
    show("count is positive", drv.Device.count() > 0)
    device = drv.Device(0)
    show("same device", device == drv.Device(0), device == drv.Device(device.pci_bus_id()))
    show("compute capability", *device.compute_capability())
    show("warp size", device.get_attribute(drv.device_attribute.WARP_SIZE))
    show("total memory is positive", device.total_memory() > 0)
    fails("no such device", lambda: drv.Device(4711))
    fails("no current context", lambda: drv.mem_alloc(16))
    return device


def contexts(device):
    context = device.make_context(drv.ctx_flags.SCHED_BLOCKING_SYNC)
    show("device of the context", drv.Context.get_device() == device)
    drv.Context.synchronize()
    drv.Context.set_limit(drv.limit.STACK_SIZE, 2048)
    show("stack size", drv.Context.get_limit(drv.limit.STACK_SIZE))
    drv.Context.set_cache_config(drv.func_cache.PREFER_L1)
    context.push()
    drv.Context.pop()
    return context


def memory():
    host = np.arange(N, dtype=np.float32)
    back = np.zeros(N, dtype=np.float32)
    free, total = drv.mem_get_info()
    show("memory", 0 < free <= total)
    a = drv.mem_alloc(4 * N)
    b = drv.to_device(host)
    drv.memcpy_dtod(a, b, 4 * N)
    drv.memcpy_dtoh(back, a)
    show("copied", bool((back == host).all()))
    drv.memset_d32(a, 0x3F800000, N)
    drv.memset_d16(a, 0, 2)
    drv.memset_d8(b, 0, 4 * N)
    drv.memcpy_dtoh(back, a)
    show("filled", float(back[0]), float(back[1]), float(back[N - 1]))
    fails("more than there is", lambda: drv.mem_alloc(1 << 60))
    fails("no bytes", lambda: drv.mem_alloc(0))
    fails("not an address", lambda: drv.memcpy_dtoh(back, 16))
    b.free()
    fails("used after free", lambda: int(b))
    return a


def streams(a):
    stream = drv.Stream()
    start, end, quiet = drv.Event(), drv.Event(), drv.Event(EVENT_FLAGS)
    start.record(stream)
    drv.memset_d32_async(a, 0, N, stream)
    end.record(stream)
    stream.wait_for_event(end)
    quiet.record()
    quiet.synchronize()
    stream.synchronize()
    show("done", stream.is_done(), end.query())
    show("time goes on", end.time_since(start) >= 0, start.time_till(end) >= 0)
    fails("no timing", lambda: quiet.time_since(start))
    del stream
    del start
    del end
    del quiet


def handlers(scale):
    """All launches use the same memory; on a stream, pageable memory is staged, page-locked memory is not."""
    shape = dict(block=(128, 1, 1), grid=(8, 1))
    stream = drv.Stream()
    for host in np.arange(N, dtype=np.float32), drv.pagelocked_zeros(N, np.float32):
        host[:] = np.arange(N)
        for _ in range(2):
            scale(drv.InOut(host), np.float32(2), np.int32(N), stream=stream, **shape)
            stream.synchronize()
        scale(drv.InOut(host), np.float32(2), np.int32(N), **shape)
        show("handled", float(host[1]), float(host[N - 1]))
    pool = drv.DeviceMemoryPool.of_current_context()
    show("pool", pool.active_blocks, pool.held_blocks)
    fails("handler's launch fails", lambda: scale(drv.InOut(host), np.float32(2), np.int32(N), block=(4096, 1, 1)))
    pooled = pool.allocate(4 * N, stream)
    scale(pooled, np.float32(2), np.int32(N), stream=stream, **shape)
    stream.synchronize()
    pooled.free()
    show("pool", pool.active_blocks, pool.held_blocks)
    host.base.free()
    stream.synchronize()  # Java's close does that for a stream that wrote to host memory
    del stream


def kernels(a):
    module = drv.module_from_buffer(SCALE.encode())
    scale = module.get_function("scale")
    pointer, size = module.get_global("launches")
    show("global", pointer != 0, size)
    threads = scale.get_attribute(drv.function_attribute.MAX_THREADS_PER_BLOCK)
    show("attributes", threads >= 128, scale.shared_size_bytes)
    host = np.arange(N, dtype=np.float32)
    drv.memcpy_htod(a, host)
    scale(a, np.float32(2), np.int32(N), block=(128, 1, 1), grid=(8, 1))
    drv.Context.synchronize()
    back = np.empty_like(host)
    drv.memcpy_dtoh(back, a)
    show("scaled", float(back[1]), float(back[N - 1]))

    stream = drv.Stream()
    scale(a, np.float32(0.5), np.int32(N), block=(128, 1, 1), grid=(8, 1), stream=stream)
    stream.synchronize()
    del stream
    scale(drv.InOut(back), np.float32(3), np.int32(N), block=(128, 1, 1), grid=(8, 1))
    show("in and out", float(back[1]), float(back[N - 1]))
    handlers(scale)

    scale.prepare("Pfi")
    scale.prepared_call((8, 1), (128, 1, 1), a, 4, N)
    drv.memcpy_dtoh(back, a)
    show("prepared", float(back[1]), float(back[N - 1]))

    fails("no such function", lambda: module.get_function("no_such_function"))
    fails("no such global", lambda: module.get_global("no_such_global"))
    fails("not a module", lambda: drv.module_from_buffer(b"this is no PTX"))
    fails("block too large", lambda: scale(a, np.float32(1), np.int32(N), block=(4096, 1, 1)))
    fails("too few arguments", lambda: scale(a, block=(1, 1, 1)))
    fails("not an argument", lambda: scale("text", np.float32(1), np.int32(N), block=(1, 1, 1)))
    del scale
    del module


def main():
    device = devices()
    context = contexts(device)
    a = memory()
    streams(a)
    kernels(a)
    a.free()
    context.pop()
    fails("nothing to pop", drv.Context.pop)
    context.detach()
    fails("detached", context.push)


if __name__ == "__main__":
    # Unlike Java's, waits of the main thread also check for Ctrl-C.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(main).result()
