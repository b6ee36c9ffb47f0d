import org.pycuda.Autoinit;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.MemAllocationHandleType;
import org.pycuda.MemLocationType;
import org.pycuda.MemPoolAttribute;
import org.pycuda.Stream;
import org.pycuda.StreamOrderedPool;
import org.pycuda.compiler.SourceModule;

/**
 * Stream-ordered memory from the driver's pools: with a release threshold a pool keeps freed memory, which makes
 * allocating cheap. Prints the time of allocations without and with a threshold, the memory that the pool holds, and
 * the largest error. The same program as driver_pools.py.
 */
public class DriverPools {
    private static final int N = 1 << 18, STEPS = 200;

    /** Steps that need memory of their own; milliseconds. */
    private static double run(StreamOrderedPool pool, Function add, DeviceAllocation sums, Stream stream) {
        long start = System.nanoTime();
        for (int step = 0; step < STEPS; step++) {
            var scratch = pool.allocate(4L * N, stream);
            Driver.memsetD32Async(scratch, Float.floatToIntBits(1), N, stream);
            add.launch(Driver.block(256).grid(N / 256).stream(stream), sums, scratch, N);
            scratch.freeAsync(stream);  // after the kernel; no thread waits
            stream.synchronize();  // without a threshold the pool then gives everything back
        }
        return 1e-6 * (System.nanoTime() - start);
    }

    public static void main(String[] args) {
        Autoinit.init();
        var add = new SourceModule("""
            __global__ void add(float *x, const float *y, int n)
            {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) x[i] += y[i];
            }
            """).function("add");
        try (var stream = new Stream(); var sums = Driver.toDevice(new float[N]);
                var pool = new StreamOrderedPool(MemLocationType.DEVICE, -1, 1 << 28, MemAllocationHandleType.NONE)) {
            run(pool, add, sums, stream);  // the first launch loads the kernel
            double without = run(pool, add, sums, stream);
            pool.setAttribute(MemPoolAttribute.RELEASE_THRESHOLD, 1 << 26);
            System.out.printf("memory given back each time: %.1f ms, kept: %.1f ms%n", without, run(pool, add, sums, stream));
            System.out.printf("the pool holds %d KiB%n", pool.attribute(MemPoolAttribute.RESERVED_MEM_CURRENT) >> 10);
            pool.trim();
            double worst = 0;
            for (float value : Driver.fromDevice(sums, N, float[].class)) {
                worst = Math.max(worst, Math.abs(value - 3 * STEPS));
            }
            System.out.printf("largest error: %.1e%n", worst);
        }
    }
}
