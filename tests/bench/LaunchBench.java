import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Launches from Java next to the same in plain C (plain_driver.hpp, whose library the argument names), in one process: they take turns in
 * bursts of 20 calls after a synchronise; medians of 300 bursts, microseconds a call.
 */
public final class LaunchBench {
    private static final int BURST = 20;
    private static final int BURSTS = 300;
    /** Enough for the JVM's last compiler. */
    private static final int WARM_UP = 2000;

    private LaunchBench() {}

    private static native int plainOpen();

    private static native double plainCall(int call, int count);

    /** The calls of plain_driver.hpp. */
    private enum Plain { LAUNCH, ALLOCATE_FREE, COPY, COPY_PINNED, COPY_LARGE, COPY_LARGE_PINNED, IN_OUT, IN_OUT_PINNED }

    private static double burst(int calls, Runnable call) {
        Context.synchronize();
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return (System.nanoTime() - start) * 1e-3 / calls;
    }

    private static double median(double[] times, int warmUp) {
        double[] last = Arrays.copyOfRange(times, warmUp, times.length);
        Arrays.sort(last);
        return last[last.length / 2];
    }

    private static void compare(String name, Plain plain, Runnable call) {
        compare(name, plain, BURST, BURSTS, WARM_UP, call);
    }

    /** Of calls that take long. */
    private static void compareLong(String name, Plain plain, Runnable call) {
        compare(name, plain, 2, 40, 20, call);
    }

    private static void compare(String name, Plain plain, int calls, int bursts, int warmUp, Runnable call) {
        var inC = new double[warmUp + bursts];
        var inJava = new double[warmUp + bursts];
        for (int n = 0; n < inC.length; n++) {
            inC[n] = plainCall(plain.ordinal(), calls);
            inJava[n] = burst(calls, call);
        }
        double c = median(inC, warmUp);
        double java = median(inJava, warmUp);
        System.out.printf("%-34s %9.3f %9.3f %8.3f%n", name, c, java, java / c);
    }

    /** Direct memory of {@code count} floats. */
    private static FloatBuffer direct(int count) {
        return ByteBuffer.allocateDirect(Float.BYTES * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    private static void copies() {
        var memory = Driver.memAlloc(1600);
        var large = Driver.memAlloc(16 << 20);
        var stream = new Stream();
        var array = new float[400];
        var small = direct(400);
        var big = direct(4 << 20);
        for (int i = 0; i < big.capacity(); i++) {
            big.put(i, 1);
        }
        var pinned = Driver.pagelockedZeros(4 << 20, DType.FLOAT32).asFloatBuffer();
        compare("memcpyHtod, 1,600 bytes", Plain.COPY, () -> Driver.memcpyHtod(memory, small));
        compare("memcpyHtod of an array", Plain.COPY, () -> Driver.memcpyHtod(memory, array));
        var pinnedSmall = pinned.slice(0, 400);
        compare("memcpyHtodAsync, pinned, and kept", Plain.COPY_PINNED, () -> Driver.memcpyHtodAsync(memory, pinnedSmall, stream));
        compareLong("memcpyHtod, 16 MB", Plain.COPY_LARGE, () -> Driver.memcpyHtod(large, big));
        compareLong("memcpyHtod, 16 MB, pinned", Plain.COPY_LARGE_PINNED, () -> Driver.memcpyHtod(large, pinned));
    }

    private static void handlers(Function add) {
        var config = Driver.block(32, 1, 1);
        var stream = new Stream();
        var array = new float[32];
        var x = direct(32);
        var y = direct(32);
        var z = direct(32);
        compare("out, in, in of arrays", Plain.IN_OUT, () -> add.launch(config, Driver.out(array), Driver.in(array), Driver.in(array), 32));
        compare("out, in, in", Plain.IN_OUT, () -> add.launch(config, Driver.out(z), Driver.in(x), Driver.in(y), 32));
        var onStream = config.stream(stream);
        compare("out, in, in on a stream", Plain.IN_OUT, () -> add.launch(onStream, Driver.out(z), Driver.in(x), Driver.in(y), 32));
        var pinned = Driver.pagelockedZeros(96, DType.FLOAT32).asFloatBuffer();
        var pinnedX = pinned.slice(0, 32);
        var pinnedY = pinned.slice(32, 32);
        var pinnedZ = pinned.slice(64, 32);
        compare("the same, pinned", Plain.IN_OUT_PINNED,
            () -> add.launch(onStream, Driver.out(pinnedZ), Driver.in(pinnedX), Driver.in(pinnedY), 32));
    }

    public static void main(String[] arguments) {
        System.load(arguments[0]);
        Autoinit.init();
        int result = plainOpen();
        if (result != 0) {
            throw new IllegalStateException("plain C: error " + result);
        }
        var module = new SourceModule("""
            __global__ void add(float *dest, const float *a, const float *b, int n)
            {
                int i = threadIdx.x;
                if (i < n) dest[i] = a[i] + b[i];
            }
            """);
        var add = module.getFunction("add");
        var a = Driver.memAlloc(128);
        var b = Driver.memAlloc(128);
        var dest = Driver.memAlloc(128);
        var config = Driver.block(32, 1, 1);
        System.out.printf("%-34s %9s %9s %8s%n", "us a call", "plain C", "Java", "ratio");
        compare("launch", Plain.LAUNCH, () -> add.launch(config, dest, a, b, 32));
        add.prepare("PPPi");
        compare("preparedCall", Plain.LAUNCH, () -> add.preparedCall(config, dest, a, b, 32));
        var invocation = add.invocation().set(0, dest).set(1, a).set(2, b).set(3, 32);
        compare("Invocation", Plain.LAUNCH, () -> invocation.launch(config));
        compare("Invocation, one set", Plain.LAUNCH, () -> invocation.set(3, 31).launch(config));
        compare("memAlloc and close, 1 MB", Plain.ALLOCATE_FREE, () -> Driver.memAlloc(1 << 20).close());
        var pool = new DeviceMemoryPool();
        compare("pool's allocate and close, 1 MB", Plain.ALLOCATE_FREE, () -> pool.allocate(1 << 20).close());
        copies();
        handlers(add);
    }
}
