package org.pycuda;

/** Orders streams among each other. */
final class StreamJoin {
    private StreamJoin() {}

    /** What is queued on {@code waiting} from now on comes after what is queued on {@code queued} now. Null: the default stream. */
    static void await(Stream waiting, Stream queued) {
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
