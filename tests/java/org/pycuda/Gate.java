package org.pycuda;

import java.util.concurrent.CountDownLatch;

/**
 * A host function in a stream that returns when the gate is opened: work queued behind it waits. NVIDIA's driver loads no code meanwhile, so
 * use each kernel and array operation once before (docs/cpu_device.md, "Loads").
 */
final class Gate implements AutoCloseable {
    final Stream stream;
    private final CountDownLatch opened = new CountDownLatch(1);

    /** Holds a stream from here on. */
    Gate(Stream stream) {
        this.stream = stream;
        stream.addHostFunction(() -> {
            try {
                opened.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** The same of a new stream. */
    Gate() {
        this(new Stream(StreamFlags.NON_BLOCKING));
    }

    /** Lets the stream go on, and waits for it. */
    void open() {
        opened.countDown();
        stream.synchronize();
    }

    @Override
    public void close() {
        open();
    }
}
