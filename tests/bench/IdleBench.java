import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.DevicePointer;
import org.pycuda.Driver;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * What calls from Java cost the host, on a driver whose calls do nothing (idle_driver.cpp): nanoseconds of processor time for each call, of
 * the calling thread and of all threads, collector and compiler included. The least of 6 loops.
 *
 * <pre>
 * cmake --build --preset release --target idle_driver
 * PYCUDA_DRIVER=cpu PYCUDA_CPU_LIBRARY=$PWD/build/release/tests/bench/libidle_driver.so \
 *     ./dev run java -cp "$CLASSPATH:build/release/java/pycuda-tests.jar" IdleBench
 * </pre>
 */
public final class IdleBench {
    private static final int CALLS = 400_000;
    private static final int LOOPS = 6;

    record AddArguments(DevicePointer dest, DevicePointer a, DevicePointer b, int n) {}

    private IdleBench() {}

    private static long ofProcess() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void measure(String name, Runnable call) {
        var threads = ManagementFactory.getThreadMXBean();
        var ofThread = new double[LOOPS];
        var ofAll = new double[LOOPS];
        for (int loop = 0; loop < LOOPS; loop++) {
            long all = ofProcess();
            long mine = threads.getCurrentThreadCpuTime();
            for (int n = 0; n < CALLS; n++) {
                call.run();
            }
            ofThread[loop] = (double) (threads.getCurrentThreadCpuTime() - mine) / CALLS;
            ofAll[loop] = (double) (ofProcess() - all) / CALLS;
        }
        System.out.printf("%-36s %8.0f %8.0f%n", name, Arrays.stream(ofThread).min().orElseThrow(), Arrays.stream(ofAll).min().orElseThrow());
    }

    public static void main(String[] arguments) {
        Autoinit.init();
        var memory = Driver.memAlloc(1600);
        var stream = new Stream();
        var pinned = Driver.pagelockedZeros(DType.FLOAT32, 400).asFloatBuffer();
        var pageable = ByteBuffer.allocateDirect(1600).order(ByteOrder.nativeOrder()).asFloatBuffer();
        System.out.printf("%-36s %8s %8s%n", "ns of processor time a call", "thread", "process");
        measure("memcpyHtodAsync, pinned", () -> Driver.memcpyHtodAsync(memory, pinned, stream));
        measure("memcpyDtohAsync, pinned", () -> Driver.memcpyDtohAsync(pinned, memory, stream));
        measure("the same, default stream", () -> Driver.memcpyHtodAsync(memory, pinned));
        measure("memcpyHtodAsync, pageable", () -> Driver.memcpyHtodAsync(memory, pageable, stream));
        var module = new SourceModule("__global__ void add(float *dest, const float *a, const float *b, int n) {}");
        var add = module.function("add");
        var config = Driver.block(32, 1, 1).stream(stream);
        var x = pageable.slice(0, 32);
        var y = pageable.slice(32, 32);
        var z = pageable.slice(64, 32);
        measure("out, in, in on a stream", () -> add.launch(config, Driver.out(z), Driver.in(x), Driver.in(y), 32));
        var lockedX = pinned.slice(0, 32);
        var lockedY = pinned.slice(32, 32);
        var lockedZ = pinned.slice(64, 32);
        measure("the same, pinned", () -> add.launch(config, Driver.out(lockedZ), Driver.in(lockedX), Driver.in(lockedY), 32));
        var a = Driver.memAlloc(128);
        var bare = Driver.block(32, 1, 1);
        measure("launch", () -> add.launch(bare, a, a, a, 32));
        var invocation = add.prepare("PPPi").invocation().set(0, a).set(1, a).set(2, a).set(3, 32);
        measure("Invocation", () -> invocation.launch(bare));
        var typed = module.kernel("add", AddArguments.class);
        measure("TypedKernel", () -> typed.launch(bare, new AddArguments(a, a, a, 32)));
        measure("memAlloc and close", () -> Driver.memAlloc(1 << 20).close());
        measure("memAlloc", () -> Driver.memAlloc(1 << 20));
    }
}
