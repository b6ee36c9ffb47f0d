package org.pycuda;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A host function in a stream that returns when the gate is opened: work queued behind it waits, for a minute at most. NVIDIA's
 * driver loads no code meanwhile, so use each kernel and array operation once before (docs/cpu_device.md, "Loads").
 */
final class Gate implements AutoCloseable {
    private static final int LONGEST_SECONDS = 60;

    final Stream stream;
    private final CountDownLatch opened = new CountDownLatch(1);

    /** Holds a stream from here on. */
    Gate(Stream stream) {
        this.stream = stream;
        stream.addHostFunction(() -> {
            try {
                opened.await(LONGEST_SECONDS, TimeUnit.SECONDS);
                opened.countDown();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** The same of a new stream. */
    Gate() {
        this(new Stream(StreamFlags.NON_BLOCKING));
    }

    /** False also after a minute, which means that this thread has waited for the stream. */
    boolean isClosed() {
        return opened.getCount() != 0;
    }

    /** Lets the stream go on. */
    void release() {
        opened.countDown();
    }

    /** The same, and waits for it. */
    void open() {
        release();
        stream.synchronize();
    }

    @Override
    public void close() {
        open();
    }
}
