package org.pycuda;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Memory of a direct buffer, page-locked until it is unregistered, or until neither this object nor a buffer of it is reachable. */
public final class RegisteredHostMemory extends RegisteredHostMemoryProxy {
    private final Buffer base;
    private final HostUse use;

    RegisteredHostMemory(ByteBuffer base, int flags) {
        this(base, flags, HostUse.forLater(base));
    }

    /** An arena cannot be closed while memory of it is registered. */
    private RegisteredHostMemory(ByteBuffer base, int flags, HostUse use) {
        super(use.address, use.nbytes, flags, use.kept());
        this.base = base;
        this.use = use;
    }

    @Override
    void nativeClose() {
        super.nativeClose();
        use.release();
    }

    /** The buffer whose memory it is. */
    public Buffer base() {
        return base;
    }

    /** Same as {@link #close} (cuMemHostUnregister). */
    public void unregister() {
        close();
    }
}
