package org.pycuda;

import java.nio.Buffer;

/**
 * Memory of a direct buffer or segment, page-locked until it is unregistered, or neither this object nor a buffer of it is reachable.
 * <pre>{@code
 * var buffer = java.nio.ByteBuffer.allocateDirect(1 << 16);
 * try (RegisteredHostMemory pinned = Memory.registerHostMemory(buffer); var memory = Driver.memAlloc(1 << 16)) {
 *     Driver.memcpyHtodAsync(memory, pinned.base());
 *     Context.synchronize();
 * }
 * }</pre>
 */
public final class RegisteredHostMemory extends RegisteredHostMemoryProxy {
    /** Null for a segment. */
    private final Buffer base;
    private final HostUse use;

    RegisteredHostMemory(Object base, int flags) {
        this(base, flags, use(base));
    }

    /** An arena cannot be closed while memory of it is registered. */
    private RegisteredHostMemory(Object base, int flags, HostUse use) {
        super(use.address, use.nbytes, flags, use.kept());
        this.base = base instanceof Buffer buffer ? buffer : null;
        this.use = use;
    }

    private static HostUse use(Object base) {
        HostCopies.require(base);
        if (!HostUse.isDirect(base)) {
            throw new IllegalArgumentException("only a direct buffer or segment can be registered: the JVM may move arrays");
        }
        return HostUse.of(base);
    }

    @Override
    void nativeClose() {
        super.nativeClose();
        use.release();
    }

    /** The buffer that was registered; for a segment, a new one. */
    public Buffer base() {
        return base == null ? buffer() : base;
    }

    /** Same as {@link #close} (cuMemHostUnregister). */
    public void unregister() {
        close();
    }
}
