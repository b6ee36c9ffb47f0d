package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamOrderedTest implements WithContext {
    @BeforeEach
    void memoryPools() {
        Assumptions.assumeTrue(new Device(0).attribute(DeviceAttribute.MEMORY_POOLS_SUPPORTED) != 0, "no memory pools");
    }

    @Test
    void isStreamOrderedDeviceMemory() {
        byte[] result = new byte[64];
        try (var stream = new Stream(); var memory = Driver.memAllocAsync(64, stream)) {
            assertEquals(64, memory.size());
            Driver.memsetD8Async(memory, 7, 64, stream);
            stream.synchronize();
            Driver.memcpyDtoh(result, memory);
            memory.freeAsync(stream);
            assertThrows(Driver.LogicError.class, memory::freeAsync);
            assertThrows(Driver.LogicError.class, memory::pointer);
        }
        byte[] expected = new byte[64];
        Arrays.fill(expected, (byte) 7);
        assertArrayEquals(expected, result);
    }

    @Test
    void invalidSizesAreRejected() {
        assertThrows(Driver.LogicError.class, () -> Driver.memAllocAsync(0));
        assertThrows(Driver.MemoryError.class, () -> Driver.memAllocAsync(1L << 60));
    }
}
