package org.pycuda;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;

/** Keeps host memory of copies on default streams until they are done; there is no Stream object to keep it. */
final class DefaultStreamData {
    private record Copy(Event done, Object data) {}

    /** Of each context, in the order of its default stream: the first is done before all others. */
    private static final Map<Long, Queue<Copy>> COPIES = new HashMap<>();

    /** How often a copy was asked whether it is done: for tests. */
    static volatile long looks;

    private DefaultStreamData() {}

    /** Keeps {@code data} ({@link HostUse#kept}) until the current context's default stream has passed what is queued on it now. */
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
            // The context failed or is gone: nothing is copied in it any more.
        }
        copy.done.close();
        HostUse.release(copy.data);
        return true;
    }
}
