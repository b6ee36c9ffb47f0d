package org.pycuda;

/** Orders streams among each other. */
final class StreamJoin {
    private StreamJoin() {}

    /** What is queued on {@code waiting} from now on comes after what is queued on {@code queued} now. Null: the stream in use on this thread, or the default stream. */
    static void await(Stream ofWaiting, Stream ofQueued) {
        Stream waiting = Stream.inUse(ofWaiting);
        Stream queued = Stream.inUse(ofQueued);
        if (queued == waiting || isClosed(queued)) {
            return;
        }
        try (var reached = new Event(EventFlags.DISABLE_TIMING)) {
            reached.record(queued);
            if (waiting == null) {
                reached.synchronize();  // rare: the default stream itself waits for all streams that are not NON_BLOCKING
            } else {
                waiting.waitForEvent(reached);
            }
        }
    }

    /** A closed stream accepts no work, and closing has synchronised it. */
    private static boolean isClosed(Stream stream) {
        try {
            return stream != null && stream.getHandle() == 0;
        } catch (Driver.LogicError closed) {
            return true;
        }
    }
}
