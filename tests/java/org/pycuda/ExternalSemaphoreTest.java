package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Streams and nodes of graphs that signal semaphores of another interface, and wait for them. */
class ExternalSemaphoreTest implements WithContext {
    private static ByteBuffer word(long value) {
        return ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).putLong(0, value);
    }

    @Test
    void signalsAndWaits() {
        try (var other = new External(); var timeline = other.timeline(); var stream = new Stream(); var host = new Stream(StreamFlags.NON_BLOCKING)) {
            stream.signalSemaphore(timeline, 5);
            stream.synchronize();
            assertEquals(5, other.value());
            stream.waitForSemaphore(timeline, 6);
            assertFalse(stream.isDone());
            Driver.memcpyHtodAsync(other.view, word(6), host);
            stream.synchronize();
            assertEquals(ExternalSemaphoreHandleType.TIMELINE_SEMAPHORE_FD, timeline.handleType());
        }
    }

    @Test
    void severalByOneCall() {
        try (var one = new External(); var two = new External(); var first = one.timeline(); var second = two.timeline(); var stream = new Stream()) {
            var values = new SemaphoreValues();
            assertSame(values, values.add(first, 3));
            values.add(second, 4);
            assertEquals(2, values.count());
            stream.signalSemaphores(values);
            stream.waitForSemaphores(values);
            stream.synchronize();
            assertEquals(3, one.value());
            assertEquals(4, two.value());
            stream.signalSemaphores(new SemaphoreValues());  // nothing
            assertThrows(NullPointerException.class, () -> values.add(null, 1));
        }
    }

    @Test
    void queuedWorkKeepsIt() {
        try (var other = new External(); var stream = new Stream(); var host = new Stream(StreamFlags.NON_BLOCKING)) {
            var timeline = other.timeline();
            stream.waitForSemaphore(timeline, 1);
            timeline.close();
            assertThrows(Driver.LogicError.class, () -> stream.signalSemaphore(timeline, 1));
            Driver.memcpyHtodAsync(other.view, word(1), host);
            stream.synchronize();
        }
    }

    @Test
    void nodes() {
        try (var other = new External(); var timeline = other.timeline(); var stream = new Stream(); var graph = new Graph()) {
            GraphNode signal = graph.signalSemaphores(new SemaphoreValues().add(timeline, 1));
            GraphNode wait = signal.waitForSemaphores(new SemaphoreValues().add(timeline, 1));
            assertEquals(GraphNodeKind.EXT_SEMAS_SIGNAL, signal.kind());
            assertEquals(GraphNodeKind.EXT_SEMAS_WAIT, wait.kind());
            assertEquals(1L, signal.parameters().get("values"));
            assertEquals(timeline.nativeHandle(), wait.parameters().get("semaphores"));
            try (var run = graph.instantiate()) {
                run.launch(stream);
                stream.synchronize();
                assertEquals(1, other.value());
                run.node(signal).updateSemaphores(new SemaphoreValues().add(timeline, 9));
                timeline.close();  // the graph keeps it
                run.launch(stream);
                stream.synchronize();
                assertEquals(9, other.value());
                var error = assertThrows(Driver.LogicError.class, () -> signal.updateSemaphores(new SemaphoreValues().add(timeline, 1)));
                assertTrue(error.getMessage().contains("closed"), error.getMessage());
            }
        }
    }

    @Test
    void aFailedImportLeavesTheDescriptorToTheProgram() {
        for (var type : ExternalSemaphoreHandleType.values()) {
            if (!type.name().endsWith("_FD")) {
                var error = assertThrows(Driver.LogicError.class, () -> new ExternalSemaphore(0, type));
                assertTrue(error.getMessage().contains(type + " is not a file descriptor"), error.getMessage());
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new ExternalSemaphore(-1));
        assertThrows(Driver.Error.class, () -> new ExternalSemaphore(0));
    }
}
