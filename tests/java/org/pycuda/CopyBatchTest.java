package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches of copies, and of ranges of managed memory. */
class CopyBatchTest implements WithContext {
    private static final int VERSION = 13000;

    @BeforeEach
    void needsItsDriver() {
        Assumptions.assumeTrue(Driver.driverVersion() >= VERSION);
    }

    @Test
    void copiesBytesAndRectangles() {
        try (var stream = new Stream(); var a = Driver.toDevice(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}); var b = Driver.memAlloc(8);
             var host = Driver.pagelockedZeros(DType.UINT8, 4)) {
            var batch = new CopyBatch();
            assertSame(batch, batch.add(b, a.plus(4), 4).add(b.plus(4), a, 4, MemcpySrcAccessOrder.ANY));
            batch.queue(stream);
            stream.synchronize();
            assertArrayEquals(new byte[] {5, 6, 7, 8, 1, 2, 3, 4}, Driver.fromDevice(b, 8, byte[].class));
            var corner = new Memcpy2D().setSrcDevice(a).setSrcPitch(4).setSrcXInBytes(2).setDstHost(host.buffer()).setDstPitch(2).setWidthInBytes(2).setHeight(2);
            batch.addBox(corner);
            assertEquals(3, batch.count());
            batch.queue(stream);
            stream.synchronize();
            byte[] read = new byte[4];
            host.buffer().get(0, read);
            assertArrayEquals(new byte[] {3, 4, 7, 8}, read);
        }
    }

    @Test
    void refusesWrongArguments() {
        try (var stream = new Stream(); var memory = Driver.memAlloc(64)) {
            assertThrows(Driver.LogicError.class, () -> new CopyBatch().add(memory, memory.plus(32), 0).queue(stream));
            assertThrows(Driver.LogicError.class, () -> new CopyBatch().addBox(new Memcpy2D()));
            assertThrows(NullPointerException.class, () -> new CopyBatch().add(memory, memory.plus(32), 8).queue(null));
            assertThrows(RuntimeException.class, () -> new CopyBatch().add(null, memory, 8));
            assertThrows(Driver.LogicError.class, () -> new MemoryRanges().add(memory, 64).discard(stream));
            new CopyBatch().queue(stream);
        }
    }

    @Test
    void prefetchesAndDiscards() {
        Assumptions.assumeTrue(new Device(0).attribute(DeviceAttribute.CONCURRENT_MANAGED_ACCESS) != 0);
        try (var stream = new Stream(); var words = Driver.managedZeros(DType.INT32, 1024)) {
            var ranges = new MemoryRanges().add(words, 2048).add(words.plus(2048), 2048);
            assertEquals(2, ranges.count());
            ranges.prefetch(0, stream);
            stream.synchronize();
            assertEquals(0, Memory.memRangeGetAttribute(words, 4096, MemRangeAttribute.LAST_PREFETCH_LOCATION));
            ranges.discardAndPrefetch(-1, stream);
            Driver.memsetD32Async(words, 3, 1024, stream);
            stream.synchronize();
            assertEquals(3, words.asIntBuffer().get(1023));
        }
    }
}
