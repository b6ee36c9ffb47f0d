import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.INT32;

import java.util.Random;
import org.pycuda.ArrayScope;
import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.HostData;
import org.pycuda.compiler.SourceModule;

/**
 * Group points around k centres by k-means. Prints how far the found centres are from the true ones. The same program
 * as kmeans.py.
 */
public class KMeans {
    private static final float[][] TRUE_CENTRES = {{0, 0}, {8, 1}, {1, 9}, {9, 9}};
    private static final int N = 20_000, STEPS = 20, K = TRUE_CENTRES.length;

    /** The distance of a point from the nearest centre; coordinates of the centres follow each other. */
    private static double nearest(float x, float y, float[] centres, int count) {
        double least = Double.POSITIVE_INFINITY;
        for (int c = 0; c < count; c++) {
            least = Math.min(least, Math.hypot(x - centres[2 * c], y - centres[2 * c + 1]));
        }
        return least;
    }

    /** A point, then always the point that is farthest from the centres there are. */
    private static float[] firstCentres(float[] points) {
        var centres = new float[2 * K];
        for (int count = 0; count < K; count++) {
            int chosen = 0;
            double farthest = 0;
            for (int i = 0; i < N; i++) {
                double distance = nearest(points[2 * i], points[2 * i + 1], centres, count);
                if (count > 0 && distance > farthest) {
                    farthest = distance;
                    chosen = i;
                }
            }
            System.arraycopy(points, 2 * chosen, centres, 2 * count, 2);
        }
        return centres;
    }

    public static void main(String[] args) {
        Autoinit.init();
        var random = new Random(2026);
        var host = new float[2 * N];
        for (int i = 0; i < N; i++) {
            float[] centre = TRUE_CENTRES[random.nextInt(K)];
            host[2 * i] = (float) (centre[0] + random.nextGaussian());
            host[2 * i + 1] = (float) (centre[1] + random.nextGaussian());
        }

        var assign = new SourceModule("""
            // The nearest centre of each point, and the sums and counts of each centre's points.
            __global__ void assign(const float2 *points, int n, const float2 *centres, int k, float *sums, int *counts)
            {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i >= n) return;
              float2 p = points[i];
              int nearest = 0;
              float least = INFINITY;
              for (int c = 0; c < k; ++c) {
                float dx = p.x - centres[c].x, dy = p.y - centres[c].y, distance = dx * dx + dy * dy;
                if (distance < least) { least = distance; nearest = c; }
              }
              atomicAdd(&sums[2 * nearest], p.x);
              atomicAdd(&sums[2 * nearest + 1], p.y);
              atomicAdd(&counts[nearest], 1);
            }
            """).function("assign");

        var points = GPUArray.toGpu(HostData.of(host).shape(N, 2));
        var centres = GPUArray.toGpu(HostData.of(firstCentres(host)).shape(K, 2));
        for (int step = 0; step < STEPS; step++) {
            try (var scope = new ArrayScope()) {  // gives the memory of the step's arrays back
                var sums = GPUArray.zeros(FLOAT32, K, 2);
                var counts = GPUArray.zeros(INT32, K, 1);
                assign.launch(Driver.block(256).grid((N + 255) / 256), points, N, centres, K, sums, counts);
                centres.set(sums.div(counts.maximum(GPUArray.onesLike(counts)).astype(FLOAT32)));
            }
        }

        double error = 0;
        for (float[] centre : TRUE_CENTRES) {
            error = Math.max(error, nearest(centre[0], centre[1], centres.getFloats(), K));
        }
        System.out.printf("largest distance of a true centre from the nearest found one: %.3f%n", error);
    }
}
