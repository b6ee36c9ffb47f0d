import static org.pycuda.DType.FLOAT32;

import java.nio.FloatBuffer;
import java.util.Random;
import org.pycuda.Autoinit;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Overlap copies with computation: while one piece of the data is computed, another stream copies the next one to the
 * device and the previous one back. Prints the time with one stream and with several, and the largest error. The same
 * program as overlap_copies.py.
 */
public class OverlapCopies {
    private static final int PIECES = 8, PIECE = 1 << 16, STREAMS = 3;

    /** All pieces, in turn on each of {@code count} streams; milliseconds. */
    private static double run(Function root, FloatBuffer source, FloatBuffer result, int count) {
        var streams = new Stream[count];
        var memory = new DeviceAllocation[count];
        for (int i = 0; i < count; i++) {
            streams[i] = new Stream();
            memory[i] = Driver.memAlloc(4L * PIECE);
        }
        Event start = new Event().record(), end = new Event();
        for (int i = 0; i < PIECES; i++) {
            var stream = streams[i % count];
            var piece = memory[i % count];
            Driver.memcpyHtodAsync(piece, source.slice(i * PIECE, PIECE), stream);
            root.launch(Driver.block(256).grid(PIECE / 256).stream(stream), piece, PIECE);
            Driver.memcpyDtohAsync(result.slice(i * PIECE, PIECE), piece, stream);
        }
        end.record().synchronize();  // on the default stream, which waits for the others
        for (int i = 0; i < count; i++) {
            streams[i].close();
            memory[i].close();
        }
        return end.timeSince(start);
    }

    public static void main(String[] args) {
        Autoinit.init();
        var root = new SourceModule("""
            __global__ void root(float *x, int n)
            {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i >= n) return;
              float guess = x[i];
              for (int step = 0; step < 20; ++step) guess = 0.5f * (guess + x[i] / guess);  // Newton's square root
              x[i] = guess;
            }
            """).function("root");

        // Only page-locked memory is copied asynchronously.
        FloatBuffer source = Driver.pagelockedEmpty(FLOAT32, PIECES * PIECE).asFloatBuffer();
        FloatBuffer result = Driver.pagelockedEmpty(FLOAT32, PIECES * PIECE).asFloatBuffer();
        var random = new Random(2026);
        for (int i = 0; i < source.capacity(); i++) {
            source.put(i, 1 + 99 * random.nextFloat());
        }

        run(root, source, result, 1);  // the first launch loads the kernel
        for (int count : new int[] {1, STREAMS}) {
            double milliseconds = run(root, source, result, count);
            System.out.printf("%d stream%s: %.2f ms%n", count, count > 1 ? "s" : "", milliseconds);
        }
        if (Autoinit.device().name().contains("CPU")) {
            System.out.println("on the CPU device, copies and kernels share the processor's cores: several streams gain little");
        }
        double worst = 0;
        for (int i = 0; i < source.capacity(); i++) {
            worst = Math.max(worst, Math.abs(result.get(i) - Math.sqrt(source.get(i))));
        }
        System.out.printf("largest error: %.1e%n", worst);
    }
}
