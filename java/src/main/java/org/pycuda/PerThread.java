package org.pycuda;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * State of a thread. A thread refers to it weakly: threads of a server outlive the class loader of an application, and
 * would keep the loader from being collected.
 */
final class PerThread {
    private static final ThreadLocal<WeakReference<PerThread>> OF_THREAD = new ThreadLocal<>();
    /** The states of live platform threads, which keeps them reachable. */
    private static final Map<Long, PerThread> ALL = new ConcurrentHashMap<>();
    private static final AtomicLong COUNT = new AtomicLong();

    final ArrayMaker arrayMaker = new ArrayMaker();
    /** The innermost scope; null: there is none. */
    ArrayScope scope;
    /** Null until it is used. */
    Staging staging;
    /** For a virtual thread: whether it is pinned to its carrier. */
    boolean pinned;
    private ArgumentBlock argumentBlock;

    private PerThread() {}

    /** A virtual thread keeps its state itself, because it ends soon. */
    private static final class Kept extends WeakReference<PerThread> {
        @SuppressWarnings("unused")
        private final PerThread kept;

        Kept(PerThread kept) {
            super(kept);
            this.kept = kept;
        }
    }

    static PerThread current() {
        WeakReference<PerThread> reference = OF_THREAD.get();
        PerThread known = reference == null ? null : reference.get();
        return known != null ? known : first();
    }

    private static PerThread first() {
        var made = new PerThread();
        if (VirtualThreads.isCurrent()) {
            OF_THREAD.set(new Kept(made));
        } else {
            long number = COUNT.incrementAndGet();
            ALL.put(number, made);
            Cleanup.register(Thread.currentThread(), ALL::remove, number);
            OF_THREAD.set(new WeakReference<>(made));
        }
        return made;
    }

    ArgumentBlock argumentBlock() {
        if (argumentBlock == null) {
            argumentBlock = new ArgumentBlock(ArgumentBlock.CAPACITY);
        }
        return argumentBlock;
    }
}
