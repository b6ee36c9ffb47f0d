package org.pycuda;

/**
 * OpenGL's buffers and images for CUDA, in place: {@link RegisteredBuffer} and {@link RegisteredImage}, which this class has what is
 * needed beside. OpenGL works in the context that is current on the calling thread: register, map, unmap and close there. A name of OpenGL
 * is an int.
 */
public final class Gl {
    private Gl() {}

    /** {@link #makeContext(Device, int)} without flags. */
    public static Context makeContext(Device dev) {
        return DriverProxy.makeGlContext(dev);
    }

    /**
     * A context for programs that use OpenGL too, current from here on as that of {@link Device#makeContext}, which serves as well.
     * LogicError, and no context is left, unless an OpenGL context of the driver's own OpenGL is current on this thread (cuGLGetDevices).
     *
     * @param flags those of {@link CtxFlags}
     */
    public static Context makeContext(Device dev, int flags) {
        return DriverProxy.makeGlContext(dev, flags);
    }
}
