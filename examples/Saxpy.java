import static org.pycuda.DType.FLOAT32;

import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.ElementwiseKernel;
import org.pycuda.GPUArray;
import org.pycuda.compiler.SourceModule;

/**
 * Compute y = a x + y in three ways: with arrays, with an elementwise kernel and with a CUDA kernel. Prints the
 * largest difference from the host's result. The same program as saxpy.py.
 */
public class Saxpy {
    public static void main(String[] args) {
        final float a = 2.5f;
        final int n = 100_000;
        Autoinit.init();
        var x = GPUArray.arange(FLOAT32, n).div(n);
        var y = GPUArray.ones(FLOAT32, n);

        var fromArrays = x.mul(a).add(y);

        var saxpy = new ElementwiseKernel("float a, const float *x, float *y", "y[i] = a * x[i] + y[i]");
        var fromElementwise = y.copy();
        saxpy.call(a, x, fromElementwise);

        var kernel = new SourceModule("""
            __global__ void saxpy(float a, const float *x, float *y, int n)
            {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) y[i] = a * x[i] + y[i];
            }
            """).function("saxpy");
        var fromCuda = y.copy();
        kernel.launch(Driver.block(256).grid((n + 255) / 256), a, x, fromCuda, n);

        double worst = 0;
        for (var result : new GPUArray[] {fromArrays, fromElementwise, fromCuda}) {
            float[] numbers = result.getFloats();
            for (int i = 0; i < n; i++) {
                worst = Math.max(worst, Math.abs(numbers[i] - (a * ((double) i / n) + 1)));
            }
        }
        System.out.printf("largest difference: %.1e%n", worst);
    }
}
