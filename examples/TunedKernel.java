import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.compiler.SourceModule;

/**
 * Generate CUDA code at run time: a template is filled in for an element type, a block size and a number of elements
 * per thread. Each variant is compiled, checked and timed, and the fastest wins. The same program as tuned_kernel.py.
 */
public class TunedKernel {
    private static final int N = 1 << 18;
    private static final DType TYPE = DType.FLOAT32;

    private static final String TEMPLATE = """
        __global__ void add(%1$s *sum, const %1$s *a, const %1$s *b)
        {
          int i = blockIdx.x * %2$d * %3$d + threadIdx.x;
        %4$s
        }
        """;

    private static Function addKernel(int threads, int elements) {
        String statements = IntStream.range(0, elements).map(k -> k * threads)
            .mapToObj(k -> "  sum[i + %1$d] = a[i + %1$d] + b[i + %1$d];".formatted(k)).collect(Collectors.joining("\n"));
        return new SourceModule(TEMPLATE.formatted(TYPE.ctype(), threads, elements, statements)).function("add");
    }

    public static void main(String[] args) {
        Autoinit.init();
        GPUArray a = GPUArray.arange(TYPE, N), b = a.div(N).add(1), sum = GPUArray.emptyLike(a);
        float[] expected = a.add(b).getFloats();

        double least = Double.POSITIVE_INFINITY;
        String fastest = null;
        for (int threads : new int[] {64, 256}) {
            for (int elements : new int[] {1, 2, 4}) {
                var add = addKernel(threads, elements);
                var config = Driver.block(threads).grid(N / (threads * elements));
                add.launch(config, sum, a, b);
                Event start = new Event().record();
                for (int i = 0; i < 10; i++) {
                    add.launch(config, sum, a, b);
                }
                Event end = new Event().record().synchronize();
                if (!Arrays.equals(sum.getFloats(), expected)) {
                    throw new AssertionError("wrong sums");
                }
                double milliseconds = end.timeSince(start) / 10;
                String variant = "%4d threads per block, %d elements per thread".formatted(threads, elements);
                System.out.printf("%s: %.3f ms%n", variant, milliseconds);
                fastest = milliseconds < least ? variant : fastest;
                least = Math.min(least, milliseconds);
            }
        }
        System.out.println("fastest: " + fastest.trim());
    }
}
