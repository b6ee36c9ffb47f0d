package org.pycuda;

import java.util.Arrays;
import java.util.Locale;
import org.pycuda.compiler.SourceModule;

/** {@code java -jar pycuda.jar --benchmark}: how long frequent calls take on this machine, on one line for a report. */
final class Benchmark {
    private static final int WARM_UP = 10;
    private static final int BURSTS = 7;
    private static final int CALLS = 200;
    private static final int ELEMENTS = 1024;
    private static final double NANOSECONDS = 1e-3;

    private Benchmark() {}

    /** The median time of a call in bursts, in microseconds, without what the device does afterwards. */
    private static double microseconds(Runnable call) {
        var times = new double[BURSTS];
        for (int burst = -WARM_UP; burst < BURSTS; burst++) {
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                call.run();
            }
            times[Math.max(burst, 0)] = NANOSECONDS * (System.nanoTime() - start) / CALLS;
            Context.synchronize();
        }
        Arrays.sort(times);
        return times[BURSTS / 2];
    }

    /** Measures a launch, a copy and an array operation on the first device. */
    static String line() {
        Autoinit.init();
        var nothing = new SourceModule("__global__ void nothing(float *x, const float *y, const float *z, int n) {}").function("nothing");
        var host = new float[400];
        LaunchConfig shape = Driver.block(1);
        try (var a = GPUArray.zeros(DType.FLOAT32, ELEMENTS); var b = GPUArray.zeros(DType.FLOAT32, ELEMENTS)) {
            double launch = microseconds(() -> nothing.launch(shape, a, a, b, ELEMENTS));
            double copy = microseconds(() -> Driver.memcpyHtod(a, host));
            double sum = microseconds(() -> a.add(b).close());
            int version = Driver.driverVersion();
            return String.format(Locale.ROOT,
                "benchmark: launch %.2f us, copy of %,d bytes %.2f us, a + b of %,d floats %.2f us; %s, CUDA %d.%d, Java %s, pycuda %s",
                launch, 4 * host.length, copy, ELEMENTS, sum, Autoinit.device().name(), version / 1000, version % 1000 / 10,
                System.getProperty("java.version"), Driver.VERSION_TEXT);
        }
    }
}
