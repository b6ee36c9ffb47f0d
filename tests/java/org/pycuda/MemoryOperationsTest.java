package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Streams that write words of memory and wait for them, also in graphs; other attributes of streams and contexts. */
class MemoryOperationsTest implements WithContext {
    /** Words that the host can write while a stream waits. */
    private static DevicePointer at(HostPointer words, long nbytes) {
        return DevicePointer.of(words.devicePointer() + nbytes);
    }

    @Test
    void writesAndWaits() {
        try (var stream = new Stream(); var words = PinnedMemory.of(DType.INT64, 2).mapped().zeros()) {
            stream.writeValue64(at(words, 8), -2);
            stream.synchronize();
            assertEquals(-2, words.asLongBuffer().get(1));
            stream.waitValue64(at(words, 0), 5);
            Driver.memsetD32Async(at(words, 8), 7, 1, stream);
            assertFalse(stream.isDone());
            words.asLongBuffer().put(0, 6);
            stream.synchronize();
            assertEquals(7, words.asIntBuffer().get(2));
            stream.waitValue32(at(words, 0), 6, StreamWaitValueFlags.EQ);
            stream.writeValue32(at(words, 0), 9, StreamWriteValueFlags.DEFAULT);
            stream.synchronize();
            assertEquals(9, words.asIntBuffer().get(0));
        }
    }

    @Test
    void refusesWrongWords() {
        var stream = new Stream();
        var memory = Driver.memAlloc(64);
        var error = assertThrows(Driver.LogicError.class, () -> stream.writeValue32(memory.plus(1), 1));
        assertTrue(error.getMessage().contains("the word at 0x"), error.getMessage());
        memory.close();
        assertThrows(Driver.LogicError.class, () -> stream.writeValue32(memory, 1));
        stream.close();
        assertThrows(Driver.LogicError.class, () -> stream.writeValue32(memory, 1));
    }

    @Test
    void queuesABatch() {
        try (var words = PinnedMemory.of(DType.INT32, 2).mapped().zeros(); var stream = new Stream()) {
            var operations = new MemoryOperations();
            assertSame(operations, operations.writeValue32(at(words, 0), 1));
            operations.waitValue32(at(words, 0), 1).writeValue32(at(words, 4), 2);
            assertEquals(3, operations.count());
            assertTrue(operations.texts().get(0).startsWith("write_value32("), operations.texts().get(0));
            operations.queue(stream);
            stream.synchronize();
            assertEquals(2, words.asIntBuffer().get(1));
            new MemoryOperations().queue();  // nothing
        }
    }

    @Test
    void runsInGraphs() {
        try (var words = PinnedMemory.of(DType.INT32, 3).mapped().zeros(); var graph = new Graph()) {
            GraphNode node = graph.memoryOperations(new MemoryOperations().writeValue32(at(words, 0), 1));
            assertEquals(GraphNodeKind.BATCH_MEM_OP, node.kind());
            assertEquals(1, node.operations().count());
            assertEquals(1L, node.parameters().get("count"));
            try (var run = graph.instantiate()) {
                run.launch();
                run.node(node).updateMemoryOperations(new MemoryOperations().writeValue32(at(words, 4), 2));
                run.launch();
                Context.synchronize();
            }
            node.updateMemoryOperations(new MemoryOperations().writeValue32(at(words, 8), 3));
            try (var run = graph.instantiate()) {
                run.launch();
                Context.synchronize();
            }
            for (int i = 0; i < 3; i++) {
                assertEquals(i + 1, words.asIntBuffer().get(i));
            }
            assertThrows(Driver.LogicError.class, () -> graph.memoryOperations(new MemoryOperations()));
            assertThrows(Driver.LogicError.class, () -> graph.empty().operations());
        }
    }

    @Test
    void streamsHaveAttributes() {
        try (var one = new Stream(); var other = new Stream()) {
            assertTrue(one.id() != other.id());
            assertEquals(new Device(0), one.device());
            int urgent = Context.streamPriorityRange().greatest();
            one.setAttribute(LaunchAttribute.PRIORITY, urgent);
            assertEquals(List.of((long) urgent), one.attribute(LaunchAttribute.PRIORITY));
            one.setAttribute(LaunchAttribute.SYNCHRONIZATION_POLICY, SynchronizationPolicy.YIELD);
            other.copyAttributes(one);
            assertEquals((long) SynchronizationPolicy.YIELD.value(), other.attribute(LaunchAttribute.SYNCHRONIZATION_POLICY).get(0));
            assertThrows(Driver.LogicError.class, () -> one.attribute(LaunchAttribute.COOPERATIVE));
            assertThrows(Driver.LogicError.class, () -> one.setAttribute(LaunchAttribute.COOPERATIVE, true));
            assertThrows(IllegalArgumentException.class, () -> one.setAttribute(LaunchAttribute.PRIORITY));
            assertThrows(NullPointerException.class, () -> one.attribute(null));
        }
    }

    @Test
    void contextsHaveIdsAndFlags() {
        long before = Context.current().id();
        var context = new Device(0).makeContext(CtxFlags.SCHED_YIELD);
        try {
            assertTrue(context.id() != before);
            Context.setFlags(CtxFlags.SCHED_BLOCKING_SYNC);
            assertTrue(Context.flags().contains(CtxFlags.SCHED_BLOCKING_SYNC));
            assertThrows(Driver.LogicError.class, () -> Context.setFlags(CtxFlags.SCHED_MASK));
            Context.resetPersistingL2Cache();
            assertTrue(SMResource.ofContext(context).smCount() > 0);
        } finally {
            context.close();
        }
        assertThrows(Driver.LogicError.class, context::id);
    }

    @Test
    void eventsOfCapturesAreSeenOutside() {
        try (var stream = new Stream(); var before = new Event(); var reached = new Event(); var result = Driver.managedZeros(DType.INT32, 1)) {
            Graph graph;
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                stream.waitForExternalEvent(before);
                Driver.memsetD32Async(result, 7, 1, stream);
                reached.recordExternal(stream);
                graph = capture.end();
            }
            try (graph; var run = graph.instantiate()) {
                before.record();
                run.launch(stream);
                reached.synchronize();
                assertEquals(7, result.asIntBuffer().get(0));
            }
        }
    }
}
