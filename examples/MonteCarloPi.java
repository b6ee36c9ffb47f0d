import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.INT32;

import org.pycuda.Autoinit;
import org.pycuda.CuRandom;
import org.pycuda.ReductionKernel;

/**
 * Estimate pi from random points in a square: the share inside the quarter circle is pi / 4. The same program as
 * monte_carlo_pi.py.
 */
public class MonteCarloPi {
    public static void main(String[] args) {
        final int n = 1 << 20;
        Autoinit.init();
        CuRandom.seed(2026);
        var x = CuRandom.rand(FLOAT32, n);
        var y = CuRandom.rand(FLOAT32, n);

        // Integers: FLOAT32 cannot count beyond 2^24 one by one.
        var countInside = new ReductionKernel(INT32, "0", "a + b", "x[i] * x[i] + y[i] * y[i] < 1", "const float *x, const float *y");
        int inside = countInside.call(x, y).getInt();
        System.out.printf("pi is about %.4f%n", 4.0 * inside / n);
    }
}
