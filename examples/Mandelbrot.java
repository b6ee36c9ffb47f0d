import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/**
 * Draw the Mandelbrot set in characters; the same program as mandelbrot.py. Its threads diverge, because each stops
 * on its own. Prints the time on the device and in plain Java.
 */
public class Mandelbrot {
    private static void inPlainJava(int[] steps, int width, int height, int limit) {
        for (int i = 0; i < steps.length; i++) {
            float cr = -2.2f + 3.2f * (i % width) / width, ci = -1.2f + 2.4f * (i / width) / height, zr = 0, zi = 0;
            for (steps[i] = 0; steps[i] < limit && zr * zr + zi * zi < 4; steps[i]++) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
            }
        }
    }

    public static void main(String[] args) {
        final int width = 78, height = 32, limit = 256;
        Autoinit.init();

        var mandelbrot = new SourceModule("""
            __global__ void mandelbrot(int *steps, int width, int height, int limit)
            {
              int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
              if (x >= width || y >= height) return;
              float cr = -2.2f + 3.2f * x / width, ci = -1.2f + 2.4f * y / height, zr = 0, zi = 0;
              int n = 0;
              while (n < limit && zr * zr + zi * zi < 4) {
                float t = zr * zr - zi * zi + cr;
                zi = 2 * zr * zi + ci;
                zr = t;
                ++n;
              }
              steps[y * width + x] = n;
            }
            """).function("mandelbrot");

        var steps = new int[height * width];
        long begin = 0, end = 0, hostEnd = 0;
        for (int i = 0; i < 2; i++) {  // the first launch includes costs that occur only once
            begin = System.nanoTime();
            mandelbrot.launch(Driver.block(16, 16).grid((width + 15) / 16, (height + 15) / 16),
                    Driver.out(steps), width, height, limit);
            end = System.nanoTime();
            inPlainJava(new int[steps.length], width, height, limit);
            hostEnd = System.nanoTime();
        }

        var shades = " .:-=+*%@#";
        for (int y = 0; y < height; y++) {
            var row = new StringBuilder();
            for (int x = 0; x < width; x++) {
                row.append(shades.charAt(Math.min(32 - Integer.numberOfLeadingZeros(steps[y * width + x]), 9)));
            }
            System.out.println(row);
        }
        System.out.printf("time of a run: %.2f ms on %s, %.2f ms in plain Java%n",
            (end - begin) * 1e-6, Autoinit.device().name(), (hostEnd - end) * 1e-6);
    }
}
