package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MemsetTest implements WithContext {
    @Test
    void fillsElementsOfEachSize() {
        try (var memory = Driver.toDevice(new byte[8])) {
            Driver.memsetD32(memory, 0x04030201, 2);
            assertArrayEquals(new byte[] {1, 2, 3, 4, 1, 2, 3, 4}, Driver.fromDevice(memory, 8, byte[].class));
            Fills.memsetD16(memory, 0x10706, 1);
            Driver.memsetD8(memory.plus(7), 0x1FF, 1);
            assertArrayEquals(new byte[] {6, 7, 3, 4, 1, 2, 3, -1}, Driver.fromDevice(memory, 8, byte[].class));
        }
    }

    @Test
    void fillsInStreamOrder() {
        try (var stream = new Stream(); var memory = Driver.toDevice(new int[4])) {
            Driver.memsetD32Async(memory, 5, 4, stream);
            Fills.memsetD16Async(memory, 6, 1, stream);
            Driver.memsetD8Async(memory.plus(4), 7, 1, stream);
            stream.synchronize();
            assertArrayEquals(new int[] {6, 7, 5, 5}, Driver.fromDevice(memory, 4, int[].class));
            Driver.memsetD32Async(memory, 8, 4);
            Context.synchronize();
            assertArrayEquals(new int[] {8, 8, 8, 8}, Driver.fromDevice(memory, 4, int[].class));
        }
    }

    @Test
    void misalignedOrOutOfBoundsIsAnError() {
        try (var memory = Driver.memAlloc(16)) {
            assertThrows(Driver.LogicError.class, () -> Driver.memsetD32(memory.plus(1), 0, 1));
            assertThrows(IllegalArgumentException.class, () -> Driver.memsetD8(memory, 0, -1));
        }
    }
}
