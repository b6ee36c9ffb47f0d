package org.pycuda;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/** Memory of a direct buffer, page-locked until it is unregistered, or until neither this object nor a buffer of it is reachable. */
public final class RegisteredHostMemory extends RegisteredHostMemoryProxy {
    private final Buffer base;

    RegisteredHostMemory(ByteBuffer base, int flags) {
        super(HostData.directAddress(base), base.remaining(), flags, base);
        this.base = base;
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
