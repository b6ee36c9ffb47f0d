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
            axpy.set(0, y).set(1, x.pointer()).set(2, 10f).set(3, 4);
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
        assertThrows(IllegalArgumentException.class, () -> fill.set(1, (DevicePointer) () -> 0));
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
            org.junit.jupiter.api.Assertions.assertTrue(AllocatedBytes.of(1000, () -> fill.set(1, 7).launch(FOUR)) < 1000);
        }
    }
}
