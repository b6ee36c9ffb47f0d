package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Starts and ends each test with no context on this thread. */
class ContextTest {
    private Device device;

    @BeforeEach
    void emptyStack() {
        Driver.init();
        device = new Device(0);
        popAll();
    }

    @AfterEach
    void popAll() {
        while (Context.currentOrNull() != null) {
            Context.pop();
        }
    }

    @Test
    void creatingPushesAndClosingPops() {
        try (var context = device.makeContext(CtxFlags.SCHED_SPIN, CtxFlags.MAP_HOST)) {
            assertTrue(context.isCurrent());
            assertEquals(device, Context.device());
            assertTrue(context.apiVersion() > 0);
            Context.synchronize();
        }
        assertNull(Context.currentOrNull());
    }

    @Test
    void attachRequiresOneMoreClose() {
        assertThrows(Driver.LogicError.class, () -> Context.attach());
        try (var context = device.makeContext()) {
            try (var attached = Context.attach()) {
                assertEquals(context, attached);
            }
            assertTrue(context.isCurrent());
            Driver.memAlloc(4).close();
            assertThrows(Driver.LogicError.class, () -> Context.attach(1));
        }
        assertNull(Context.currentOrNull());
    }

    @Test
    void stackIsLastInFirstOut() {
        try (var first = device.makeContext(); var second = device.makeContext()) {
            assertNotEquals(first, second);
            assertTrue(second.isCurrent());
            first.push();
            assertTrue(first.isCurrent());
            Context.pop();
            assertTrue(second.isCurrent());
        }
    }

    @Test
    void pushedReturnsAScope() {
        try (var context = device.makeContext()) {
            Context.pop();
            try (var scope = context.pushed()) {
                assertTrue(context.isCurrent());
                scope.close();
                assertNull(Context.currentOrNull());
            }
            assertNull(Context.currentOrNull());
        }
    }

    @Test
    void nothingWorksWithoutAContext() {
        assertThrows(Driver.LogicError.class, Context::pop);
        assertThrows(Driver.LogicError.class, Context::synchronize);
        assertThrows(Driver.LogicError.class, () -> Driver.memAlloc(4));
        assertThrows(Driver.LogicError.class, Stream::new);
    }

    @Test
    void detachEndsTheContextAndCloseIsANoOp() {
        var context = device.makeContext();
        context.detach();
        assertNull(Context.currentOrNull());
        assertFalse(context.isValid());
        assertThrows(Driver.LogicError.class, context::detach);
        assertThrows(Driver.LogicError.class, context::push);
        assertDoesNotThrow(context::close);
        assertDoesNotThrow(context::close);
    }

    @Test
    void objectsOfADetachedContextAreUnusableAndCloseQuietly() {
        var context = device.makeContext();
        var allocation = Driver.memAlloc(16);
        var stream = new Stream();
        context.detach();
        assertThrows(Driver.LogicError.class, stream::synchronize);
        assertDoesNotThrow(allocation::close);
        assertDoesNotThrow(stream::close);
    }

    @Test
    void primaryContextIsShared() {
        try (var first = device.retainPrimaryContext(); var second = device.retainPrimaryContext()) {
            assertNull(Context.currentOrNull());
            first.push();
            assertTrue(second.isCurrent());
            Context.pop();
        }
    }

    @Test
    void everyRetainOfThePrimaryContextIsCounted() {
        try (var first = device.retainPrimaryContext(); var second = device.retainPrimaryContext()) {
            first.push();
            var memory = Driver.memAlloc(16);
            second.close();
            second.close();
            assertThrows(Driver.LogicError.class, second::detach);
            assertTrue(first.isCurrent() && memory.pointer() != 0);
            Driver.memAlloc(16).close();
            memory.close();
            Context.pop();
            first.detach();
            assertThrows(Driver.LogicError.class, first::detach);
        }
    }

    @Test
    void aContextThatEndedBelowAnotherIsNotCurrent() {
        try (var below = device.makeContext()) {
            var lower = device.makeContext();
            try (var upper = device.makeContext()) {
                lower.detach();
                Context.pop();
                assertTrue(below.isCurrent());
                Driver.memAlloc(16).close();
            }
        }
    }

    @Test
    void missingContextErrorSuggestsTheContextToPush() throws InterruptedException {
        try (var context = device.makeContext()) {
            var message = new String[1];
            var thread = new Thread(() -> message[0] = assertThrows(Driver.LogicError.class, () -> Driver.memAlloc(16)).getMessage());
            thread.start();
            thread.join();
            assertTrue(message[0].contains("A context of device 0 exists: open a scope with Context.pushed()"), message[0]);
        }
    }

    @Test
    void streamOfAnotherContextIsReported() {
        try (var first = device.makeContext(); var stream = new Stream()) {
            try (var second = device.makeContext(); var event = new Event()) {
                var error = assertThrows(Driver.LogicError.class, () -> event.record(stream));
                assertTrue(error.getMessage().contains("the stream belongs to another context"), error.getMessage());
            }
        }
    }

    @Test
    void limitsAndCacheConfigAreStored() {
        try (var context = device.makeContext()) {
            Context.setLimit(Limit.STACK_SIZE, 4096);
            assertTrue(Context.limit(Limit.STACK_SIZE) >= 4096);
            assertThrows(IllegalArgumentException.class, () -> Context.setLimit(Limit.STACK_SIZE, -1));
            Context.setCacheConfig(FuncCache.PREFER_SHARED);
            assertTrue(FuncCache.values().length == 4 && Context.cacheConfig() != null);
        }
    }

    @Test
    void belongsToTheThreadThatPushedIt() throws InterruptedException {
        try (var context = device.makeContext()) {
            var seen = new Context[] {context};
            var worked = new boolean[1];
            var thread = new Thread(() -> {
                seen[0] = Context.currentOrNull();
                try (var scope = context.pushed(); var memory = Driver.memAlloc(64)) {
                    worked[0] = memory.pointer() != 0;
                }
            });
            thread.start();
            thread.join();
            assertNull(seen[0]);
            assertTrue(worked[0]);
            assertTrue(context.isCurrent());
        }
    }

    @Test
    void aScopePopsItsOwnContextOnly() throws InterruptedException {
        Context before = Autoinit.context();
        try (var context = new Device(0).makeContext(); var other = new Device(0).makeContext()) {
            Context.pop();
            Context.pop();
            var scope = context.pushed();
            other.push();
            assertThrows(Driver.LogicError.class, scope::close);
            assertTrue(other.isCurrent());
            Context.pop();
            var error = new Throwable[1];
            var thread = new Thread(() -> {
                try (var there = context.pushed()) {
                    scope.close();
                } catch (Driver.LogicError refused) {
                    error[0] = refused;
                }
            });
            thread.start();
            thread.join();
            assertNotNull(error[0]);
            scope.close();
            scope.close();
            assertTrue(before.isCurrent());
            var ended = context.pushed();
            context.detach();
            ended.close();
        }
        assertTrue(before.isCurrent());
    }

    @Test
    void threadsOfAnExecutorHaveTheContext() throws Exception {
        try (var context = device.makeContext()) {
            var executor = context.executor(2);
            assertEquals(context, executor.submit(Context::current).get(60, TimeUnit.SECONDS));
            executor.shutdown();
            assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
            assertThrows(IllegalArgumentException.class, () -> context.executor(0));
        }
    }

    @Test
    void tasksOfAnExecutorWhoseContextHasEndedDoNotWaitForever() throws Exception {
        var context = device.makeContext();
        var executor = context.executor(1);
        context.close();
        var failure = assertThrows(ExecutionException.class, () -> executor.submit(() -> Driver.memAlloc(4)).get(60, TimeUnit.SECONDS));
        assertInstanceOf(Driver.LogicError.class, failure.getCause());
        assertEquals(5, executor.submit(() -> 5).get(60, TimeUnit.SECONDS), "a task that needs no context");
        executor.shutdown();
    }
}
