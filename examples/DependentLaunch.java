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
 * Programmatic dependent launch: the second kernel of each pair starts before the first has ended, computes its
 * table, and only then waits for the first one's results. Prints the time of a chain of pairs without and with the
 * launch attribute, and the largest error. On a GPU the chain takes about half as long with the attribute. The same
 * program as dependent_launch.py.
 */
public class DependentLaunch {
    private static final int N = 1 << 13, PAIRS = 20;

    /** The chain of pairs; milliseconds. */
    private static double run(Function root, Function addRoot, LaunchConfig config, Stream stream, DeviceAllocation x, DeviceAllocation y) {
        Driver.memsetD32Async(x, 0, N, stream);
        Event start = new Event().record(stream), end = new Event();
        for (int pair = 0; pair < PAIRS; pair++) {
            root.launch(config, x, y);
            addRoot.launch(config, y, x);
        }
        end.record(stream).synchronize();
        return end.timeSince(start);
    }

    public static void main(String[] args) {
        Autoinit.init();
        var kernels = new SourceModule("""
            extern "C" {
            __device__ float root_of(float x)  // by Newton's method, with far more steps than it needs: a kernel that takes 15 us
            {
              float guess = 1;
              for (int step = 0; step < 500; ++step) guess = 0.5f * (guess + x / guess);
              return guess;
            }

            __global__ void root(const float *x, float *y)
            {
              asm volatile("griddepcontrol.wait;" ::: "memory");
              asm volatile("griddepcontrol.launch_dependents;");  // the next kernel in the stream may start
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              y[i] = root_of(x[i] + 1);
            }

            __global__ void add_root(const float *y, float *x)
            {
              float table = root_of(threadIdx.x + 1);  // needs nothing of the previous kernel, and runs beside it
              asm volatile("griddepcontrol.wait;" ::: "memory");
              asm volatile("griddepcontrol.launch_dependents;");
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              x[i] = y[i] + table;
            }
            }
            """, new SourceModule.Options().noExternC().options("-arch=sm_90"));
        var root = kernels.function("root");
        var addRoot = kernels.function("add_root");
        try (var stream = new Stream(); var x = Driver.memAlloc(4L * N); var y = Driver.memAlloc(4L * N)) {
            LaunchConfig config = Driver.block(256).grid(N / 256).stream(stream);
            LaunchConfig dependent = config.attribute(LaunchAttribute.PROGRAMMATIC_STREAM_SERIALIZATION, true);
            run(root, addRoot, config, stream, x, y);  // the first launch loads the kernels
            for (LaunchConfig each : new LaunchConfig[] {config, dependent}) {
                double milliseconds = run(root, addRoot, each, stream, x, y);
                double worst = 0;
                float[] values = Driver.fromDevice(x, N, float[].class);
                for (int i = 0; i < N; i++) {
                    worst = Math.max(worst, Math.abs(values[i] - Math.pow(0.5 + Math.sqrt(1.25 + Math.sqrt(i % 256 + 1)), 2) + 1));
                }
                System.out.printf("%s: %.2f ms, largest error: %.1e%n", each == config ? "one after the other" : "dependent launches",
                    milliseconds, worst);
            }
        }
    }
}
