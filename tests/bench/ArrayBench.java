import java.util.Random;
import java.util.function.Supplier;
import org.pycuda.Autoinit;
import org.pycuda.CuMath;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.GPUArray;
import org.pycuda.Slice;

/** Operations on small arrays from Java, compared with a bare launch in plain C; the argument is its library. */
public final class ArrayBench {
    private static final int SIZE = 1024;

    private ArrayBench() {}

    private static GPUArray random(Random random) {
        var numbers = new float[SIZE];
        for (int i = 0; i < SIZE; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return GPUArray.toGpu(numbers);
    }

    /** A call whose result is closed immediately, as reference counts do in Python. */
    private static void compare(String name, Supplier<GPUArray> call) {
        PlainC.compare(name, PlainC.Call.LAUNCH, () -> call.get().close());
    }

    public static void main(String[] arguments) {
        Autoinit.init();
        PlainC.open(arguments[0]);
        var random = new Random(1);
        var a = random(random);
        var b = random(random);
        var pool = new DeviceMemoryPool();
        System.out.printf("%n%-34s %9s  %9s %7s%n", "us a call, 1,024 floats", "launch", "from Java", "ratio");  // columns are two spaces apart
        compare("a.add(b)", () -> a.add(b));
        PlainC.compare("a.addInPlace(b)", PlainC.Call.LAUNCH, () -> a.addInPlace(b));
        compare("a.mul(2.0)", () -> a.mul(2.0));
        compare("CuMath.sin(a)", () -> CuMath.sin(a));
        PlainC.compare("a.slice(10, 20).fill(0)", PlainC.Call.LAUNCH, () -> a.slice(Slice.of(10, 20)).fill(0));
        compare("a.sum()", a::sum);
        compare("a.gt(0)", () -> a.gt(0));
        PlainC.compare("pool.allocate(4096).close()", PlainC.Call.LAUNCH, () -> pool.allocate(4096).close());
        PlainC.compare("a.add(b), left to the collector", PlainC.Call.LAUNCH, () -> a.add(b));
    }
}
