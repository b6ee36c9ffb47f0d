package org.pycuda;

/**
 * Host memory of copies that were queued on one stream, kept for all of them together: native code has one reference to this instead of one
 * to each, and records one event. It seals this before it records the event, so what has been added by then was queued before.
 */
final class KeptCopies implements KeptMemory {
    private static final int MOST = 32;

    private final Object[] kept = new Object[MOST];
    private int count;
    private boolean isSealed;

    KeptCopies(Object first) {
        kept[count++] = first;
    }

    /** Keeps what a copy uses that has been queued. False, if this is full or sealed: then it takes another one. */
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
