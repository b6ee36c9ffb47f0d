package org.pycuda;

import java.lang.ref.Reference;

/** Orders streams relative to each other. */
final class StreamJoin {
    private StreamJoin() {}

    /** Orders work on {@code stream} that is queued next after the work on the arrays' streams. */
    static void before(Stream stream, GPUArray... arrays) {
        for (GPUArray array : arrays) {
            before(stream, array);
        }
    }

    /** The same for one array, or null for none. */
    static void before(Stream stream, GPUArray array) {
        if (array != null && array.stream() != null) {
            await(stream, array.stream());
        }
    }

    /** The reverse, once that work is queued. It uses the arrays, which are reachable until here. */
    static void after(Stream stream, GPUArray... arrays) {
        for (GPUArray array : arrays) {
            after(stream, array);
        }
    }

    /** The same for one array, or null for none. */
    static void after(Stream stream, GPUArray array) {
        Reference.reachabilityFence(array);
        if (array != null && array.stream() != null) {
            await(array.stream(), stream);
        }
    }

    /** Orders later work on {@code waiting} after the work now queued on {@code queued}. Null: the stream in use on this thread, or the default stream. */
    static void await(Stream ofWaiting, Stream ofQueued) {
        Stream waiting = Stream.inUse(ofWaiting);
        Stream queued = Stream.inUse(ofQueued);
        if (queued == waiting || isClosed(queued) || isClosed(waiting)) {
            return;
        }
        try (var reached = new Event(EventFlags.DISABLE_TIMING)) {
            reached.record(queued);
            if (waiting == null) {
                reached.synchronize();  // rare, since the default stream waits for all streams that are not NON_BLOCKING
            } else {
                waiting.waitForEvent(reached);
            }
        }
    }

    /** A closed stream accepts no more work, and closing has synchronised it. */
    private static boolean isClosed(Stream stream) {
        try {
            return stream != null && stream.getHandle() == 0;
        } catch (Driver.LogicError closed) {
            return true;
        }
    }
}
