package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

class TypedKernelTest implements WithContext {
    private static final LaunchConfig FOUR = Driver.block(4);

    private record Axpy(DevicePointer y, DevicePointer x, float a, int n) {}

    private record Fill(DevicePointer memory, int value, int n) {}

    private static TypedKernel<Fill> fill() {
        return Kernels.module().kernel("fill", Fill.class);
    }

    @Test
    void launchesWithTheComponentsOfARecord() {
        var axpy = Kernels.module().kernel("axpy", Axpy.class);
        try (var y = Driver.toDevice(new float[4]); var x = GPUArray.toGpu(new float[] {1, 2, 3, 4}); var stream = new Stream()) {
            axpy.launch(FOUR, new Axpy(y, x, 10f, 4));
            axpy.launch(FOUR.stream(stream), new Axpy(y, x, 1f, 2));
            stream.synchronize();
            assertArrayEquals(new float[] {11, 22, 30, 40}, Driver.fromDevice(y, 4, float[].class));
        }
        assertEquals("axpy", axpy.function().name());
    }

    @Test
    void argumentsAreCheckedWhenTheKernelIsFound() {
        record TooFew(DevicePointer memory, int value) {}
        record TooLarge(DevicePointer memory, long value, int n) {}
        record Text(DevicePointer memory, int value, String n) {}
        var module = Kernels.module();
        var few = assertThrows(IllegalArgumentException.class, () -> module.kernel("fill", TooFew.class));
        assertEquals("TooFew has 2 components, 'fill' takes 3 arguments", few.getMessage());
        var large = assertThrows(IllegalArgumentException.class, () -> module.kernel("fill", TooLarge.class));
        assertEquals("component 1, 'value', of TooLarge is a long (8 bytes), 'fill' expects 4 bytes there", large.getMessage());
        var text = assertThrows(IllegalArgumentException.class, () -> module.kernel("fill", Text.class));
        assertTrue(text.getMessage().startsWith("component 2, 'n', of Text is a String, which is no kernel argument"), text.getMessage());
        assertThrows(Driver.LogicError.class, () -> module.kernel("no such kernel", Fill.class));
    }

    @Test
    void everySizeOfNumberAndStructuresArePassed() {
        record Inner(int a, double b) {}
        record All(Out out, byte b, short s, char c, boolean z, int i, long l, float f, double d, Inner inner) {}
        record Numbers(DevicePointer out, byte b, short s, char c, boolean z, int i, long l, float f, double d) {}
        String numbers = "double *out, signed char b, short s, unsigned short c, bool z, int i, long long l, float f, double d";
        String sums = "out[0] = b; out[1] = s; out[2] = c; out[3] = z; out[4] = i; out[5] = l; out[6] = f; out[7] = d;";
        try (var module = new SourceModule("struct Inner { int a; double b; };\n__global__ void numbers(" + numbers + ") { " + sums + " }\n"
                + "__global__ void all(" + numbers + ", Inner inner) { " + sums + " out[8] = inner.a + inner.b; }")) {
            double[] expected = {-1, -2, 65535, 1, 5, 1L << 40, 0.5, 0.25};
            try (var memory = Driver.toDevice(new double[8])) {
                module.kernel("numbers", Numbers.class)
                    .launch(Driver.block(1), new Numbers(memory, (byte) -1, (short) -2, (char) 65535, true, 5, 1L << 40, 0.5f, 0.25));
                assertArrayEquals(expected, Driver.fromDevice(memory, 8, double[].class));
            }
            var result = new double[9];
            module.kernel("all", All.class).launch(Driver.block(1),
                new All(Driver.out(result), (byte) -1, (short) -2, (char) 65535, true, 5, 1L << 40, 0.5f, 0.25, new Inner(3, 0.5)));
            assertArrayEquals(expected, java.util.Arrays.copyOf(result, 8));
            assertEquals(3.5, result[8]);
        }
    }

    @Test
    void freedMemoryAndNullAreRejected() {
        var memory = Driver.memAlloc(16);
        memory.close();
        assertThrows(Driver.LogicError.class, () -> fill().launch(FOUR, new Fill(memory, 1, 4)));
        var error = assertThrows(IllegalArgumentException.class, () -> fill().launch(FOUR, new Fill(null, 1, 4)));
        assertEquals("component 0, 'memory', of Fill is a DevicePointer and null; a null pointer is DevicePointer.of(0)", error.getMessage());
        assertEquals("values", assertThrows(NullPointerException.class, () -> fill().launch(FOUR, null)).getMessage());
    }

    @Test
    void codeOfTheProgramRunsBeforeOtherAddressesAreRead() {
        var x = Driver.toDevice(new float[] {1, 2, 3, 4});
        try (var y = Driver.toDevice(new float[4])) {
            DevicePointer closing = () -> {
                x.close();
                return y.pointer();
            };
            var axpy = Kernels.module().kernel("axpy", Axpy.class);
            assertThrows(Driver.LogicError.class, () -> axpy.launch(FOUR, new Axpy(closing, x, 1f, 4)));
        }
    }

    @Test
    void accessorsDoNotRun() {
        record Loud(DevicePointer memory, int value, int n) {
            @Override
            public int value() {
                throw new IllegalStateException("the field is read, not the accessor");
            }
        }
        try (var memory = Driver.toDevice(new int[4])) {
            var loud = Kernels.module().kernel("fill", Loud.class);
            loud.launch(FOUR, new Loud(memory, 7, 4));
            assertEquals(7, Driver.fromDevice(memory, 4, int[].class)[3]);
            assertSame(loud.function(), loud.function());
        }
    }

    @Test
    void launchingAllocatesNothing() {
        try (var memory = Driver.memAlloc(16)) {
            var kernel = fill();
            var arguments = new Fill(memory, 1, 4);
            assertTrue(AllocatedBytes.of(1000, () -> kernel.launch(FOUR, arguments)) < 1000);
        }
    }
}
