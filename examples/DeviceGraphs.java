import java.util.Arrays;
import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.Graph;
import org.pycuda.Stream;
import org.pycuda.compiler.DynamicSourceModule;
import org.pycuda.compiler.SourceModule;

/**
 * A graph on the device launches itself until a value is small enough, and then launches another graph; the host
 * launches only once. Prints the number of turns; on the CPU device, that kernels cannot launch graphs there. The
 * same program as device_graphs.py.
 */
public class DeviceGraphs {
    private static final int N = 32;
    private static final String SOURCE = """
        extern "C" {
        __global__ void halve(float *x) { x[threadIdx.x] *= 0.5f; }
        __global__ void negate(float *x) { x[threadIdx.x] = -x[threadIdx.x]; }

        // The graph that this kernel launches runs after the graph that contains the kernel has ended.
        __global__ void decide(const float *x, float limit, int *turns, cudaGraphExec_t after)
        {
          ++*turns;
          cudaGraphLaunch(x[0] > limit ? cudaGetCurrentGraphExec() : after, cudaStreamGraphTailLaunch);
        }
        }
        """;

    private static void run() {
        var values = new float[N];
        Arrays.fill(values, 1024);
        try (var module = new DynamicSourceModule(SOURCE, new SourceModule.Options().noExternC()); var stream = new Stream();
             var x = Driver.toDevice(values); var turns = Driver.toDevice(new int[1]); var last = new Graph(); var loop = new Graph()) {
            var block = Driver.block(N);
            last.kernel(module.function("negate"), block, x);
            try (var after = last.instantiate(stream, true)) {  // uploaded to the device, so that a kernel can launch it
                var step = loop.kernel(module.function("halve"), block, x);
                step.kernel(module.function("decide"), Driver.block(1), x, 1f, turns, after.handle());
                try (var again = loop.instantiate(stream, true)) {
                    again.launch(stream);
                    stream.synchronize();
                    System.out.printf("a graph launched itself: %d turns, %.0f%n", Driver.fromDevice(turns, 1, int[].class)[0],
                        Driver.fromDevice(x, N, float[].class)[0]);
                }
            }
        }
    }

    public static void main(String[] arguments) {
        Autoinit.init();
        try {
            run();
        } catch (Driver.Error error) {
            if (!Autoinit.device().name().contains("CPU")) {
                throw error;
            }
            System.out.println("no graph launched itself: " + error.getMessage());
        }
    }
}
