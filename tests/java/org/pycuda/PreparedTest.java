package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class PreparedTest implements WithContext {
    private static final LaunchConfig FOUR = Driver.block(4);

    private static int[] ints(DeviceAllocation memory) {
        return Driver.fromDevice(memory, 4, int[].class);
    }

    @Test
    void callsConvertToThePreparedTypes() {
        var fill = Kernels.get("fill");
        assertSame(fill, fill.prepare("Pii"));
        try (var memory = Driver.memAlloc(16); var stream = new Stream()) {
            fill.preparedCall(FOUR, memory, 3, 4);
            assertArrayEquals(new int[] {3, 3, 3, 3}, ints(memory));
            fill.preparedCall(FOUR, memory.pointer(), (short) 4, 2L);
            assertArrayEquals(new int[] {4, 4, 3, 3}, ints(memory));
            fill.preparedAsyncCall(FOUR, stream, memory, 5, 4);
            stream.synchronize();
            assertArrayEquals(new int[] {5, 5, 5, 5}, ints(memory));
            fill.preparedAsyncCall(FOUR, Stream.DEFAULT, memory, 6, 4);
            assertArrayEquals(new int[] {6, 6, 6, 6}, ints(memory));
            var time = fill.preparedTimedCall(FOUR, memory, 7, 4);
            assertTrue(time.getAsDouble() >= 0 && time.getAsDouble() < 60);
            assertArrayEquals(new int[] {7, 7, 7, 7}, ints(memory));
        }
    }

    @Test
    void everyTypeIsConverted() {
        try (var out = Driver.memAlloc(64)) {
            Kernels.get("mixed").prepare("Pbhiqfd?H").preparedCall(Driver.block(1), out, -1, -2, -3, -4, 5.5, 6.5f, true, 65535);
            assertArrayEquals(new double[] {-1, -2, -3, -4, 5.5, 6.5, 1, 65535}, Driver.fromDevice(out, 8, double[].class));
            Kernels.get("mixed").prepare("PBHIQfd?h").preparedCall(Driver.block(1), out, 255, 65535, 7L, 8, 9, 10, false, 11);
            assertArrayEquals(new double[] {-1, -1, 7, 8, 9, 10, 0, 11}, Driver.fromDevice(out, 8, double[].class));
        }
    }

    @Test
    void halvesBytesAndComplexNumbersToo() {
        var pair = ByteBuffer.allocate(17).order(ByteOrder.nativeOrder()).putInt(1, 11).putDouble(9, 12.5).position(1);
        var rare = Kernels.get("rare").prepare("Pe16sFc");
        double[] expected = {0x3e00, 11, 12.5, 2, -3, 'a'};
        try (var out = Driver.memAlloc(48)) {
            rare.preparedCall(Driver.block(1), out, 1.5, pair, new float[] {2, -3}, 'a');
            assertArrayEquals(expected, Driver.fromDevice(out, 6, double[].class));
            var bytes = new byte[16];
            pair.duplicate().get(bytes);
            Driver.memsetD8(out, 0, 48);
            rare.invocation().set(0, (Object) out).set(1, 1.5f).set(2, bytes).set(3, new float[] {2, -3}).set(4, 97)
                .launch(Driver.block(1));
            assertArrayEquals(expected, Driver.fromDevice(out, 6, double[].class));
            assertThrows(IllegalArgumentException.class,
                () -> rare.preparedCall(Driver.block(1), out, 65520.0, pair, new float[] {2, -3}, 'a'));
            var error = assertThrows(IllegalArgumentException.class,
                () -> rare.preparedCall(Driver.block(1), out, 1, new byte[15], new float[] {2, -3}, 'a'));
            assertEquals("argument 2 of 'rare', counted from 0, was prepared as '16s', but byte[15] was given", error.getMessage());
        }
    }

    @Test
    void outOfRangeValuesAreRejected() {
        var fill = Kernels.get("fill").prepare("Pii");
        for (Object wrong : new Object[] {1L << 40, 2.5, "text", null}) {
            var error = assertThrows(IllegalArgumentException.class, () -> fill.preparedCall(FOUR, 0L, wrong, 4));
            assertTrue(error.getMessage().startsWith("argument 1 of 'fill', counted from 0"), error.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> fill.preparedCall(FOUR, 0L, 1));
    }

    @Test
    void typesAreCheckedAgainstTheKernel() {
        var fill = Kernels.get("fill");
        assertThrows(IllegalArgumentException.class, () -> fill.prepare("Pi"));
        assertThrows(IllegalArgumentException.class, () -> fill.prepare("Piii"));
        var error = assertThrows(IllegalArgumentException.class, () -> fill.prepare("Pid"));
        assertEquals("prepare: kernel 'fill' takes 4 bytes as argument 2, counted from 0, but its type 'd' has 8 bytes", error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> fill.prepare("Piz"));
        assertSame(fill, fill.prepare("P 2i x"));
    }

    @Test
    void timedCallsLeakNoEvents() {
        var fill = Kernels.get("fill").prepare("Pii");
        try (var memory = Driver.memAlloc(16)) {
            long before = DriverProxy.liveHandles("event");
            var time = fill.preparedTimedCall(FOUR, memory, 7, 4);
            double seconds = time.getAsDouble();
            assertEquals(seconds, time.getAsDouble());
            assertEquals(before, DriverProxy.liveHandles("event"));
            assertThrows(IllegalArgumentException.class, () -> fill.preparedTimedCall(FOUR, memory, 7));
            assertEquals(before, DriverProxy.liveHandles("event"));
        }
    }

    @Test
    void prepareComesFirst() {
        var fill = Kernels.get("fill");
        assertThrows(Driver.LogicError.class, () -> fill.preparedCall(FOUR, 0L, 1, 4));
        assertThrows(Driver.LogicError.class, fill::invocation);
    }
}
