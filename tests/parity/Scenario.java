import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.pycuda.Context;
import org.pycuda.CtxFlags;
import org.pycuda.DType;
import org.pycuda.Device;
import org.pycuda.DeviceAllocation;
import org.pycuda.DeviceAttribute;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.DevicePointer;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.EventFlags;
import org.pycuda.Fills;
import org.pycuda.FuncCache;
import org.pycuda.Function;
import org.pycuda.FunctionAttribute;
import org.pycuda.Limit;
import org.pycuda.Stream;

/**
 * One walk through the driver's objects; scenario.py takes the same steps in the same order.
 *
 * <p>Standard output is what a program sees: values and errors. Standard error, with PYCUDA_TRACE=1, is what the
 * driver sees.
 */
public final class Scenario {
    static final String SCALE = """
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
        """;

    private static final int N = 1000;
    private static final EventFlags[] EVENT_FLAGS = {EventFlags.BLOCKING_SYNC, EventFlags.DISABLE_TIMING};

    static void show(String step, Object... values) {
        var text = Arrays.stream(values).map(String::valueOf).collect(Collectors.joining(" "));
        System.out.println((step + " " + text).stripTrailing());
    }

    /** Shows the error that {@code action} ends with: its class, the driver's code, the driver call, the message. */
    static void fails(String step, Runnable action) {
        try {
            action.run();
            show(step, "no error");
        } catch (Driver.Error error) {
            show(step, error.getClass().getSimpleName(), error.code(), error.routine());
            show("   ", error.getMessage());
        } catch (IllegalArgumentException error) {
            show(step, "argument refused");
        }
    }

    private static Device devices() {
        Driver.init();
        Driver.init();
        show("count is positive", Device.count() > 0);
        var device = new Device(0);
        show("same device", device.equals(new Device(0)), device.equals(new Device(device.pciBusId())));
        var capability = device.computeCapability();
        show("compute capability", capability.major(), capability.minor());
        show("warp size", device.attribute(DeviceAttribute.WARP_SIZE));
        show("total memory is positive", device.totalMemory() > 0);
        fails("no such device", () -> new Device(4711));
        fails("no current context", () -> Driver.memAlloc(16));
        return device;
    }

    private static Context contexts(Device device) {
        var context = device.makeContext(CtxFlags.SCHED_BLOCKING_SYNC);
        show("device of the context", Context.device().equals(device));
        Context.synchronize();
        Context.setLimit(Limit.STACK_SIZE, 2048);
        show("stack size", Context.limit(Limit.STACK_SIZE));
        Context.setCacheConfig(FuncCache.PREFER_L1);
        context.push();
        Context.pop();
        return context;
    }

    private static float[] range() {
        var values = new float[N];
        for (int i = 0; i < N; i++) {
            values[i] = i;
        }
        return values;
    }

    private static DeviceAllocation memory() {
        var host = range();
        var back = new float[N];
        var info = Driver.memGetInfo();
        show("memory", 0 < info.free() && info.free() <= info.total());
        var a = Driver.memAlloc(4 * N);
        var b = Driver.toDevice(host);
        Driver.memcpyDtod(a, b, 4 * N);
        Driver.memcpyDtoh(back, a);
        show("copied", Arrays.equals(back, host));
        Driver.memsetD32(a, 0x3F800000, N);
        Fills.memsetD16(a, 0, 2);
        Driver.memsetD8(b, 0, 4 * N);
        Driver.memcpyDtoh(back, a);
        show("filled", back[0], back[1], back[N - 1]);
        fails("more than there is", () -> Driver.memAlloc(1L << 60));
        fails("no bytes", () -> Driver.memAlloc(0));
        fails("not an address", () -> Driver.memcpyDtoh(back, DevicePointer.of(16)));
        b.free();
        fails("used after free", () -> b.pointer());
        return a;
    }

    private static void streams(DeviceAllocation a) {
        var stream = new Stream();
        var start = new Event();
        var end = new Event();
        var quiet = new Event(EVENT_FLAGS);
        start.record(stream);
        Driver.memsetD32Async(a, 0, N, stream);
        end.record(stream);
        stream.waitForEvent(end);
        quiet.record();
        quiet.synchronize();
        stream.synchronize();
        show("done", stream.isDone(), end.isDone());
        show("time goes on", end.timeSince(start) >= 0, start.timeTill(end) >= 0);
        fails("no timing", () -> quiet.timeSince(start));
        stream.close();
        start.close();
        end.close();
        quiet.close();
    }

    /** The same memory serves launch after launch; pageable memory is staged on a stream, page-locked memory is not. */
    private static void handlers(Function scale) {
        var config = Driver.block(128, 1, 1).grid(8, 1);
        var stream = new Stream();
        var direct = ByteBuffer.allocateDirect(4 * N).order(ByteOrder.nativeOrder()).asFloatBuffer();
        try (var locked = Driver.pagelockedZeros(DType.FLOAT32, N)) {
            FloatBuffer host = null;
            for (var each : List.of(direct, locked.asFloatBuffer())) {
                host = each.put(0, range());
                for (int round = 0; round < 2; round++) {
                    scale.launch(config.stream(stream), Driver.inOut(host), 2.0f, N);
                    stream.synchronize();
                }
                scale.launch(config, Driver.inOut(host), 2.0f, N);
                show("handled", host.get(1), host.get(N - 1));
            }
            var pool = DeviceMemoryPool.ofCurrentContext();
            show("pool", pool.activeBlocks(), pool.heldBlocks());
            var last = host;
            fails("handler's launch fails", () -> scale.launch(Driver.block(4096, 1, 1), Driver.inOut(last), 2.0f, N));
            var pooled = pool.allocate(4 * N, stream);
            scale.launch(config.stream(stream), pooled, 2.0f, N);
            stream.synchronize();
            pooled.free();
            show("pool", pool.activeBlocks(), pool.heldBlocks());
        }
        stream.close();
    }

    private static void kernels(DeviceAllocation a) {
        var module = Driver.moduleFromBuffer(SCALE.getBytes(StandardCharsets.UTF_8));
        Function scale = module.function("scale");
        var global = module.global("launches");
        show("global", global.pointer() != 0, global.sizeInBytes());
        int threads = scale.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK);
        show("attributes", threads >= 128, scale.sharedSizeBytes());
        var host = range();
        Driver.memcpyHtod(a, host);
        var config = Driver.block(128, 1, 1).grid(8, 1);
        scale.launch(config, a, 2.0f, N);
        Context.synchronize();
        var back = new float[N];
        Driver.memcpyDtoh(back, a);
        show("scaled", back[1], back[N - 1]);

        var stream = new Stream();
        scale.launch(config.stream(stream), a, 0.5f, N);
        stream.synchronize();
        stream.close();
        scale.launch(config, Driver.inOut(back), 3.0f, N);
        show("in and out", back[1], back[N - 1]);
        handlers(scale);

        scale.prepare("Pfi");
        scale.preparedCall(config, a, 4.0f, N);
        Driver.memcpyDtoh(back, a);
        show("prepared", back[1], back[N - 1]);

        fails("no such function", () -> module.function("no_such_function"));
        fails("no such global", () -> module.global("no_such_global"));
        fails("not a module", () -> Driver.moduleFromBuffer("this is no PTX".getBytes(StandardCharsets.UTF_8)));
        fails("block too large", () -> scale.launch(Driver.block(4096, 1, 1), a, 1.0f, N));
        fails("too few arguments", () -> scale.launch(Driver.block(1, 1, 1), a));
        fails("not an argument", () -> scale.launch(Driver.block(1, 1, 1), "text", 1.0f, N));
        module.close();
    }

    public static void main(String[] arguments) {
        var device = devices();
        var context = contexts(device);
        var a = memory();
        streams(a);
        kernels(a);
        a.free();
        Context.pop();
        fails("nothing to pop", Context::pop);
        context.detach();
        fails("detached", context::push);
    }
}
