import org.pycuda.Autoinit;
import org.pycuda.CuMath;
import org.pycuda.DType;
import org.pycuda.Event;
import org.pycuda.FusedFunction;
import org.pycuda.GPUArray;

import java.util.Arrays;
import java.util.Random;
import java.util.function.Supplier;

/** A formula of arrays in one kernel: the price of options by Black and Scholes, as separate operations and fused. */
public class Fused {
    static final int N = 100_000;
    static final double RATE = 0.03;
    static final double VOLATILITY = 0.25;

    static GPUArray normal(GPUArray x) {
        return CuMath.erf(x.mul(Math.sqrt(0.5))).add(1).mul(0.5);
    }

    static GPUArray price(GPUArray spot, GPUArray strike, GPUArray years) {
        GPUArray spread = CuMath.sqrt(years).mul(VOLATILITY);
        GPUArray d = CuMath.log(spot.div(strike)).add(years.mul(RATE + VOLATILITY * VOLATILITY / 2)).div(spread);
        return spot.mul(normal(d)).sub(strike.mul(CuMath.exp(years.mul(-RATE))).mul(normal(d.sub(spread))));
    }

    static GPUArray uniform(Random random, float low, float high) {
        float[] values = new float[N];
        for (int i = 0; i < N; i++) {
            values[i] = low + (high - low) * random.nextFloat();
        }
        return GPUArray.toGpu(values);
    }

    static float milliseconds(Supplier<GPUArray> run) {
        run.get();
        try (Event start = new Event(); Event end = new Event()) {
            start.record();
            run.get();
            end.record();
            end.synchronize();
            return end.timeSince(start);
        }
    }

    public static void main(String[] args) {
        Autoinit.init();
        Random random = new Random(1);
        GPUArray spot = uniform(random, 10, 50);
        GPUArray strike = uniform(random, 10, 50);
        GPUArray years = uniform(random, 0.2f, 2);
        FusedFunction fused = GPUArray.fuse(3, a -> price(a[0], a[1], a[2]));
        GPUArray together = fused.apply(spot, strike, years);
        if (!Arrays.equals(price(spot, strike, years).getFloats(), together.getFloats())) {
            throw new AssertionError("the fused function has other results");
        }
        System.out.printf("separate operations: %.3f ms, fused: %.3f ms%n", milliseconds(() -> price(spot, strike, years)),
                milliseconds(() -> fused.apply(spot, strike, years)));
        System.out.printf("mean price: %.2f%n", together.mean().getDouble());
    }
}
