package org.pycuda;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Closes every array that operations create on this thread while it is the innermost scope, except those that are kept. Views are left
 * alone. Open and close it on one thread: an open scope keeps its arrays, also those that the program has dropped.
 *
 * <pre>{@code
 * var x = GPUArray.ones(DType.FLOAT32, 1000);
 * GPUArray result;
 * try (var scope = new ArrayScope()) {
 *     result = scope.keep(x.mul(2).add(x));
 * }
 * assert result.getFloats()[0] == 3;
 * }</pre>
 */
public final class ArrayScope implements AutoCloseable {
    /** Open scopes of all threads: while there is none, no thread looks for its own. */
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final ArrayScope outer = PerThread.current().scope;
    private final Set<GPUArray> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean open = true;

    /** Opens a scope on this thread. */
    public ArrayScope() {
        PerThread.current().scope = this;
        OPEN.incrementAndGet();
    }

    /** A new array enters the innermost scope, if there is one. */
    static void enter(GPUArray array) {
        ArrayScope scope = OPEN.get() == 0 ? null : PerThread.current().scope;
        if (scope != null) {
            scope.arrays.add(array);
        }
    }

    /** Moves the array to the outer scope, if there is one, and returns it. */
    public GPUArray keep(GPUArray array) {
        Objects.requireNonNull(array, "array");
        if (arrays.remove(array) && outer != null) {
            outer.arrays.add(array);
        }
        return array;
    }

    /** Closes the arrays. LogicError on another thread, or while an inner scope is open. A second call does nothing. */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        if (PerThread.current().scope != this) {
            throw new Driver.LogicError("an ArrayScope must be closed on the thread that opened it, after all scopes inside it",
                "ArrayScope.close", 0);
        }
        open = false;
        OPEN.decrementAndGet();
        PerThread.current().scope = outer;
        arrays.forEach(GPUArray::close);
        arrays.clear();
    }
}
