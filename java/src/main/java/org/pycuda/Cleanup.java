package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Frees the native side of an object that became unreachable, on a thread of its own. What java.lang.ref.Cleaner does, for a third of the
 * cost: to register is one object and one atomic instruction, and the list of all is that thread's alone.
 */
final class Cleanup extends PhantomReference<Object> {
    private static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();
    private static final VarHandle NEWEST;
    private static final long PATIENCE_MILLIS = 2000;
    private static final long STEP_MILLIS = 10;
    private static final int QUIET_STEPS = 4;

    /** Registered, and not in the list yet; linked by {@link #next}. */
    private static volatile Cleanup newest;
    /** How many were begun and finished: written by the thread that cleans. */
    private static volatile long started;
    private static volatile long finished;

    private final LongConsumer delete;
    private final long pointer;
    /** A reference must be reachable until its object is not. The list's first is a sentinel. */
    private Cleanup next;
    private Cleanup previous;

    static {
        try {
            NEWEST = MethodHandles.lookup().findStaticVarHandle(Cleanup.class, "newest", Cleanup.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
        var thread = new Thread(null, new Cleaning(), "pycuda cleanup", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.setPriority(Thread.MAX_PRIORITY - 2);
        thread.start();
    }

    private Cleanup(Object object, LongConsumer delete, long pointer) {
        super(object, UNREACHABLE);
        this.delete = delete;
        this.pointer = pointer;
    }

    /** Calls {@code delete}, which must not refer to {@code object}, with {@code pointer} once {@code object} is unreachable. */
    static void register(Object object, LongConsumer delete, long pointer) {
        var made = new Cleanup(object, delete, pointer);
        Cleanup before;
        do {
            before = newest;
            made.next = before;
        } while (!NEWEST.compareAndSet(before, made));
        Reference.reachabilityFence(object);
    }

    /** What the thread does. */
    private static final class Cleaning implements Runnable {
        private final Cleanup list = new Cleanup(null, null, 0);

        @Override
        public void run() {
            while (true) {
                try {
                    clean((Cleanup) UNREACHABLE.remove());
                } catch (Throwable failure) {  // as Cleaner: nobody is there to hear of it, and others wait
                    Thread.interrupted();
                }
            }
        }

        private void clean(Cleanup unreachable) {
            started = started + 1;
            try {
                if (unreachable.previous == null) {
                    adopt((Cleanup) NEWEST.getAndSet(null));
                }
                unreachable.previous.next = unreachable.next;
                if (unreachable.next != null) {
                    unreachable.next.previous = unreachable.previous;
                }
                unreachable.delete.accept(unreachable.pointer);
            } finally {
                finished = finished + 1;
            }
        }

        /** Puts all that were registered of late in the list. */
        private void adopt(Cleanup registered) {
            Cleanup each = registered;
            while (each != null) {
                Cleanup following = each.next;
                each.previous = list;
                each.next = list.next;
                if (list.next != null) {
                    list.next.previous = each;
                }
                list.next = each;
                each = following;
            }
        }
    }

    /**
     * Collects garbage and waits, but not forever, until what was found is freed. The core calls this when device memory is
     * out: the JVM sees only the small Java objects that hold it, and would see no reason to collect.
     */
    static void collectGarbage() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        var cleaned = new CountDownLatch(1);
        register(new Object(), ignored -> cleaned.countDown(), 0);
        System.gc();
        try {
            if (cleaned.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                waitUntilQuiet(deadline);
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    /** The JVM hands references over in no order that could be relied on, and does not tell when it has no more. */
    private static void waitUntilQuiet(long deadline) throws InterruptedException {
        long seen = -1;
        for (int quiet = 0; quiet < QUIET_STEPS && System.nanoTime() < deadline; quiet++) {
            long begun = started;
            if (begun != seen || begun != finished) {
                seen = begun;
                quiet = 0;
            }
            Thread.sleep(STEP_MILLIS);
        }
    }
}
