package jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.pycuda.Autoinit;
import org.pycuda.DeviceAllocation;
import org.pycuda.DevicePointer;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.Invocation;
import org.pycuda.LaunchConfig;
import org.pycuda.TypedKernel;
import org.pycuda.compiler.SourceModule;

/** Calls that programs repeat, measured by JMH with its profilers: {@code ./dev bench-jmh -prof gc}. The queue of launches is emptied by its limit. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class Calls {
    /** The arguments of the kernel. */
    public record AddArguments(DevicePointer dest, DevicePointer a, DevicePointer b, int n) {}

    private final LaunchConfig config = Driver.block(32);
    private final float[] host = new float[400];
    private DeviceAllocation memory;
    private Function add;
    private Invocation invocation;
    private TypedKernel<AddArguments> typed;
    private GPUArray x;

    /** Makes the primary context current on the benchmark's thread. */
    @Setup
    public void start() {
        Autoinit.init();
        var module = new SourceModule("""
            __global__ void add(float *dest, const float *a, const float *b, int n)
            {
                int i = threadIdx.x;
                if (i < n) dest[i] = a[i] + b[i];
            }
            """);
        memory = Driver.toDevice(host);
        add = module.function("add").prepare("PPPi");
        invocation = add.invocation().set(0, memory).set(1, memory).set(2, memory).set(3, 32);
        typed = module.kernel("add", AddArguments.class);
        x = GPUArray.toGpu(host);
    }

    /** Frees the memory. */
    @TearDown
    public void end() {
        x.close();
        memory.close();
    }

    @Benchmark
    public void launch() {
        add.launch(config, memory, memory, memory, 32);
    }

    @Benchmark
    public void launchOfAnInvocation() {
        invocation.launch(config);
    }

    @Benchmark
    public void launchOfARecord() {
        typed.launch(config, new AddArguments(memory, memory, memory, 32));
    }

    @Benchmark
    public void copyOfAnArray() {
        Driver.memcpyHtod(memory, host);
    }

    @Benchmark
    public void sumOfArrays() {
        x.add(x).close();
    }
}
