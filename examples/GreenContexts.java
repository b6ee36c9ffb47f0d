import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.pycuda.Autoprimaryctx;
import org.pycuda.Context;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.GreenContext;
import org.pycuda.SMResource;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Keep a large job from delaying a small one: each gets its own streaming multiprocessors (SMs), in a green context.
 * Prints how the SMs are divided, and the time of the small job beside the large one, on shared SMs and on its own.
 * The same program as green_contexts.py.
 */
public class GreenContexts {
    private static final int BLOCKS = 2000, TURNS = 2000, SMALL = 4;

    /** Milliseconds of the small job, which comes when the large one runs. */
    private static double latency(Function spin, DeviceAllocation large, DeviceAllocation small, Stream forLarge, Stream forSmall) {
        try (var start = new Event(); var end = new Event()) {
            spin.launch(Driver.block(128).grid(BLOCKS).stream(forLarge), large, TURNS);
            start.record(forSmall);
            spin.launch(Driver.block(128).grid(SMALL).stream(forSmall), small, TURNS);
            end.record(forSmall);
            Context.synchronize();
            return end.timeSince(start);
        }
    }

    public static void main(String[] args) {
        Autoprimaryctx.init();
        var spin = new SourceModule("""
            __global__ void spin(unsigned *x, int turns)
            {
              unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
              for (int i = 0; i < turns; ++i) v = v * 1664525u + 1013904223u;
              x[blockIdx.x * blockDim.x + threadIdx.x] = v;
            }
            """).function("spin");
        var all = new SMResource(Context.device());
        List<SMResource> groups = all.split(Math.max(1, all.smCount() / 4), 1);
        String parts = groups.stream().map(group -> String.valueOf(group.smCount())).collect(Collectors.joining(" and "));
        System.out.printf("%d SMs: %s%n", all.smCount(), parts);
        try (var large = Driver.memAlloc(4L * 128 * BLOCKS); var small = Driver.memAlloc(4L * 128 * SMALL);
                var one = new Stream(); var other = new Stream();
                var forSmall = new GreenContext(groups.subList(0, 1));
                var forLarge = new GreenContext(groups.subList(groups.size() - 1, groups.size()));
                var ownSmall = forSmall.createStream(); var ownLarge = forLarge.createStream()) {
            double shared = latency(spin, large, small, one, other);
            double own = latency(spin, large, small, ownLarge, ownSmall);
            System.out.printf("the small job takes %.2f ms on shared SMs, %.2f ms on its own%n", shared, own);
            int[] first = Driver.fromDevice(small, 128 * SMALL, int[].class);
            System.out.println("same results: " + Arrays.equals(first, Driver.fromDevice(large, 128 * SMALL, int[].class)));
        }
    }
}
