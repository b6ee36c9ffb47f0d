import static org.pycuda.DType.COMPLEX64;

import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.HostData;
import org.pycuda.compiler.SourceModule;

/**
 * Find three tones in noise with a fast Fourier transform, and compare it with the sum that defines the transform.
 * The same program as fft.py.
 */
public class Fft {
    private static final int N = 4096;
    private static final int[] TONES = {50, 440, 1200};

    /** The transform of a vector whose length is a power of two, on the device. */
    private static GPUArray fft(Function join, GPUArray x) {
        GPUArray to = GPUArray.emptyLike(x), spare = GPUArray.emptyLike(x);
        for (int width = 1; width < N; width *= 2) {
            join.launch(Driver.block(256).grid(Math.max(1, N / 512)), x, to, N, width);
            x = to;
            to = spare;
            spare = x;
        }
        return x;
    }

    public static void main(String[] args) {
        Autoinit.init();
        // Stockham's method: each pass combines transforms of `width` elements into transforms of twice as many, in order.
        var join = new SourceModule("""
            __global__ void join(const float2 *from, float2 *to, int n, int width)
            {
              int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % width;
              if (i >= n / 2) return;
              float2 a = from[i], b = from[i + n / 2];
              float c, s;
              sincospif(-(float)k / width, &s, &c);
              float2 turned = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
              float2 *out = to + 2 * i - k;
              out[0] = make_float2(a.x + turned.x, a.y + turned.y);
              out[width] = make_float2(a.x - turned.x, a.y - turned.y);
            }
            """).function("join");

        var random = new Random(2026);
        var signal = new float[2 * N];  // real and imaginary parts, alternating
        for (int i = 0; i < N; i++) {
            signal[2 * i] = (float) random.nextGaussian();
            for (int tone : TONES) {
                signal[2 * i] += (float) Math.sin(2 * Math.PI * tone * i / N);
            }
        }
        float[] spectrum = fft(join, GPUArray.toGpu(HostData.of(signal).as(COMPLEX64).shape(N))).getFloats();

        int[] strongest = IntStream.range(0, N / 2).boxed()
            .sorted(Comparator.comparingDouble(frequency -> -Math.hypot(spectrum[2 * frequency], spectrum[2 * frequency + 1])))
            .limit(TONES.length).sorted().mapToInt(frequency -> frequency).toArray();
        System.out.printf("strongest tones: %d %d %d%n", strongest[0], strongest[1], strongest[2]);

        double largest = 0, worst = 0;
        for (int frequency = 0; frequency < N; frequency += 10) {
            double real = 0, imaginary = 0;
            for (int i = 0; i < N; i++) {
                double angle = -2 * Math.PI * ((long) frequency * i % N) / N;
                real += signal[2 * i] * Math.cos(angle);
                imaginary += signal[2 * i] * Math.sin(angle);
            }
            largest = Math.max(largest, Math.hypot(real, imaginary));
            worst = Math.max(worst, Math.hypot(spectrum[2 * frequency] - real, spectrum[2 * frequency + 1] - imaginary));
        }
        System.out.printf("largest difference, relative: %.1e%n", worst / largest);
    }
}
