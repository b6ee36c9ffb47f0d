package org.pycuda;

/**
 * Host memory of copies that were queued on one stream, kept together: native code has one reference to this instead of one for each copy,
 * and records one event. It seals this object before it records the event, so everything in it was queued before the event.
 */
final class KeptCopies implements KeptMemory {
    private static final int MOST = 32;

    private final Object[] kept = new Object[MOST];
    private int count;
    private boolean isSealed;

    KeptCopies(Object first) {
        kept[count++] = first;
    }

    /** Keeps the memory of a queued copy. False if this object is full or sealed: use another one. */
    synchronized boolean add(Object used) {
        if (isSealed || count == MOST) {
            return false;
        }
        kept[count++] = used;
        return true;
    }

    /** Called by native code. */
    synchronized void seal() {
        isSealed = true;
    }

    @Override
    public synchronized void release() {
        isSealed = true;
        while (count > 0) {
            KeptMemory.release(kept[--count]);
            kept[count] = null;
        }
    }
}
