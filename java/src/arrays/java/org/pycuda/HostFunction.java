package org.pycuda;

import java.util.concurrent.CompletableFuture;

/** A function that a stream runs on the host; native code calls {@link #ended} once. */
final class HostFunction {
    private final Runnable action;
    private final CompletableFuture<Void> done;

    /** Exactly one of these is null. */
    HostFunction(Runnable action, CompletableFuture<Void> done) {
        this.action = action;
        this.done = done;
    }

    /** @param reached false if the stream never reached the function: after a fault, or when its context ended */
    void ended(boolean reached) {
        if (done != null) {
            // Not on the driver's thread: dependent actions may call the driver.
            done.defaultExecutor().execute(() -> complete(reached));
        } else if (reached) {
            run();
        }
    }

    private void complete(boolean reached) {
        if (reached) {
            done.complete(null);
        } else {
            done.completeExceptionally(new Driver.LogicError("the stream never got there: a kernel failed, or the context ended", "whenDone", 0));
        }
    }

    private void run() {
        Upcalls.begin();
        try {
            action.run();
        } catch (Throwable failure) {
            System.getLogger("org.pycuda").log(System.Logger.Level.ERROR, "a host function of a stream failed", failure);
        } finally {
            Upcalls.end();
        }
    }
}
