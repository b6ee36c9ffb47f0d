package org.pycuda;

import java.nio.ByteBuffer;

/**
 * What the driver knows of memory, and hints to it: ranges of allocations, managed memory, memory of other processes, page-locking of memory
 * that exists already. {@link Driver} allocates and copies.
 *
 * <pre>{@code
 * try (var memory = Driver.memAlloc(4000)) {
 *     assert Memory.memGetAddressRange(memory.plus(100)).base() == memory.pointer();
 * }
 * }</pre>
 */
public final class Memory extends MemoryProxy {
    private Memory() {}

    /**
     * Page-locks what remains of a direct buffer, until the result is closed or neither it nor a buffer of it is reachable (cuMemHostRegister).
     */
    public static RegisteredHostMemory registerHostMemory(ByteBuffer host, MemHostRegisterFlags... flags) {
        return new RegisteredHostMemory(host, MemHostRegisterFlags.bits(flags));
    }

    /** The same for direct memory of any type. */
    public static RegisteredHostMemory registerHostMemory(HostData host, MemHostRegisterFlags... flags) {
        return new RegisteredHostMemory(HostData.dataOf(host), MemHostRegisterFlags.bits(flags));
    }
}
