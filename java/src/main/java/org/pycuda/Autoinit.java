package org.pycuda;

/**
 * One context on a default device, for programs that use a single one: the device of CUDA_DEVICE, or of the file {@code ~/.cuda_device} or
 * {@code ~/.cuda-device}, or the first that works.
 *
 * <p>A current context belongs to a thread: each thread that uses the device calls {@link #init}.
 *
 * <pre>{@code
 * Autoinit.init();
 * System.out.println(Autoinit.device().name());
 * }</pre>
 */
public final class Autoinit {
    private static final DefaultContext CONTEXT = new DefaultContext(() -> DefaultDevice.makeContext(Device::makeContext));

    private Autoinit() {}

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
