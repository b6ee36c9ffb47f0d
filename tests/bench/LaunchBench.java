import java.util.Arrays;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/**
 * Time of a launch, as launch_bench.cpp measures it: a kernel of three pointers and an int, one block of 32 threads, bursts of 20
 * launches after a synchronise, median of 300 bursts, microseconds a launch.
 */
public final class LaunchBench {
    private static final int BURST = 20;
    private static final int BURSTS = 300;
    /** Enough for the JVM's last compiler. */
    private static final int WARM_UP = 40000;

    private LaunchBench() {}

    private static void measure(String name, Runnable launch) {
        for (int i = 0; i < WARM_UP; i++) {
            launch.run();
            if (i % BURST == 0) {
                Context.synchronize();
            }
        }
        var times = new double[BURSTS];
        for (int burst = 0; burst < BURSTS; burst++) {
            Context.synchronize();
            long start = System.nanoTime();
            for (int i = 0; i < BURST; i++) {
                launch.run();
            }
            times[burst] = (System.nanoTime() - start) * 1e-3 / BURST;
        }
        Context.synchronize();
        Arrays.sort(times);
        System.out.printf("%-32s %8.3f%n", name, times[BURSTS / 2]);
    }

    public static void main(String[] arguments) {
        Autoinit.init();
        var module = new SourceModule("""
            __global__ void add(float *dest, const float *a, const float *b, int n)
            {
                int i = threadIdx.x;
                if (i < n) dest[i] = a[i] + b[i];
            }
            """);
        var add = module.getFunction("add");
        var a = Driver.memAlloc(128);
        var b = Driver.memAlloc(128);
        var dest = Driver.memAlloc(128);
        var config = Driver.block(32, 1, 1);
        measure("java launch", () -> add.launch(config, dest, a, b, 32));
        add.prepare("PPPi");
        measure("java preparedCall", () -> add.preparedCall(config, dest, a, b, 32));
        var invocation = add.invocation().set(0, dest).set(1, a).set(2, b).set(3, 32);
        measure("java Invocation", () -> invocation.launch(config));
        measure("java Invocation, one set", () -> invocation.set(3, 31).launch(config));
    }
}
