package org.pycuda;

import java.util.ArrayList;

/** Keeps host memory of copies on a default stream reachable until they are done; there is no Stream object to keep it. */
final class DefaultStreamData {
    private record Copy(Event done, Object data) {}

    private static final ArrayList<Copy> COPIES = new ArrayList<>();

    private DefaultStreamData() {}

    /** Keeps {@code data} until the current context's default stream has passed what is queued on it now. */
    static void keep(Object data) {
        var done = new Event(EventFlags.DISABLE_TIMING).record();
        synchronized (COPIES) {
            COPIES.removeIf(DefaultStreamData::isDone);
            COPIES.add(new Copy(done, data));
        }
    }

    private static boolean isDone(Copy copy) {
        try {
            if (!copy.done.query()) {
                return false;
            }
        } catch (Driver.Error error) {
            // The context failed or is gone: nothing is copied in it any more.
        }
        copy.done.close();
        return true;
    }
}
