package org.pycuda;

/**
 * A CUDA context. What is created in it keeps it alive. A current context belongs to a thread: each has a stack of them, the
 * driver's own, so contexts of other libraries mix freely.
 */
public final class Context extends ContextProxy {
    Context(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** A context pushed for a block of code; {@link #close} pops it. */
    public static final class Scope implements AutoCloseable {
        private boolean open = true;

        private Scope() {}

        /** Pops the context, once. Call it on the thread that called {@link Context#pushed}. */
        @Override
        public void close() {
            if (open) {
                open = false;
                pop();
            }
        }
    }

    /** {@link #push}, undone by the scope: {@code try (var scope = context.pushed()) { ... }}. */
    public Scope pushed() {
        push();
        return new Scope();
    }

    /** Whether it is the context current on this thread. */
    boolean isCurrent() {
        return equals(currentOrNull());
    }
}
