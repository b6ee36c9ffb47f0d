package org.pycuda;

import java.util.function.DoubleSupplier;

/** The time between two points of a stream. Its events end once the time is known. */
final class LaunchTiming implements DoubleSupplier, AutoCloseable {
    private final Stream stream;
    private final Event start;
    private final Event end;
    private double seconds = -1;

    /** Starts after the work now queued on {@code stream}. */
    LaunchTiming(Stream stream) {
        this.stream = stream;
        start = new Event();
        try {
            end = new Event();
            start.record(stream);
        } catch (RuntimeException failure) {
            start.close();  // the other one, if it was made, is unreachable
            throw failure;
        }
    }

    /** Ends after the work that is queued now. */
    void end() {
        end.record(stream);
    }

    /** Waits for the end; seconds. */
    @Override
    public synchronized double getAsDouble() {
        if (seconds < 0) {
            end.synchronize();
            seconds = end.timeSince(start) * 1e-3;
            close();
        }
        return seconds;
    }

    @Override
    public void close() {
        start.close();
        end.close();
    }
}
