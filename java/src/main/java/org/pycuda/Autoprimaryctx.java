package org.pycuda;

/**
 * The primary context of a default device, which libraries based on the CUDA runtime share; otherwise like {@link Autoinit}.
 *
 * <p>A current context belongs to a thread: each thread that uses the device calls {@link #init}.
 * <pre>{@code
 * Autoprimaryctx.init();
 * try (var memory = Driver.toDevice(new int[] {1, 2, 3})) {  // in the primary context
 *     System.out.println(Driver.fromDevice(memory, 3, int[].class)[2]);  // 3
 * }
 * }</pre>
 */
public final class Autoprimaryctx {
    private static final DefaultContext CONTEXT = new DefaultContext(() -> {
        Context primary = DefaultDevice.makeContext(Device::retainPrimaryContext);
        primary.push();
        return primary;
    });

    private Autoprimaryctx() {}

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
