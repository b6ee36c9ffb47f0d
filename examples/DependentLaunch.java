import org.pycuda.Autoinit;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.LaunchAttribute;
import org.pycuda.LaunchConfig;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Programmatic dependent launch: the second kernel of each pair starts before the first has ended, prepares its
 * table, and only then waits for the first one's results. Prints the time of a chain of pairs with and without the
 * launch attribute, and the largest error. The same program as dependent_launch.py.
 */
public class DependentLaunch {
    private static final int N = 1 << 14, STEPS = 200;

    /** The chain of pairs; milliseconds. */
    private static double run(Function half, Function addRoot, LaunchConfig config, Stream stream, DeviceAllocation x, DeviceAllocation y) {
        Driver.memsetD32Async(x, 0, N, stream);
        Event start = new Event().record(stream), end = new Event();
        for (int step = 0; step < STEPS; step++) {
            half.launch(config, x, y);
            addRoot.launch(config, y, x);
        }
        end.record(stream).synchronize();
        return end.timeSince(start);
    }

    public static void main(String[] args) {
        Autoinit.init();
        var kernels = new SourceModule("""
            extern "C" {
            __global__ void half(const float *x, float *y)
            {
              // Lets the next kernel in the stream start. It waits before it reads results of this one.
              asm volatile("griddepcontrol.wait;" ::: "memory");
              asm volatile("griddepcontrol.launch_dependents;");
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              y[i] = 0.5f * x[i];
            }

            __global__ void add_root(const float *y, float *x)
            {
              __shared__ float table[256];
              float guess = 1;
              for (int step = 0; step < 30; ++step) guess = 0.5f * (guess + (threadIdx.x + 1) / guess);  // independent of the previous
              table[threadIdx.x] = guess;
              __syncthreads();
              asm volatile("griddepcontrol.wait;" ::: "memory");
              asm volatile("griddepcontrol.launch_dependents;");
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              x[i] = y[i] + table[i % 256];
            }
            }
            """, new SourceModule.Options().noExternC(true).options("-arch=sm_90"));
        var half = kernels.getFunction("half");
        var addRoot = kernels.getFunction("add_root");
        try (var stream = new Stream(); var x = Driver.memAlloc(4L * N); var y = Driver.memAlloc(4L * N)) {
            LaunchConfig config = Driver.block(256).grid(N / 256).stream(stream);
            LaunchConfig dependent = config.attribute(LaunchAttribute.PROGRAMMATIC_STREAM_SERIALIZATION, true);
            run(half, addRoot, config, stream, x, y);  // the first launch loads the kernels
            for (LaunchConfig each : new LaunchConfig[] {config, dependent}) {
                double milliseconds = run(half, addRoot, each, stream, x, y);
                double worst = 0;
                float[] values = Driver.fromDevice(x, N, float[].class);
                for (int i = 0; i < N; i++) {
                    worst = Math.max(worst, Math.abs(values[i] - 2 * Math.sqrt(i % 256 + 1)));
                }
                System.out.printf("%s: %.2f ms, largest error: %.1e%n", each == config ? "one after the other" : "dependent launches",
                    milliseconds, worst);
            }
        }
    }
}
