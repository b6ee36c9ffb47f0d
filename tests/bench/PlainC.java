import java.util.Arrays;
import org.pycuda.Context;

/**
 * Calls from Java next to the same in plain C (plain_driver.hpp), in one process: they take turns in bursts of 20 calls after a
 * synchronise; medians of 300 bursts, microseconds a call.
 */
final class PlainC {
    private static final int BURST = 20;
    private static final int BURSTS = 300;
    /** Enough calls for the JVM's optimising compiler. */
    private static final int WARM_UP = 2000;

    private PlainC() {}

    /** The calls of plain_driver.hpp. */
    enum Call { LAUNCH, ALLOCATE_FREE, COPY, COPY_PINNED, COPY_LARGE, COPY_LARGE_PINNED, IN_OUT, IN_OUT_PINNED }

    private static native int plainOpen();

    private static native double plainCall(int call, int count);

    /** Prepares the calls in the current context. */
    static void open(String library) {
        System.load(library);
        int result = plainOpen();
        if (result != 0) {
            throw new IllegalStateException("plain C: error " + result);
        }
    }

    private static double burst(int calls, Runnable call) {
        Context.synchronize();
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            call.run();
        }
        return (System.nanoTime() - start) * 1e-3 / calls;
    }

    private static double median(double[] times, int warmUp) {
        double[] last = Arrays.copyOfRange(times, warmUp, times.length);
        Arrays.sort(last);
        return last[last.length / 2];
    }

    static void compare(String name, Call plain, Runnable call) {
        compare(name, plain, BURST, BURSTS, WARM_UP, call);
    }

    /** The number of bursts, and of calls in each, for slow calls. */
    static void compareLong(String name, Call plain, Runnable call) {
        compare(name, plain, 2, 40, 20, call);
    }

    private static void compare(String name, Call plain, int calls, int bursts, int warmUp, Runnable call) {
        var inC = new double[warmUp + bursts];
        var inJava = new double[warmUp + bursts];
        for (int n = 0; n < inC.length; n++) {
            inC[n] = plainCall(plain.ordinal(), calls);
            inJava[n] = burst(calls, call);
        }
        double c = median(inC, warmUp);
        double java = median(inJava, warmUp);
        System.out.printf("%-34s %9.3f %9.3f %8.3f%n", name, c, java, java / c);
    }
}
