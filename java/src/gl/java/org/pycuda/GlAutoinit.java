package org.pycuda;

/**
 * One context on a default device for programs that use OpenGL too; otherwise like {@link Autoinit}. An OpenGL context must be current on
 * the thread that creates it.
 */
public final class GlAutoinit {
    private static final DefaultContext CONTEXT = new DefaultContext(() -> DefaultDevice.makeContext(Gl::makeContext));

    private GlAutoinit() {}

    /** Initialises the driver, creates the context if there is none yet, and makes it current on this thread. Idempotent. */
    public static void init() {
        CONTEXT.context();
    }

    /** The context; calls {@link #init}. */
    public static Context context() {
        return CONTEXT.context();
    }

    /** The context's device. If there is no context yet, creates it as {@link #init} does; otherwise nothing becomes current. */
    public static Device device() {
        return CONTEXT.device();
    }
}
