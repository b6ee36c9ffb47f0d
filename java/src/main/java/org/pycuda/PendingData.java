package org.pycuda;

import java.util.ArrayDeque;

/** What a stream needs until it has passed it, in queue order: host memory of copies, device memory of launches. */
final class PendingData {
    private final ArrayDeque<Object> data = new ArrayDeque<>();
    private long added;
    private long released;

    synchronized void add(Object item) {
        data.add(item);
        added++;
    }

    synchronized boolean isEmpty() {
        return data.isEmpty();
    }

    /** Names everything added so far, for {@link #release}. */
    synchronized long mark() {
        return added;
    }

    /** Lets go of everything up to {@code mark}; device memory is freed now. */
    synchronized void release(long mark) {
        while (released < mark) {
            released++;
            if (data.poll() instanceof DeviceAllocation allocation) {
                allocation.close();
            }
        }
    }

    void releaseAll() {
        release(mark());
    }
}
