package org.pycuda;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** A function that a stream runs on the host; native code calls {@link #ended} once. */
final class HostFunction {
    private final Runnable action;
    private final CompletableFuture<Void> done;
    private final List<HostUse> uses;

    /** Runs {@code action}. */
    HostFunction(Runnable action) {
        this.action = action;
        done = null;
        uses = List.of();
    }

    /** Completes {@code done}, before which it releases {@code uses}. */
    HostFunction(CompletableFuture<Void> done, List<HostUse> uses) {
        action = null;
        this.done = done;
        this.uses = uses;
    }

    /** @param reached false if the stream never reached the function: after a fault, or when its context ended */
    void ended(boolean reached) {
        if (done != null) {
            completeLater(reached);
        } else if (reached) {
            run();
        }
    }

    /** Not on the driver's thread, because dependent actions may call the driver. If no other thread can be started, there rather than never. */
    private void completeLater(boolean reached) {
        try {
            done.defaultExecutor().execute(() -> complete(reached));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            complete(reached);
        }
    }

    private void complete(boolean reached) {
        if (reached) {
            HostUse.releaseAll(uses);
            done.complete(null);
        } else {
            done.completeExceptionally(new Driver.LogicError("the stream ended before it reached this point: a kernel failed, or the context was detached", "whenDone", 0));
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
