package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every example runs as a separate program and prints the expected number. */
@Tag("child")
class ExamplesTest {
    /** The last line of an example that draws. */
    private static final String TIMES = "time of [a-z ]+: \\d+\\D\\d\\d ms on .+, \\d+\\D\\d\\d ms in plain Java";

    /** NVIDIA's driver checkpoints on Linux only; the CPU device under wine has no memory for other processes, nor memory that grows. */
    private static final Set<String> OF_LINUX = Set.of("Checkpoint"), LACK_UNDER_WINE = Set.of("ExternalFrames", "GrowingMemory", "SharedMemory");

    private static String run(String example, String... arguments) throws ClassNotFoundException {
        assumeTrue(File.separatorChar == '/' || !OF_LINUX.contains(example));
        assumeTrue(Devices.hasVirtualMemory() || !LACK_UNDER_WINE.contains(example));
        var child = ChildJvm.run(Class.forName(example), Map.of(), arguments);
        assertEquals(0, child.status(), child.err());
        return child.out().trim();
    }

    private static double lastNumber(String text) {
        return Double.parseDouble(text.substring(text.lastIndexOf(' ')).replace(',', '.').replace("%", ""));
    }

    @ParameterizedTest
    @CsvSource({"Saxpy, largest difference, 0, 1e-5", "MonteCarloPi, pi is about, 3.13, 3.153", "OptionPrice, Monte Carlo, 7.07, 7.19",
        "KMeans, largest distance of a true centre, 0, 0.1", "Fft, strongest tones: 50 440 1200, 0, 1e-6",
        "OverlapCopies, 3 streams, 0, 2e-6", "DependentLaunch, dependent launches, 0, 1e-5",
        "GraphSolver, as a graph: 187 steps, 0, 1e-8", "GrowingMemory, memory was added, 295947, 295947", "DriverPools, the pool holds, 0, 1e-6",
        "TensorMaps, largest difference, 0, 1e-6", "Fused, separate operations, 1, 30", "Interoperation, sum after all of them, 272, 272"})
    void number(String example, String text, double low, double high) throws Exception {
        String printed = run(example);
        assertTrue(printed.contains(text) && lastNumber(printed) >= low && lastNumber(printed) <= high, printed);
    }

    @ParameterizedTest
    @CsvSource({"HelloGpu, Java on", "DeviceGraphs, graph launched itself:", "Mandelbrot, --==--", "TunedKernel, 'fastest: '",
        "Checkpoint, sum: 499500", "GreenContexts, same results: true", "SharedMemory, sum after the other process: 999000",
        "PeerMemory, copied: 499500"})
    void text(String example, String text) throws Exception {
        assertTrue(run(example).contains(text));
    }

    @Test
    void externalFrames() throws Exception {
        String printed = run("ExternalFrames");
        assertTrue(printed.contains(Devices.isCpu() ? "frames: 10, their sum: 46080" : "frames: "), printed);
    }

    @Test
    void drawingsInCharactersEndWithTheirTimes() throws Exception {
        String printed = run("Mandelbrot");
        assertTrue(printed.substring(printed.lastIndexOf('\n') + 1).matches(TIMES), printed);
    }

    @ParameterizedTest
    @CsvSource({"HeatEquation, 96, 90, 100", "ConjugateGradient, 48, 0, 1e-9", "NBody, 200, 0, 1", "GameOfLife, 128, 86, 86",
        "ImageFilter, 256, 0.99, 1.01"})
    void draws(String example, int size, double low, double high, @TempDir Path folder) throws Exception {
        var file = folder.resolve("picture.png").toFile();
        String printed = run(example, file.toString());
        int times = printed.lastIndexOf('\n') + 1;
        assertTrue(printed.substring(times).matches(TIMES), printed);
        double number = lastNumber(printed.substring(0, times).trim());
        assertTrue(printed.contains("wrote " + file) && number >= low && number <= high, printed);
        BufferedImage picture = ImageIO.read(file);
        assertEquals(size + " x " + size, picture.getWidth() + " x " + picture.getHeight());
        byte[] bytes = ((DataBufferByte) picture.getRaster().getDataBuffer()).getData();
        int darkest = 255, brightest = 0;
        for (byte pixel : bytes) {
            darkest = Math.min(darkest, pixel & 255);
            brightest = Math.max(brightest, pixel & 255);
        }
        assertTrue(darkest == 0 && brightest > 200, darkest + " to " + brightest);
    }
}
