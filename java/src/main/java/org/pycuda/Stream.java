package org.pycuda;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A queue of operations that are carried out in order, in the context current at its creation. Host memory of its copies, and device
 * memory of
 * its launches, stay alive until it has completed them.
 *
 * <pre>{@code
 * try (var stream = new Stream(); var memory = Driver.memAlloc(4000)) {
 *     Driver.memsetD32Async(memory, 7, 1000, stream);
 *     stream.synchronize();
 * }
 * }</pre>
 */
public final class Stream extends StreamProxy {
    /** Whether a copy into host memory was ever queued. */
    private volatile boolean writesHost;

    Stream(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** A stream without flags (cuStreamCreate). */
    public Stream() {}

    /** @param flags those of {@link StreamFlags} (cuStreamCreate) */
    public Stream(int flags) {
        super(flags);
    }

    /** @param priority lower is more urgent (cuStreamCreateWithPriority) */
    public Stream(int flags, int priority) {
        super(flags, priority);
    }

    /**
     * Queues a function of the host (cuLaunchHostFunc): it runs once all that was queued before is done, and what is queued after it
     * waits for it. It runs on a thread of the driver's: it must not call the driver, nor wait for a thread that does. What it throws is
     * logged. When the stream never gets there it is not called.
     */
    public void addHostFunction(Runnable function) {
        DriverProxy.addHostFunction(this, new HostFunction(Objects.requireNonNull(function, "function"), null));
    }

    /**
     * A future that completes when all that is queued now is done; exceptionally when the stream never gets there. What hangs on it may
     * call the driver, in its own thread and with a context that it makes current.
     */
    public CompletableFuture<Void> whenDone() {
        var done = new CompletableFuture<Void>();
        DriverProxy.addHostFunction(this, new HostFunction(null, done));
        return done;
    }

    /** A copy into host memory is about to be queued: {@link #close} waits for it. */
    void willWriteHost() {
        writesHost = true;
    }

    /**
     * Queues a copy from the device at {@code src} to host memory at {@code dest}, which {@code keeper} keeps alive. True when it is
     * page-locked: then the caller keeps {@code keeper} until the stream has written it.
     */
    boolean copyOut(Object keeper, long dest, long nbytes, long src) {
        writesHost = true;
        return DriverProxy.copyOut(dest, nbytes, src, this, keeper);
    }

    /** Closing waits, because the caller may read the results of its copies next. */
    @Override
    void beforeClose() {
        if (writesHost) {
            writesHost = false;
            try {
                synchronize();
            } catch (Driver.Error error) {
                // It is closed already, or failed: then its copies were not made, as later calls in the context tell.
            }
        }
    }
}
