package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EventTest implements WithContext {
    @Test
    void measuresTime() {
        try (var start = new Event(); var end = new Event(); var memory = Driver.memAlloc(4096)) {
            assertSame(start, start.record());
            Kernels.get("fill").launch(Driver.block(128).grid(8), memory, 3, 1024);
            assertSame(end, end.record().synchronize());
            assertTrue(end.isDone() && start.isDone());
            assertTrue(end.timeSince(start) >= 0);
            assertEquals(end.timeSince(start), start.timeTill(end));
        }
    }

    @Test
    void eventsWithoutTimingHaveNoTime() {
        try (var start = new Event(EventFlags.DISABLE_TIMING); var end = new Event()) {
            start.record();
            end.record().synchronize();
            assertThrows(Driver.LogicError.class, () -> end.timeSince(start));
        }
    }

    @Test
    void isUnusableAfterClose() {
        var event = new Event(EventFlags.BLOCKING_SYNC);
        event.close();
        assertDoesNotThrow(event::close);
        assertThrows(Driver.LogicError.class, event::record);
        assertThrows(Driver.LogicError.class, event::synchronize);
        assertThrows(Driver.LogicError.class, event::isDone);
    }

    @Test
    void ipcHandleIsAByteArray() {
        try (var event = new Event(EventFlags.DISABLE_TIMING, EventFlags.INTERPROCESS)) {
            byte[] handle = event.ipcHandle();
            assertEquals(64, handle.length);
            // A process cannot open its own handle; this shows that the call reaches the driver.
            assertThrows(Driver.Error.class, () -> Event.fromIpcHandle(handle));
        } catch (Driver.LogicError error) {
            // Only a device without interprocess events may reject it, and the message must say so.
            assertEquals(801, error.code(), error.getMessage());
            assertTrue(Devices.isCpu(), error.getMessage());
        }
    }

    @Test
    void handleOfWrongSizeIsRejected() {
        assertThrows(IllegalArgumentException.class, () -> Event.fromIpcHandle(new byte[3]));
        assertThrows(NullPointerException.class, () -> Event.fromIpcHandle(null));
    }
}
