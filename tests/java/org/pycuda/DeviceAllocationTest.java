package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteOrder;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class DeviceAllocationTest implements WithContext {
    @Test
    void allocatesAndFreesMemory() {
        long before = Devices.liveWithoutGarbage("device allocation");
        try (var memory = Driver.memAlloc(64 << 20)) {
            assertEquals(64 << 20, memory.size());
            assertEquals(0, memory.pointer() % 256);
            assertEquals(before + 1, Devices.live("device allocation"));
        }
        assertEquals(before, Devices.live("device allocation"));
    }

    @Test
    void allocatedMemoryIsNotFree() {
        Assumptions.assumeTrue(Devices.isCpu(), "other processes may allocate memory on a GPU in the meantime");
        Devices.liveWithoutGarbage("device allocation");
        long before = Driver.memGetInfo().free();
        try (var memory = Driver.memAlloc(64 << 20)) {
            assertTrue(Driver.memGetInfo().free() <= before - memory.size());
        }
        assertEquals(before, Driver.memGetInfo().free());
    }

    @Test
    void addressRangeOfAnAddressInside() {
        try (var memory = Driver.memAlloc(1000)) {
            var range = Memory.memGetAddressRange(DevicePointer.of(memory.pointer() + 999));
            assertEquals(memory.pointer(), range.base());
            assertTrue(range.size() >= 1000);
        }
        assertThrows(Driver.LogicError.class, () -> Memory.memGetAddressRange(DevicePointer.of(16)));
    }

    @Test
    void memInfoIsConsistent() {
        var info = Driver.memGetInfo();
        assertTrue(0 < info.free() && info.free() <= info.total());
    }

    @Test
    void freeingTwiceIsANoOpAndUseAfterFreeIsAnError() {
        var memory = Driver.memAlloc(16);
        memory.free();
        assertDoesNotThrow(memory::free);
        assertDoesNotThrow(memory::close);
        assertThrows(Driver.LogicError.class, memory::pointer);
        assertThrows(Driver.LogicError.class, () -> Driver.memcpyHtod(memory, new byte[16]));
        var error = assertThrows(Driver.LogicError.class, () -> Kernels.get("fill").launch(Driver.block(1), memory, 1, 1));
        assertTrue(error.getMessage().contains("was freed"), error.getMessage());
    }

    @Test
    void zeroBytesAreAnError() {
        assertThrows(Driver.LogicError.class, () -> Driver.memAlloc(0));
    }

    @Test
    void dataSurvivesARoundTrip() {
        float[] values = {1, 2, 3.5f};
        try (var memory = Driver.toDevice(values)) {
            assertArrayEquals(values, Driver.fromDevice(memory, 3, float[].class));
            assertArrayEquals(values, Driver.fromDeviceLike(memory, new float[3]));
            assertArrayEquals(new float[] {3.5f}, Driver.fromDevice(memory.plus(8), 1, float[].class));
            assertThrows(IllegalArgumentException.class, () -> Driver.fromDevice(memory, 3, String.class));
            assertThrows(IllegalArgumentException.class, () -> Driver.fromDevice(memory, 3, Integer[].class));
        }
    }

    @Test
    void pointerHolderMayBeALambda() {
        try (var memory = Driver.toDevice(new int[] {1, 2, 3})) {
            DevicePointer second = () -> memory.pointer() + 4;
            assertEquals(2, Driver.fromDevice(second, 1, int[].class)[0]);
            Kernels.get("fill").launch(Driver.block(32), second, 9, 1);
            assertArrayEquals(new int[] {1, 9, 3}, Driver.fromDevice(memory, 3, int[].class));
        }
    }

    @Test
    void hostAccessibleMemoryIsReadableAsABuffer() {
        Assumptions.assumeTrue(Devices.isCpu(), "the host cannot read a GPU's plain device memory");
        try (var memory = Driver.toDevice(new int[] {1, 2, 3})) {
            var buffer = memory.asBuffer(8, 4);
            assertEquals(ByteOrder.nativeOrder(), buffer.order());
            assertEquals(3, buffer.asIntBuffer().get(1));
            assertEquals(12, memory.asBuffer(12).capacity());
            assertThrows(IllegalArgumentException.class, () -> memory.asBuffer(-1));
        }
    }
}
