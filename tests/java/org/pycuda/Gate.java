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
                if (!opened.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                    printStacks();
                }
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

    /** The stack of every thread: one of them waits for the blocked stream. */
    private static void printStacks() {
        System.err.println("a gate was still closed after " + LONGEST_SECONDS + " seconds:");
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            System.err.println(thread);
            for (StackTraceElement frame : frames) {
                System.err.println("    at " + frame);
            }
        });
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
