package org.pycuda;

/**
 * CUDA access to OpenGL's buffers and images without copies: this class complements {@link RegisteredBuffer} and {@link RegisteredImage}.
 * OpenGL works in the context that is current on the calling thread: register, map, unmap and close there. An OpenGL name
 * is an int.
 * @see RegisteredBuffer
 */
public final class Gl extends GlProxy {
    private Gl() {}

    /**
     * Creates a context for programs that use OpenGL too, and makes it current. {@link Device#makeContext} works as well.
     * An OpenGL context of the driver's own OpenGL must be current on this thread (cuGLGetDevices); otherwise LogicError, and no context
     * is created.
     *
     * @param flags the context's flags; none is SCHED_AUTO
     */
    public static Context makeContext(Device dev, CtxFlags... flags) {
        return DriverProxy.makeGlContext(dev, CtxFlags.bits(flags));
    }
}
