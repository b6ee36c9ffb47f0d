import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/**
 * Launches from Java next to the same in plain C (plain_driver.hpp, whose library the argument names), in one process: they take turns in
 * bursts of 20 calls after a synchronise; medians of 300 bursts, microseconds a call.
 */
public final class LaunchBench {
    private static final int BURST = 20;
    private static final int BURSTS = 300;
    /** Enough for the JVM's last compiler. */
    private static final int WARM_UP = 2000;

    private LaunchBench() {}

    private static native int plainOpen();

    private static native double plainLaunch(int count);

    private static native double plainAllocateFree(int count);

    private static double burst(Runnable call) {
        Context.synchronize();
        long start = System.nanoTime();
        for (int i = 0; i < BURST; i++) {
            call.run();
        }
        return (System.nanoTime() - start) * 1e-3 / BURST;
    }

    private static double median(double[] times) {
        double[] last = Arrays.copyOfRange(times, WARM_UP, times.length);
        Arrays.sort(last);
        return last[BURSTS / 2];
    }

    private static void compare(String name, IntToDoubleFunction plain, Runnable call) {
        var inC = new double[WARM_UP + BURSTS];
        var inJava = new double[WARM_UP + BURSTS];
        for (int n = 0; n < inC.length; n++) {
            inC[n] = plain.applyAsDouble(BURST);
            inJava[n] = burst(call);
        }
        double c = median(inC);
        double java = median(inJava);
        System.out.printf("%-34s %9.3f %9.3f %8.3f%n", name, c, java, java / c);
    }

    public static void main(String[] arguments) {
        System.load(arguments[0]);
        Autoinit.init();
        int result = plainOpen();
        if (result != 0) {
            throw new IllegalStateException("plain C: error " + result);
        }
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
        System.out.printf("%-34s %9s %9s %8s%n", "us a call", "plain C", "Java", "ratio");
        compare("launch", LaunchBench::plainLaunch, () -> add.launch(config, dest, a, b, 32));
        add.prepare("PPPi");
        compare("preparedCall", LaunchBench::plainLaunch, () -> add.preparedCall(config, dest, a, b, 32));
        var invocation = add.invocation().set(0, dest).set(1, a).set(2, b).set(3, 32);
        compare("Invocation", LaunchBench::plainLaunch, () -> invocation.launch(config));
        compare("Invocation, one set", LaunchBench::plainLaunch, () -> invocation.set(3, 31).launch(config));
        compare("memAlloc and close, 1 MB", LaunchBench::plainAllocateFree, () -> Driver.memAlloc(1 << 20).close());
    }
}
