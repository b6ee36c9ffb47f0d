package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every example runs as a program of its own and prints the number that it should. */
class ExamplesTest {
    private static String run(String example, String... arguments) throws ClassNotFoundException {
        var child = ChildJvm.run(Class.forName(example), Map.of(), arguments);
        assertEquals(0, child.status(), child.err());
        return child.out().trim();
    }

    private static double lastNumber(String text) {
        return Double.parseDouble(text.substring(text.lastIndexOf(' ')).replace(',', '.').replace("%", ""));
    }

    @ParameterizedTest
    @CsvSource({"Saxpy, largest difference, 0, 1e-5", "MonteCarloPi, pi is about, 3.13, 3.153"})
    void number(String example, String text, double low, double high) throws Exception {
        String printed = run(example);
        assertTrue(printed.startsWith(text) && lastNumber(printed) >= low && lastNumber(printed) <= high, printed);
    }

    @ParameterizedTest
    @CsvSource({"HelloGpu, Java on", "Mandelbrot, --==--"})
    void text(String example, String text) throws Exception {
        assertTrue(run(example).contains(text));
    }

    @Test
    void heatEquationDraws(@TempDir Path folder) throws Exception {
        Path picture = folder.resolve("heat.pgm");
        double left = lastNumber(run("HeatEquation", picture.toString()));
        assertTrue(left > 90 && left < 100, () -> left + " %");
        byte[] header = "P5 96 96 255\n".getBytes();
        byte[] bytes = Files.readAllBytes(picture);
        assertEquals(header.length + 96 * 96, bytes.length);
        assertArrayEquals(header, Arrays.copyOf(bytes, header.length));
        assertEquals(0, bytes[header.length]);
    }
}
