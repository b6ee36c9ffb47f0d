import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.UINT8;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.pycuda.ArrayScope;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.GPUArray;
import org.pycuda.Slice;

/**
 * Heat spreads from a hot spot over a plate with cold edges. Writes heat.png, or the file named by the argument.
 * Prints how much heat remains, and the time of a step on the device and in plain Java. The same program as
 * heat_equation.py.
 */
public class HeatEquation {
    private static float[][] inPlainJava(float[][] plate) {
        int size = plate.length;
        var next = new float[size][size];
        for (int y = 1; y < size - 1; y++) {
            for (int x = 1; x < size - 1; x++) {
                float neighbours = plate[y - 1][x] + plate[y + 1][x] + plate[y][x - 1] + plate[y][x + 1];
                next[y][x] = plate[y][x] + 0.2f * (neighbours - 4 * plate[y][x]);
            }
        }
        return next;
    }

    public static void main(String[] args) throws IOException {
        final int size = 96, steps = 200;
        Autoinit.init();
        var plate = GPUArray.zeros(FLOAT32, size, size);
        plate.slice(Slice.of(size / 4, size / 2), Slice.of(size / 4, size / 2)).fill(1);
        double start = plate.sum().getDouble();

        Slice inside = Slice.of(1, -1);
        var inner = plate.slice(inside, inside);
        var up = plate.slice(Slice.until(-2), inside);
        var down = plate.slice(Slice.from(2), inside);
        var left = plate.slice(inside, Slice.until(-2));
        var right = plate.slice(inside, Slice.from(2));
        float[][] host = plate.get(float[][].class);
        long begin = System.nanoTime();
        for (int step = 0; step < steps; step++) {
            try (var scope = new ArrayScope()) {  // gives the memory of the step's results back
                inner.set(up.add(down).add(left).add(right).sub(inner.mul(4)).mul(0.2).add(inner));
            }
        }
        Context.synchronize();
        long end = System.nanoTime();
        for (int step = 0; step < steps; step++) {
            host = inPlainJava(host);
        }
        long hostEnd = System.nanoTime();

        byte[] grey = plate.mul(255 / plate.max().getDouble()).astype(UINT8).getBytes();
        var picture = new BufferedImage(size, size, BufferedImage.TYPE_BYTE_GRAY);
        picture.getRaster().setDataElements(0, 0, size, size, grey);
        var file = new File(args.length > 0 ? args[0] : "heat.png");
        ImageIO.write(picture, "png", file);
        System.out.println("wrote " + file);
        System.out.printf("remaining heat: %.1f%%%n", 100 * plate.sum().getDouble() / start);
        System.out.printf("time of a step: %.2f ms on %s, %.2f ms in plain Java%n",
            (end - begin) * 1e-6 / steps, Autoinit.device().name(), (hostEnd - end) * 1e-6 / steps);
    }
}
