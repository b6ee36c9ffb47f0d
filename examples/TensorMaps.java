import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.TensorMap;
import org.pycuda.compiler.SourceModule;

/**
 * Blur an image in tiles: one instruction copies a tile with its neighbours, and the tensor map makes the copy return
 * zeros outside the image. Needs compute capability 9.0, or the CPU device. Prints the largest difference from the
 * host's result. The same program as tensor_map.py.
 */
public class TensorMaps {
    private static final int HEIGHT = 300, WIDTH = 400, TILE = 32;

    public static void main(String[] args) {
        Autoinit.init();
        var blur = new SourceModule("""
            struct alignas(64) TensorMap { unsigned long long words[16]; };

            #define TILE 32
            #define PAD 4  // a neighbour on each side, in whole 16 bytes
            #define BOX (TILE + 2 * PAD)

            __global__ void blur(const __grid_constant__ TensorMap image, float *out, int height, int width)
            {
              __shared__ alignas(128) float tile[TILE + 2][BOX];
              __shared__ alignas(8) unsigned long long arrived;
              unsigned barrier = (unsigned) __cvta_generic_to_shared(&arrived), place = (unsigned) __cvta_generic_to_shared(tile);
              int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
              if (threadIdx.x == 0 && threadIdx.y == 0) {
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier) : "memory");
                asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"((int) sizeof tile) : "memory");
                asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                             :: "r"(place), "l"(&image), "r"(x - PAD), "r"(y - 1), "r"(barrier) : "memory");
              }
              __syncthreads();
              unsigned done = 0;
              while (!done)
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                             : "=r"(done) : "r"(barrier) : "memory");
              for (int row = threadIdx.y; row < TILE && y + row < height; row += blockDim.y) {
                float sum = 0;
                for (int i = 0; i < 3; ++i)
                  for (int k = 0; k < 3; ++k) sum += tile[row + i][threadIdx.x + k + PAD - 1];
                if (x + threadIdx.x < width) out[(y + row) * width + x + threadIdx.x] = sum / 9;
              }
            }
            """).function("blur");
        var pixels = new float[HEIGHT * WIDTH];
        var random = new java.util.Random(1);
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = random.nextFloat();
        }
        try (var image = GPUArray.toGpu(pixels).reshape(HEIGHT, WIDTH); var out = GPUArray.zeros(DType.FLOAT32, HEIGHT, WIDTH)) {
            var tiles = TensorMap.tiled(image, TILE + 2, TILE + 8);
            blur.launch(Driver.block(TILE, 4, 1).grid((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE), tiles, out, HEIGHT, WIDTH);
            float[] result = out.ravel().get(float[].class);
            float difference = 0;
            for (int i = 0; i < result.length; i++) {
                difference = Math.max(difference, Math.abs(result[i] - mean(pixels, i / WIDTH, i % WIDTH)));
            }
            System.out.println("tiles: " + tiles);
            System.out.printf("largest difference: %.1e%n", difference);
        }
    }

    /** Of a pixel and its neighbours, of which those outside the image are zero. */
    private static float mean(float[] pixels, int y, int x) {
        float sum = 0;
        for (int i = Math.max(y - 1, 0); i <= Math.min(y + 1, HEIGHT - 1); i++) {
            for (int k = Math.max(x - 1, 0); k <= Math.min(x + 1, WIDTH - 1); k++) {
                sum += pixels[i * WIDTH + k];
            }
        }
        return sum / 9;
    }
}
