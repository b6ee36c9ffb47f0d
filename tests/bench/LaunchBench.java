import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.DevicePointer;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/** Launches from Java, compared with plain C; the argument is its library. */
public final class LaunchBench {
    private record AddArguments(DevicePointer dest, DevicePointer a, DevicePointer b, int n) {}

    private LaunchBench() {}

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
        var pinned = Driver.pagelockedZeros(DType.FLOAT32, 4 << 20).asFloatBuffer();
        PlainC.compare("memcpyHtod, 1,600 bytes", PlainC.Call.COPY, () -> Driver.memcpyHtod(memory, small));
        PlainC.compare("memcpyHtod of an array", PlainC.Call.COPY, () -> Driver.memcpyHtod(memory, array));
        var pinnedSmall = pinned.slice(0, 400);
        PlainC.compare("memcpyHtodAsync, pinned, and kept", PlainC.Call.COPY_PINNED, () -> Driver.memcpyHtodAsync(memory, pinnedSmall, stream));
        PlainC.compareLong("memcpyHtod, 16 MB", PlainC.Call.COPY_LARGE, () -> Driver.memcpyHtod(large, big));
        PlainC.compareLong("memcpyHtod, 16 MB, pinned", PlainC.Call.COPY_LARGE_PINNED, () -> Driver.memcpyHtod(large, pinned));
    }

    private static void handlers(Function add) {
        var config = Driver.block(32, 1, 1);
        var stream = new Stream();
        var array = new float[32];
        var x = direct(32);
        var y = direct(32);
        var z = direct(32);
        PlainC.compare("out, in, in of arrays", PlainC.Call.IN_OUT, () -> add.launch(config, Driver.out(array), Driver.in(array), Driver.in(array), 32));
        PlainC.compare("out, in, in", PlainC.Call.IN_OUT, () -> add.launch(config, Driver.out(z), Driver.in(x), Driver.in(y), 32));
        var onStream = config.stream(stream);
        PlainC.compare("out, in, in on a stream", PlainC.Call.IN_OUT, () -> add.launch(onStream, Driver.out(z), Driver.in(x), Driver.in(y), 32));
        var pinned = Driver.pagelockedZeros(DType.FLOAT32, 96).asFloatBuffer();
        var pinnedX = pinned.slice(0, 32);
        var pinnedY = pinned.slice(32, 32);
        var pinnedZ = pinned.slice(64, 32);
        PlainC.compare("the same, pinned", PlainC.Call.IN_OUT_PINNED,
            () -> add.launch(onStream, Driver.out(pinnedZ), Driver.in(pinnedX), Driver.in(pinnedY), 32));
    }

    public static void main(String[] arguments) {
        Autoinit.init();
        PlainC.open(arguments[0]);
        var module = new SourceModule("""
            __global__ void add(float *dest, const float *a, const float *b, int n)
            {
                int i = threadIdx.x;
                if (i < n) dest[i] = a[i] + b[i];
            }
            """);
        var add = module.function("add");
        var a = Driver.memAlloc(128);
        var b = Driver.memAlloc(128);
        var dest = Driver.memAlloc(128);
        var config = Driver.block(32, 1, 1);
        System.out.printf("%-34s %9s %9s %8s%n", "us a call", "plain C", "Java", "ratio");
        PlainC.compare("launch", PlainC.Call.LAUNCH, () -> add.launch(config, dest, a, b, 32));
        add.prepare("PPPi");
        PlainC.compare("preparedCall", PlainC.Call.LAUNCH, () -> add.preparedCall(config, dest, a, b, 32));
        var invocation = add.invocation().set(0, dest).set(1, a).set(2, b).set(3, 32);
        PlainC.compare("Invocation", PlainC.Call.LAUNCH, () -> invocation.launch(config));
        PlainC.compare("Invocation, one set", PlainC.Call.LAUNCH, () -> invocation.set(3, 31).launch(config));
        var typed = module.kernel("add", AddArguments.class);
        PlainC.compare("Kernel of a record", PlainC.Call.LAUNCH, () -> typed.launch(config, new AddArguments(dest, a, b, 32)));
        PlainC.compare("memAlloc and close, 1 MB", PlainC.Call.ALLOCATE_FREE, () -> Driver.memAlloc(1 << 20).close());
        var pool = new DeviceMemoryPool();
        PlainC.compare("pool's allocate and close, 1 MB", PlainC.Call.ALLOCATE_FREE, () -> pool.allocate(1 << 20).close());
        copies();
        handlers(add);
    }
}
