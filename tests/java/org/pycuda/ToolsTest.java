package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ToolsTest implements WithContext {
    /** The attributes of an H100, as reported by its driver. */
    private static final DeviceData H100 = new DeviceData(1024, 32, 64, 32, 65536, 65536, 49152, 232448, 233472, 1024, 128, 32,
        DeviceData.AllocationUnit.WARP);

    @Test
    void valuesAreCachedPerContext() {
        var calls = new AtomicInteger();
        Supplier<Integer> memo = Tools.contextDependentMemoize(calls::incrementAndGet);
        int first = memo.get();
        assertEquals(first, memo.get());
        try (var context = new Device(0).makeContext()) {
            assertNotEquals(first, memo.get());
        }
        assertEquals(first, memo.get());
        Tools.clearContextCaches();
        assertNotEquals(first, memo.get());
        java.util.function.Function<String, Integer> lengths = Tools.contextDependentMemoize((String text) -> text.length() + calls.incrementAndGet());
        assertEquals(lengths.apply("abc"), lengths.apply("abc"));
    }

    @Test
    void defaultContextsAreCurrent() {
        Context before = Autoinit.context();
        try (var context = Tools.makeDefaultContext()) {
            assertTrue(context.isCurrent());
        }
        assertTrue(before.isCurrent());
    }

    @Test
    void limitsComeFromTheDriver() {
        var data = DeviceData.of();
        assertEquals(new Device(0).attribute(DeviceAttribute.WARP_SIZE), data.warpSize());
        assertEquals(192, DeviceData.align(130));
        assertEquals(32, DeviceData.alignWords(4) * 2);
        assertEquals(48, DeviceData.coalesce(33));
        assertEquals(4, DeviceData.makeValidTexChannelCount(3));
        assertThrows(IllegalArgumentException.class, () -> DeviceData.alignBytes(3));
    }

    @Test
    void occupancyMatchesTheTables() {
        assertEquals(1.0, OccupancyRecord.of(H100, 256, 0, 32).occupancy());
        var half = OccupancyRecord.of(H100, 256, 0, 64);
        assertEquals(0.5, half.occupancy());
        assertEquals(OccupancyRecord.Limiter.REGS, half.limitedBy());
        assertEquals(OccupancyRecord.Limiter.SMEM, OccupancyRecord.of(H100, 128, 100_000).limitedBy());
        assertEquals(2, OccupancyRecord.of(H100, 128, 100_000).tbPerMp());
        assertEquals(OccupancyRecord.Limiter.DEVICE, OccupancyRecord.of(H100, 32).limitedBy());
        assertThrows(IllegalArgumentException.class, () -> OccupancyRecord.of(H100, 1025));
        assertThrows(IllegalArgumentException.class, () -> OccupancyRecord.of(H100, 1024, 0, 128));
    }

    @Test
    void typesHaveTheirDeviceSizes() {
        assertEquals(8, Characterize.sizeof("long long"));
        assertEquals(12, Characterize.sizeof("Three", "struct Three { float x, y, z; };"));
        assertThrows(Driver.CompileError.class, () -> Characterize.sizeof("nonsense"));
        assertTrue(Characterize.hasStack() && Characterize.hasDoubleSupport());
    }
}
