package org.pycuda;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;

/** Keeps host memory of copies on default streams until they are complete: there is no Stream object that could keep it. */
final class DefaultStreamData {
    private record Copy(Event done, Object data) {}

    /** Of each context, in the order of its default stream: the first completes first. */
    private static final Map<Long, Queue<Copy>> COPIES = new HashMap<>();

    /** Number of queries whether a copy is complete: for tests. */
    static volatile long looks;

    private DefaultStreamData() {}

    /** Keeps {@code data} ({@link HostUse#kept}) until the current context's default stream has completed its queued work. */
    static void keep(Object data) {
        var copy = new Copy(new Event(EventFlags.DISABLE_TIMING).record(), data);
        long context = DriverProxy.currentContext();
        synchronized (COPIES) {
            COPIES.computeIfAbsent(context, first -> new ArrayDeque<>()).add(copy);
            for (Iterator<Queue<Copy>> queues = COPIES.values().iterator(); queues.hasNext();) {
                Queue<Copy> queue = queues.next();
                while (!queue.isEmpty() && isDone(queue.peek())) {
                    queue.remove();
                }
                if (queue.isEmpty()) {
                    queues.remove();
                }
            }
        }
    }

    private static boolean isDone(Copy copy) {
        looks = looks + 1;
        try {
            if (!copy.done.query()) {
                return false;
            }
        } catch (Driver.Error error) {
            // The context failed or has ended: its copies are over.
        }
        copy.done.close();
        HostUse.release(copy.data);
        return true;
    }
}
