import static org.pycuda.DType.FLOAT64;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.pycuda.ArrayScope;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.compiler.SourceModule;

/**
 * A membrane in a square frame, pressed at two places: Poisson's equation as a sparse system, solved by conjugate
 * gradients. Writes membrane.png, or the file named by the argument. Prints the relative residual, and the time of a
 * matrix-vector product on the device and in plain Java. The same program as conjugate_gradient.py.
 */
public class ConjugateGradient {
    private static final int SIZE = 48, N = SIZE * SIZE;

    /** Compressed sparse rows: row r has the values from starts[r] up to starts[r + 1], in the columns at the same indices. */
    private record Matrix(Function multiply, GPUArray starts, GPUArray columns, GPUArray values) {
        GPUArray times(GPUArray x) {
            var y = GPUArray.emptyLike(x);
            multiply.launch(Driver.block(128).grid((N + 127) / 128), starts, columns, values, x, y, N);
            return y;
        }
    }

    /** 4 for each point, -1 for each of its neighbours inside the frame. */
    private static Matrix laplace() {
        var multiply = new SourceModule("""
            __global__ void multiply(const int *starts, const int *columns, const double *values, const double *x, double *y, int rows)
            {
              int row = blockIdx.x * blockDim.x + threadIdx.x;
              if (row >= rows) return;
              double sum = 0;
              for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
              y[row] = sum;
            }
            """).function("multiply");
        int[] starts = new int[N + 1], columns = new int[5 * N - 4 * SIZE];
        var values = new double[columns.length];
        int count = 0;
        for (int row = 0; row < N; row++) {
            int[][] neighbours = {{0, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, 0}};
            for (int[] step : neighbours) {
                int y = row / SIZE + step[0], x = row % SIZE + step[1];
                if (y >= 0 && y < SIZE && x >= 0 && x < SIZE) {
                    columns[count] = y * SIZE + x;
                    values[count++] = columns[count - 1] == row ? 4 : -1;
                }
            }
            starts[row + 1] = count;
        }
        return new Matrix(multiply, GPUArray.toGpu(starts), GPUArray.toGpu(columns), GPUArray.toGpu(values));
    }

    private static double[] inPlainJava(int[] starts, int[] columns, double[] values, double[] x) {
        var y = new double[N];
        for (int row = 0; row < N; row++) {
            for (int i = starts[row]; i < starts[row + 1]; i++) {
                y[row] += values[i] * x[columns[i]];
            }
        }
        return y;
    }

    private static double dot(GPUArray a, GPUArray b) {
        return a.dot(b).getDouble();
    }

    public static void main(String[] args) throws IOException {
        Autoinit.init();
        Matrix matrix = laplace();
        var b = GPUArray.zeros(FLOAT64, N);
        b.reshape(SIZE, SIZE).at(SIZE / 3, SIZE / 3).fill(1);
        b.reshape(SIZE, SIZE).at(2 * SIZE / 3, 2 * SIZE / 3).fill(1);
        GPUArray x = GPUArray.zerosLike(b), residual = b.copy(), direction = b.copy();
        double squared = dot(residual, residual), enough = 1e-20 * squared;

        int steps = 0;
        for (; squared > enough && steps < N; steps++) {
            try (var scope = new ArrayScope()) {  // gives the memory of the step's arrays back
                var image = matrix.times(direction);
                double alpha = squared / dot(direction, image);
                x.addInPlace(direction.mul(alpha));
                residual.subInPlace(image.mul(alpha));
                double before = squared;
                squared = dot(residual, residual);
                direction.set(direction.mul(squared / before).add(residual));
            }
        }

        var picture = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_BYTE_GRAY);
        picture.getRaster().setDataElements(0, 0, SIZE, SIZE, x.mul(255 / x.max().getDouble()).astype(DType.UINT8).getBytes());
        var file = new File(args.length > 0 ? args[0] : "membrane.png");
        ImageIO.write(picture, "png", file);
        System.out.println("wrote " + file);
        var wrong = b.sub(matrix.times(x));
        System.out.printf("relative residual after %d steps: %.1e%n", steps, Math.sqrt(dot(wrong, wrong) / dot(b, b)));

        long begin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            matrix.times(x).close();
        }
        Context.synchronize();
        long end = System.nanoTime();
        int[] starts = matrix.starts().getInts(), columns = matrix.columns().getInts();
        double[] values = matrix.values().getDoubles(), onHost = x.getDoubles();
        long hostBegin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            inPlainJava(starts, columns, values, onHost);
        }
        long hostEnd = System.nanoTime();
        System.out.printf("time of a product: %.2f ms on %s, %.2f ms in plain Java%n",
            (end - begin) * 1e-8, Autoinit.device().name(), (hostEnd - hostBegin) * 1e-8);
    }
}
