package org.pycuda;

/**
 * One context on a default device for programs that use OpenGL too; otherwise as {@link Autoinit}. An OpenGL context must be current on the
 * thread that makes it.
 */
public final class GlAutoinit {
    private static final DefaultContext CONTEXT = new DefaultContext(() -> DefaultDevice.makeContext(Gl::makeContext));

    private GlAutoinit() {}

    /** Initialises the driver, makes the context if there is none yet, and makes it current on this thread. Idempotent. */
    public static void init() {
        CONTEXT.context();
    }

    /** The context; calls {@link #init}. */
    public static Context context() {
        return CONTEXT.context();
    }

    /** The context's device. Makes the context, as {@link #init} does, if there is none yet; otherwise nothing becomes current. */
    public static Device device() {
        return CONTEXT.device();
    }
}
