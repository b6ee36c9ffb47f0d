package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** What every handle class inherits from its base classes. */
class HandleTest implements WithContext {
    private static final String PTX = """
        .version 7.0
        .target sm_50
        .address_size 64
        .visible .entry nothing() { ret; }
        """;

    private static void assertSays(String text, Object object) {
        assertTrue(object.toString().contains(text), object.toString());
    }

    @Test
    void toStringNeverFails() {
        var context = new Device(0).makeContext();
        var stream = new Stream();
        var event = new Event();
        var memory = Driver.memAlloc(64);
        var module = Driver.moduleFromBuffer(PTX);
        for (var object : new DriverObject[] {context, stream, event, module}) {
            assertSays(object.getClass().getSimpleName() + " 0x" + Long.toHexString(object.handle()), object);
        }
        assertSays("of 64 bytes at 0x" + Long.toHexString(memory.pointer()), memory);
        assertSays("'nothing'", module.function("nothing"));
        assertSays(new Device(0).name(), new Device(0));
        event.close();
        assertSays("event was closed", event);
        context.detach();
        for (var object : new Object[] {stream, memory, module}) {
            assertSays("context that is gone", object);
        }
        assertSays("context has ended", context);
    }

    @Test
    void addressesAreInvalidAfterTheirContext() {
        var context = new Device(0).makeContext();
        var stream = new Stream();
        var memory = Driver.memAlloc(64);
        assertNotEquals(0, memory.pointer());
        assertNotEquals(0, stream.handle());
        context.detach();
        try (var next = new Device(0).makeContext(); var same = Driver.memAlloc(64)) {
            assertThrows(Driver.LogicError.class, memory::pointer);
            assertThrows(Driver.LogicError.class, stream::handle);
            assertThrows(Driver.LogicError.class, () -> Driver.memsetD8(memory, 1, 64));
            assertNotEquals(0, same.pointer());
        }
        assertDoesNotThrow(memory::close);
        assertDoesNotThrow(stream::close);
    }

    @Test
    void addressesSurviveTheEndOfAnotherContext() {
        try (var memory = Driver.memAlloc(64)) {
            long address = memory.pointer();
            new Device(0).makeContext().close();
            assertEquals(address, memory.pointer());
        }
    }

    @Test
    void equalityMeansTheSameObject() {
        try (var first = new Event(); var second = new Event()) {
            assertEquals(first, first);
            assertNotEquals(first, second);
            assertEquals(Context.current(), Context.current());
            assertEquals(Context.current().hashCode(), Context.current().hashCode());
            assertEquals(new Device(0), new Device(0));
        }
    }

    @Test
    void requiresOwnership() {
        assertThrows(IllegalStateException.class, () -> new Event(1, false));
    }

    @Test
    void nullArgumentsAreNamed() {
        try (var event = new Event(); var stream = new Stream()) {
            assertEquals("start", assertThrows(NullPointerException.class, () -> event.timeSince(null)).getMessage());
            assertEquals("event", assertThrows(NullPointerException.class, () -> stream.waitForEvent(null)).getMessage());
            assertEquals("dest", assertThrows(NullPointerException.class, () -> Driver.memsetD8(null, 0, 1)).getMessage());
            assertEquals("limit", assertThrows(NullPointerException.class, () -> Context.limit(null)).getMessage());
            assertThrows(NullPointerException.class, () -> new Device((String) null));
        }
    }

    @Test
    void aFailedLaunchOnAClosedStreamLeavesNoDanglingState() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            launchOnAClosedStream();
            System.gc();
            Thread.sleep(5);
        }
        assertDoesNotThrow(Context::synchronize);
    }

    private static void launchOnAClosedStream() {
        var fill = Kernels.get("fill");
        var host = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        var stream = new Stream();
        fill.launch(Driver.block(4).stream(stream), Driver.inOut(host), 3, 4);
        stream.close();
        assertThrows(Driver.LogicError.class,
            () -> fill.launch(Driver.block(4).stream(stream), Driver.inOut(host), 3, 4));
    }

    @Test
    void memoryOfLaunchesIsFreedInStreamOrder() throws InterruptedException {
        var fill = Kernels.get("fill");
        var host = ByteBuffer.allocateDirect(1 << 16).order(ByteOrder.nativeOrder());
        long before = Devices.liveWithoutGarbage("device allocation");
        try (var stream = new Stream(); var event = new Event()) {
            for (int i = 0; i < 50; i++) {
                fill.launch(Driver.block(4).stream(stream), Driver.out(host), i, 4);
                event.record(stream).synchronize();
            }
            for (int i = 0; i < 500 && Devices.live("device allocation") > before; i++) {
                Thread.sleep(10);  // no call waits for the stream
            }
            assertEquals(before, Devices.live("device allocation"));
        }
        assertArrayEquals(new int[] {49, 49}, new int[] {host.getInt(0), host.getInt(12)});
    }
}
