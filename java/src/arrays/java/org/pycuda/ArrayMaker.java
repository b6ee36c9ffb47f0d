package org.pycuda;

import java.lang.ref.WeakReference;

/** What a thread keeps of the arrays that it made and closed, for the next ones. */
final class ArrayMaker {
    private static final int MOST = 16;

    /** Weak: what keeps this object must not keep the thread, whose end is what ends both. */
    private final WeakReference<Thread> thread = new WeakReference<>(Thread.currentThread());
    private final ArrayStorage[] left = new ArrayStorage[MOST];
    private int count;

    /** @param likely is looked at first; may be null */
    static ArrayMaker ofThisThread(ArrayMaker likely) {
        return likely != null && likely.isOfThisThread() ? likely : PerThread.current().arrayMaker;
    }

    boolean isOfThisThread() {
        return thread.get() == Thread.currentThread();
    }

    /** It has no other reference. */
    ArrayStorage take() {
        if (count == 0) {
            return new ArrayStorage(this);
        }
        ArrayStorage taken = left[--count];
        left[count] = null;
        return taken;
    }

    /** False when there are enough. */
    boolean give(ArrayStorage storage) {
        if (count == MOST) {
            return false;
        }
        left[count++] = storage;
        return true;
    }
}
