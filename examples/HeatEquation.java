import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.UINT8;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pycuda.ArrayScope;
import org.pycuda.Autoinit;
import org.pycuda.GPUArray;
import org.pycuda.Slice;

/** Heat spreads over a plate with cold edges; writes heat.pgm, or the file named as the argument; the same program as heat_equation.py. */
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
        try (var picture = Files.newOutputStream(Path.of(args.length > 0 ? args[0] : "heat.pgm"))) {
            picture.write("P5 %d %d 255\n".formatted(size, size).getBytes(StandardCharsets.US_ASCII));
            picture.write(grey);
        }
        System.out.printf("heat that is left: %.1f%%%n", 100 * plate.sum().getDouble() / start);
    }
}
