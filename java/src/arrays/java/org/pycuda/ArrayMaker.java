package org.pycuda;

import java.lang.ref.WeakReference;

/** A thread's storage of closed arrays, which it reuses for new ones. */
final class ArrayMaker {
    private static final int MOST = 16;

    /** Weak: a reference to this object must not keep the thread alive, because the thread's end releases both. */
    private final WeakReference<Thread> thread = new WeakReference<>(Thread.currentThread());
    private final ArrayStorage[] left = new ArrayStorage[MOST];
    private int count;

    /** @param likely tried first; may be null */
    static ArrayMaker ofThisThread(ArrayMaker likely) {
        return likely != null && likely.isOfThisThread() ? likely : PerThread.current().arrayMaker;
    }

    boolean isOfThisThread() {
        return thread.get() == Thread.currentThread();
    }

    /** Takes storage without other references. */
    ArrayStorage take() {
        if (count == 0) {
            return new ArrayStorage(this);
        }
        ArrayStorage taken = left[--count];
        left[count] = null;
        return taken;
    }

    /** False if enough are kept already. */
    boolean give(ArrayStorage storage) {
        if (count == MOST) {
            return false;
        }
        left[count++] = storage;
        return true;
    }
}
