package org.pycuda;

import java.util.function.Supplier;

/** The context of programs that need just one, created at first use. */
final class DefaultContext {
    private final Supplier<Context> maker;
    private Context context;
    private Device device;

    /** @param maker returns a context that is current on the calling thread */
    DefaultContext(Supplier<Context> maker) {
        this.maker = maker;
    }

    /**
     * The context, created if there is none or if the last one has ended. It becomes current on this thread, except on a virtual thread, which
     * must use {@link Context#run(Context.Work)}.
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
        device = Context.device();
        if (!staysCurrent) {
            Context.pop();
        }
        return null;
    }

    /** The context's device. Creates the context if there is none yet; otherwise nothing becomes current. */
    synchronized Device device() {
        if (context == null || !context.isValid()) {
            context();
        }
        return device;
    }
}
