package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class InvocationTest implements WithContext {
    private static final LaunchConfig FOUR = Driver.block(4);

    @Test
    void argumentsPersistBetweenLaunches() {
        try (var y = Driver.toDevice(new float[4]); var x = Driver.toDevice(new float[] {1, 2, 3, 4})) {
            var axpy = Kernels.get("axpy").prepare("PPfi").invocation();
            axpy.set(0, y).set(1, x.getPointer()).set(2, 10f).set(3, 4);
            axpy.launch(FOUR);
            axpy.set(2, 1.0).launch(FOUR);
            axpy.set(2, 2).set(3, 1L).launch(FOUR);
            assertArrayEquals(new float[] {13, 22, 33, 44}, Driver.fromDevice(y, 4, float[].class));
        }
    }

    @Test
    void severalInvocationsAreIndependent() {
        try (var memory = Driver.memAlloc(16)) {
            var fill = Kernels.get("fill").prepare("Pii");
            var first = fill.invocation().set(0, memory).set(1, 1).set(2, 4);
            var second = fill.invocation().set(0, memory).set(1, 2).set(2, 2);
            first.launch(FOUR);
            second.launch(FOUR);
            assertArrayEquals(new int[] {2, 2, 1, 1}, Driver.fromDevice(memory, 4, int[].class));
        }
    }

    @Test
    void missingArgumentsAndWrongTypesAreRejected() {
        var fill = Kernels.get("fill").prepare("Pii").invocation();
        fill.set(0, 0L).set(1, 1);
        var error = assertThrows(IllegalArgumentException.class, () -> fill.launch(FOUR));
        assertEquals("1 of the 3 arguments of 'fill' were never set", error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> fill.set(1, 1.5f));
        assertThrows(IllegalArgumentException.class, () -> fill.set(1, (PointerHolderBase) () -> 0));
        assertThrows(IllegalArgumentException.class, () -> fill.set(3, 1));
        assertThrows(IllegalArgumentException.class, () -> fill.set(-1, 1));
    }

    @Test
    void freedMemoryIsDetected() {
        var memory = Driver.memAlloc(16);
        var fill = Kernels.get("fill").prepare("Pii").invocation().set(0, memory).set(1, 1).set(2, 4);
        fill.launch(FOUR);
        memory.free();
        assertThrows(Driver.LogicError.class, () -> fill.launch(FOUR));
    }

    @Test
    void launchingAllocatesNothing() {
        try (var memory = Driver.memAlloc(16)) {
            var fill = Kernels.get("fill").prepare("Pii").invocation().set(0, memory).set(2, 4);
            var threads = java.lang.management.ManagementFactory.getThreadMXBean();
            org.junit.jupiter.api.Assumptions.assumeTrue(AllocatedBytes.isKnown(threads), "this JVM does not count bytes");
            for (int i = 0; i < 20000; i++) {
                fill.set(1, i).launch(FOUR);
            }
            long before = AllocatedBytes.of(threads);
            for (int i = 0; i < 1000; i++) {
                fill.set(1, i).launch(FOUR);
            }
            long used = AllocatedBytes.of(threads) - before;
            org.junit.jupiter.api.Assertions.assertTrue(used < 1000, used + " bytes in 1000 launches");
        }
    }

    /** Bytes this thread allocated, by a method that only some JVMs have. */
    private static final class AllocatedBytes {
        static boolean isKnown(Object threads) {
            try {
                return method() != null && of(threads) >= 0;
            } catch (IllegalStateException error) {
                return false;
            }
        }

        private static java.lang.reflect.Method method() {
            try {
                return Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes");
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }

        static long of(Object threads) {
            try {
                return (long) method().invoke(threads);
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }
    }
}
