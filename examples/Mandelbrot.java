import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/** Draw the Mandelbrot set in characters; the same program as mandelbrot.py. Threads diverge: each stops on its own. */
public class Mandelbrot {
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
            """).getFunction("mandelbrot");

        var steps = new int[height * width];
        mandelbrot.launch(Driver.block(16, 16).grid((width + 15) / 16, (height + 15) / 16),
                Driver.out(steps), width, height, limit);

        var shades = " .:-=+*%@#";
        for (int y = 0; y < height; y++) {
            var row = new StringBuilder();
            for (int x = 0; x < width; x++) {
                row.append(shades.charAt(Math.min(32 - Integer.numberOfLeadingZeros(steps[y * width + x]), 9)));
            }
            System.out.println(row);
        }
    }
}
