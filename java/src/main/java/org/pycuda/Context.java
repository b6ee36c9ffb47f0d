package org.pycuda;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A CUDA context. What is created in it keeps it alive. A current context belongs to a thread: each has a stack of them, the
 * driver's own, so contexts of other libraries mix freely.
 */
public final class Context extends ContextProxy {
    /** This object has given its reference back: a primary context may have others. */
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
         * Pops the context, once. LogicError, and nothing is popped, when another context is current: on another thread than that which
         * called {@link Context#pushed}, or when what was pushed inside the scope was not popped. Nothing to do when the context ended.
         */
        @Override
        public void close() {
            if (!open) {
                return;
            }
            if (thread == Thread.currentThread() && context.isCurrent()) {
                pop();
            } else if (context.isValid()) {
                throw new Driver.LogicError("the context of this scope is not the current one: pop what was pushed inside the scope first, "
                    + "and close the scope on the thread that opened it", "Context.Scope.close", 0);
            }
            open = false;
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>{@link #close} does the same, and nothing the second time: several objects may stand for a primary context, and each gives
     * back its own reference.
     */
    @Override
    public void detach() {
        if (!detached.compareAndSet(false, true)) {
            throw new Driver.LogicError("context is closed", "context", 0);
        }
        super.detach();
    }

    @Override
    void nativeClose() {
        if (detached.compareAndSet(false, true)) {
            super.nativeClose();
        }
    }

    /** {@link #push}, undone by the scope: {@code try (var scope = context.pushed()) { ... }}. */
    public Scope pushed() {
        push();
        return new Scope(this);
    }

    /** Whether it is the context current on this thread. */
    boolean isCurrent() {
        return equals(currentOrNull());
    }
}
