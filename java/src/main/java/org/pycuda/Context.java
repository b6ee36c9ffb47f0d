package org.pycuda;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A CUDA context. It stays alive while an object created in it does. Contexts are current per thread: each thread has the
 * driver's stack of contexts, which other libraries use too.
 *
 * <pre>{@code
 * try (var context = new Device(0).makeContext(); var memory = Driver.memAlloc(1000)) {
 *     Driver.memsetD8(memory, 0, 1000);
 *     Context.synchronize();
 * }
 * }</pre>
 */
public final class Context extends ContextProxy {
    /** This object has released its reference: a primary context may have others. */
    private final AtomicBoolean detached = new AtomicBoolean();

    Context(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** A context pushed for a block of code; {@link #close} pops it. */
    public static final class Scope implements AutoCloseable {
        private final Context context;
        private final Thread thread = Thread.currentThread();
        private boolean open = true;

        private Scope(Context context) {
            this.context = context;
        }

        /**
         * Pops the context, once. LogicError, and nothing is popped, if another context is current: on another thread than the one that
         * called {@link Context#pushed}, or if contexts pushed inside the scope were not popped. No-op if the context has ended.
         */
        @Override
        public void close() {
            if (!open) {
                return;
            }
            if (thread == Thread.currentThread() && isOnTop()) {
                pop();
            } else if (context.isValid()) {
                throw new Driver.LogicError("the context of this scope is not the current one: pop what was pushed inside the scope first, "
                    + "and close the scope on the thread that opened it", "Context.Scope.close", 0);
            }
            open = false;
        }

        /** If the driver does not report the current context, the context is popped: a scope is closed only once. */
        private boolean isOnTop() {
            try {
                return context.isCurrent();
            } catch (Driver.Error unknown) {
                open = false;
                pop();
                throw unknown;
            }
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>{@link #close} does the same; a second call does nothing. Several objects may stand for a primary context, and each releases
     * its own reference.
     */
    @Override
    public void detach() {
        if (!detached.compareAndSet(false, true)) {
            throw new Driver.LogicError("context has ended", "context", 0);
        }
        super.detach();
    }

    @Override
    void nativeClose() {
        if (detached.compareAndSet(false, true)) {
            super.nativeClose();
        }
    }

    /**
     * What {@link #run(Work)} runs: a Callable whose exceptions the compiler knows.
     *
     * @param <V> the type of the result
     * @param <E> the type of the exceptions that the code throws
     */
    @FunctionalInterface
    public interface Work<V, E extends Exception> {
        /**
         * Runs the code.
         *
         * @return its result
         * @throws E what the code throws
         */
        V call() throws E;
    }

    /**
     * What {@link #run(Action)} runs: a Runnable whose exceptions the compiler knows.
     *
     * @param <E> the type of the exceptions that the code throws
     */
    @FunctionalInterface
    public interface Action<E extends Exception> {
        /**
         * Runs the code.
         *
         * @throws E what the code throws
         */
        void run() throws E;
    }

    /**
     * Runs an action with this context current on this thread: {@link #run(Work)} for code that returns nothing.
     *
     * @throws E what the action throws
     */
    public <E extends Exception> void run(Action<E> action) throws E {
        Objects.requireNonNull(action, "action");
        Work<Void, E> work = () -> {
            action.run();
            return null;
        };
        run(work);
    }

    /**
     * Runs work with this context current on this thread, and returns its result. A virtual thread stays pinned to its
     * carrier until the work is done: do not wait in it for other virtual threads.
     *
     * @throws E what the work throws
     */
    public <V, E extends Exception> V run(Work<V, E> work) throws E {
        Objects.requireNonNull(work, "work");
        Work<V, E> inScope = () -> {
            Scope scope = pushed();
            try (scope) {
                return work.call();
            }
        };
        return VirtualThreads.pinned(inScope);
    }

    /**
     * New threads, one for each processor, on which this context is current: {@code CompletableFuture.supplyAsync(() -> ..., executor)}.
     * They are daemon threads; shut the executor down when it is no longer needed.
     */
    public ExecutorService executor() {
        return executor(Runtime.getRuntime().availableProcessors());
    }

    /** The same as {@link #executor()} with this number of threads. */
    public ExecutorService executor(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("an executor needs at least one thread, not " + threads);
        }
        var number = new AtomicInteger();
        return Executors.newFixedThreadPool(threads, work -> {
            var thread = new Thread(() -> runOnThread(work), "pycuda-context-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Runs a thread of an executor. If the context has ended, its tasks run without it and fail with an error that says so: a thread that ended
     * here would leave its tasks waiting forever.
     */
    private void runOnThread(Runnable work) {
        Scope scope = pushedUnlessEnded();
        try (scope) {
            work.run();
        }
    }

    /** Null if the context has ended. */
    private Scope pushedUnlessEnded() {
        try {
            return pushed();
        } catch (Driver.Error ended) {
            return null;
        }
    }

    /** Waits until all that was queued in the current context is done. Arenas whose memory it used can then be closed. */
    public static void synchronize() {
        List<HostUse> uses = HostUse.isAnyHeld() ? HostUse.heldIn(DriverProxy.currentContext()) : List.of();
        ContextProxy.synchronize();
        HostUse.releaseAll(uses);
    }

    @Override
    public void push() {
        VirtualThreads.requirePinned("push");
        super.push();
    }

    /** Pushes the context until the scope is closed: {@code try (var scope = context.pushed()) { ... }}. */
    public Scope pushed() {
        push();
        return new Scope(this);
    }

    /** Whether this context is current on this thread. */
    boolean isCurrent() {
        return equals(currentOrNull());
    }
}
