package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation")
class DeprecatedLaunchTest implements WithContext {
    @Test
    void launchesInSteps() {
        try (var memory = Driver.toDevice(new int[8]); var stream = new Stream()) {
            var fill = Kernels.get("fill");
            fill.setBlockShape(2, 1, 1);
            fill.setSharedSize(0);
            fill.paramSet(memory, 3, 8);
            fill.launch();
            assertArrayEquals(new int[] {3, 3, 0, 0, 0, 0, 0, 0}, Driver.fromDevice(memory, 8, int[].class));
            fill.paramSeti(8, 4);
            fill.launchGrid(2, 1);
            assertArrayEquals(new int[] {4, 4, 4, 4, 0, 0, 0, 0}, Driver.fromDevice(memory, 8, int[].class));
            fill.paramSeti(12, 3);
            fill.paramSeti(8, 5);
            fill.launchGridAsync(4, 1, stream);
            stream.synchronize();
            assertArrayEquals(new int[] {5, 5, 5, 4, 0, 0, 0, 0}, Driver.fromDevice(memory, 8, int[].class));
        }
    }

    @Test
    void floatsAndSizes() {
        try (var y = Driver.toDevice(new float[1]); var x = Driver.toDevice(new float[] {2})) {
            var axpy = Kernels.get("axpy");
            axpy.setBlockShape(1, 1, 1);
            axpy.paramSet(y, x, 0f, 1);
            axpy.paramSetf(16, 1.5f);
            axpy.paramSetSize(24);
            axpy.launch();
            assertArrayEquals(new float[] {3}, Driver.fromDevice(y, 1, float[].class));
            axpy.paramSetSize(8);
            assertThrows(IllegalArgumentException.class, axpy::launch);
            assertThrows(IllegalArgumentException.class, () -> axpy.paramSetSize(1 << 20));
            assertThrows(IllegalArgumentException.class, () -> axpy.paramSeti(-4, 1));
            assertThrows(IllegalArgumentException.class, () -> axpy.paramSet(Driver.in(new float[1]), x, 0f, 1));
        }
    }
}
