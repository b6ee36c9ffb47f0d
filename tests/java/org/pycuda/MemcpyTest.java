package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemcpyTest implements WithContext {
    @Test
    void everyPrimitiveArraySurvivesARoundTrip() {
        Object[] arrays = {new byte[] {1, -2, 3}, new short[] {1, -2, 3}, new char[] {'a', '\uffff', 'c'}, new int[] {1, -2, 3},
            new long[] {1, Long.MIN_VALUE, 3}, new float[] {1, -2, Float.NaN}, new double[] {1, -2, 1e-300}};
        for (Object array : arrays) {
            try (var memory = HostCopies.toDevice(array)) {
                Object back = Array.newInstance(array.getClass().getComponentType(), 3);
                Driver.memcpyDtoh(HostData.ofObject(back), memory);
                assertTrue(java.util.Objects.deepEquals(array, back), array.getClass().getSimpleName());
            }
        }
    }

    @Test
    void everyTypeOfHostDataHasItsOverloads() throws ReflectiveOperationException {
        for (Class<?> type : new Class<?>[] {byte[].class, short[].class, char[].class, int[].class, long[].class, float[].class,
            double[].class, java.nio.Buffer.class}) {
            for (String name : new String[] {"in", "out", "inOut", "toDevice"}) {
                Object host = type.isArray() ? Array.newInstance(type.getComponentType(), 2) : ByteBuffer.allocate(2);
                assertNotNull(Driver.class.getMethod(name, type).invoke(null, host));
            }
        }
    }

    @Test
    void arraysLargerThanTheStagingBufferSurviveARoundTrip() {
        var values = new double[(5 << 17) + 13];
        var random = new Random(1);
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextDouble();
        }
        try (var memory = Driver.toDevice(values)) {
            assertArrayEquals(values, Driver.fromDeviceLike(memory, values));
        }
    }

    @Test
    void remainingElementsOfABufferAreCopied() {
        for (boolean direct : new boolean[] {true, false}) {
            ByteBuffer bytes = (direct ? ByteBuffer.allocateDirect(32) : ByteBuffer.allocate(32)).order(ByteOrder.nativeOrder());
            IntBuffer ints = bytes.asIntBuffer();
            for (int i = 0; i < 8; i++) {
                ints.put(i, i);
            }
            ints.position(2).limit(5);
            try (var memory = Driver.toDevice(ints)) {
                assertEquals(12, memory.size());
                assertArrayEquals(new int[] {2, 3, 4}, Driver.fromDevice(memory, 3, int[].class));
                Driver.memcpyHtod(memory, new int[] {-2, -3, -4});
                Driver.memcpyDtoh(ints, memory);
            }
            assertEquals(2, ints.position());
            assertEquals(5, ints.limit());
            ints.clear();
            int[] all = new int[8];
            ints.get(all);
            assertArrayEquals(new int[] {0, 1, -2, -3, -4, 5, 6, 7}, all);
        }
    }

    @Test
    void slicesAndWrappedArraysAreCopied() {
        var array = new float[] {0, 1, 2, 3, 4};
        FloatBuffer slice = FloatBuffer.wrap(array, 1, 3).slice();
        try (var memory = Driver.toDevice(slice)) {
            assertArrayEquals(new float[] {1, 2, 3}, Driver.fromDevice(memory, 3, float[].class));
            Driver.memcpyHtod(memory, new float[] {7, 8, 9});
            Driver.memcpyDtoh(slice, memory);
        }
        assertArrayEquals(new float[] {0, 7, 8, 9, 4}, array);
        try (var memory = Driver.toDevice(CharBuffer.wrap("text"))) {  // read-only, without an array
            assertArrayEquals("text".toCharArray(), Driver.fromDevice(memory, 4, char[].class));
        }
    }

    @Test
    void readOnlyDestinationsAndForeignByteOrdersAreRejected() {
        try (var memory = Driver.memAlloc(16)) {
            var readOnly = ByteBuffer.allocateDirect(16).asReadOnlyBuffer();
            Driver.memcpyHtod(memory, readOnly);
            assertThrows(IllegalArgumentException.class, () -> Driver.memcpyDtoh(readOnly, memory));
            assertThrows(IllegalArgumentException.class, () -> Driver.out(readOnly));
            ByteOrder foreign = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            var swapped = ByteBuffer.allocateDirect(16).order(foreign).asFloatBuffer();
            var error = assertThrows(IllegalArgumentException.class, () -> Driver.memcpyHtod(memory, swapped));
            assertTrue(error.getMessage().contains("nativeOrder"), error.getMessage());
        }
    }

    @Test
    void unsupportedHostDataIsRejected() {
        for (Object wrong : new Object[] {"text", new Boolean[1], new String[1], new String[1][1], 1, null}) {
            var error = assertThrows(IllegalArgumentException.class, () -> HostCopies.toDevice(wrong));
            assertTrue(error.getMessage().contains("float[]"), error.getMessage());
        }
    }

    @Test
    void copiesWithinTheDevice() {
        try (var from = Driver.toDevice(new int[] {1, 2, 3, 4}); var to = Driver.toDevice(new int[4])) {
            Driver.memcpyDtod(to, from, 8);
            Driver.memcpyDtod(to.plus(12), from, 4);
            assertArrayEquals(new int[] {1, 2, 0, 1}, Driver.fromDevice(to, 4, int[].class));
        }
    }

    @Test
    void anInvalidAddressIsAnError() {
        assertThrows(Driver.Error.class, () -> Driver.memcpyDtoh(new byte[16], DevicePointer.of(16)));
        assertThrows(Driver.Error.class, () -> Driver.memcpyHtod(DevicePointer.of(16), new byte[16]));
    }
}
