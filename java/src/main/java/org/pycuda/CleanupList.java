package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Keeps references reachable, in no order. It has its own lock: the guarded code is a few instructions, and a monitor costs as much
 * as the rest.
 */
final class CleanupList {
    private static final VarHandle LOCKED;
    private static final int LEAST = 256;
    private static final int SPINS = 64;
    private static final int ABSENT = -1;

    @SuppressWarnings("unused")  // by its handle
    private volatile boolean locked;
    private Cleanup[] list = new Cleanup[LEAST];
    private int count;

    static {
        try {
            LOCKED = MethodHandles.lookup().findVarHandle(CleanupList.class, "locked", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    void add(Cleanup added) {
        lock();
        try {
            if (count == list.length) {
                list = Arrays.copyOf(list, 2 * count);
            }
            added.index = count;
            list[count++] = added;
        } finally {
            unlock();
        }
    }

    /** True if it was in the list. The last element takes its index. */
    boolean remove(Cleanup removed) {
        lock();
        try {
            int index = removed.index;
            if (index == ABSENT) {
                return false;
            }
            Cleanup last = list[--count];
            if (last != removed) {
                last.index = index;
                list[index] = last;
            }
            list[count] = null;
            removed.index = ABSENT;
            if (count < list.length / 8 && list.length > LEAST) {
                shrink();
            }
            return true;
        } finally {
            unlock();
        }
    }

    private void shrink() {
        try {
            list = Arrays.copyOf(list, list.length / 4);
        } catch (OutOfMemoryError none) {
            // the list keeps its capacity
        }
    }

    private void lock() {
        for (int tries = 0; !LOCKED.compareAndSet(this, false, true); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();  // its holder may wait for a processor
            }
        }
    }

    private void unlock() {
        LOCKED.setRelease(this, false);
    }
}
