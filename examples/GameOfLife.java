import static org.pycuda.DType.INT32;
import static org.pycuda.DType.UINT8;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.HostData;
import org.pycuda.compiler.SourceModule;

/**
 * Conway's game of life: Gosper's gun fires a glider every 30 generations. Writes life.png, or the file named by the
 * argument. Prints the number of living cells (36 in the gun and 5 in each glider), and the time of a generation on
 * the device and in plain Java. The same program as game_of_life.py.
 */
public class GameOfLife {
    private static final String GUN = """
        ........................O...........
        ......................O.O...........
        ............OO......OO............OO
        ...........O...O....OO............OO
        OO........O.....O...OO..............
        OO........O...O.OO....O.O...........
        ..........O.....O.......O...........
        ...........O...O....................
        ............OO......................
        """;

    private static byte[] inPlainJava(byte[] world, int size) {
        var next = new byte[world.length];
        for (int y = 0; y < size; y++) {
            for (int x = 0; x < size; x++) {
                int neighbours = -world[y * size + x];
                for (int dy = -1; dy <= 1; dy++) {
                    for (int dx = -1; dx <= 1; dx++) {
                        neighbours += world[(y + dy & size - 1) * size + (x + dx & size - 1)];
                    }
                }
                next[y * size + x] = (byte) (neighbours == 3 || neighbours == 2 && world[y * size + x] == 1 ? 1 : 0);
            }
        }
        return next;
    }

    public static void main(String[] args) throws IOException {
        final int size = 128, generations = 300;
        Autoinit.init();

        var generation = new SourceModule("""
            // The world wraps around at its edges. size is a power of two.
            __global__ void generation(const unsigned char *now, unsigned char *next, int size)
            {
              int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, last = size - 1;
              int neighbours = 0;
              for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                  if (dx || dy) neighbours += now[((y + dy) & last) * size + ((x + dx) & last)];
              next[y * size + x] = neighbours == 3 || (neighbours == 2 && now[y * size + x]);
            }
            """).function("generation");

        var world = new byte[size * size];
        String[] rows = GUN.split("\n");
        for (int y = 0; y < rows.length; y++) {
            for (int x = 0; x < rows[y].length(); x++) {
                world[(y + 2) * size + x + 2] = (byte) (rows[y].charAt(x) == 'O' ? 1 : 0);
            }
        }
        GPUArray now = GPUArray.toGpu(HostData.of(world).as(UINT8).shape(size, size)), next = GPUArray.emptyLike(now);
        long begin = System.nanoTime();
        for (int i = 0; i < generations; i++) {
            generation.launch(Driver.block(16, 16).grid(size / 16, size / 16), now, next, size);
            GPUArray before = now;
            now = next;
            next = before;
        }
        Context.synchronize();
        long end = System.nanoTime();
        for (int i = 0; i < generations; i++) {
            world = inPlainJava(world, size);
        }
        long hostEnd = System.nanoTime();

        var picture = new BufferedImage(size, size, BufferedImage.TYPE_BYTE_GRAY);
        picture.getRaster().setDataElements(0, 0, size, size, now.mul(255).getBytes());
        var file = new File(args.length > 0 ? args[0] : "life.png");
        ImageIO.write(picture, "png", file);
        System.out.println("wrote " + file);
        System.out.printf("living cells: %d%n", now.sum(INT32).getInt());
        System.out.printf("time of a generation: %.2f ms on %s, %.2f ms in plain Java%n",
            (end - begin) * 1e-6 / generations, Autoinit.device().name(), (hostEnd - end) * 1e-6 / generations);
    }
}
