package org.pycuda;

import java.util.function.Supplier;

/** One context for programs that do not care which, made when it is first asked for. */
final class DefaultContext {
    private final Supplier<Context> maker;
    private Context context;
    private Device device;

    /** @param maker gives a context that is current on the calling thread */
    DefaultContext(Supplier<Context> maker) {
        this.maker = maker;
    }

    /**
     * The context, made if there is none or the last one has ended, and current on this thread from here on; not on a virtual thread, which
     * gives its work to {@link Context#run(Context.Work)}.
     */
    synchronized Context context() {
        boolean staysCurrent = VirtualThreads.keepsContexts();
        if (context == null || !context.isValid()) {
            VirtualThreads.pinned(() -> make(staysCurrent));
        } else if (staysCurrent && !context.isCurrent()) {
            context.push();
        }
        return context;
    }

    private Void make(boolean staysCurrent) {
        context = maker.get();
        device = Context.getDevice();
        if (!staysCurrent) {
            Context.pop();
        }
        return null;
    }

    /** The context's device. Makes the context if there is none yet; otherwise nothing becomes current. */
    synchronized Device device() {
        if (context == null || !context.isValid()) {
            context();
        }
        return device;
    }
}
