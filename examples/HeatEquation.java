import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.UINT8;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.pycuda.ArrayScope;
import org.pycuda.Autoinit;
import org.pycuda.GPUArray;
import org.pycuda.Slice;

/** Heat spreads over a plate with cold edges; writes heat.png, or the file named as the argument; the same program as heat_equation.py. */
public class HeatEquation {
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
        for (int step = 0; step < steps; step++) {
            try (var scope = new ArrayScope()) {  // gives the memory of the step's results back
                inner.set(up.add(down).add(left).add(right).sub(inner.mul(4)).mul(0.2).add(inner));
            }
        }

        byte[] grey = plate.mul(255 / plate.max().getDouble()).astype(UINT8).getBytes();
        var picture = new BufferedImage(size, size, BufferedImage.TYPE_BYTE_GRAY);
        picture.getRaster().setDataElements(0, 0, size, size, grey);
        var file = new File(args.length > 0 ? args[0] : "heat.png");
        ImageIO.write(picture, "png", file);
        System.out.println("wrote " + file);
        System.out.printf("heat that is left: %.1f%%%n", 100 * plate.sum().getDouble() / start);
    }
}
