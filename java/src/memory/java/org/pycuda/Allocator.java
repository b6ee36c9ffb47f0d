package org.pycuda;

/**
 * Where device memory comes from: {@code Driver::memAlloc}, a {@link DeviceMemoryPool}, or a program's own. Memory that is closed, or
 * collected, goes back there.
 */
@FunctionalInterface
public interface Allocator {
    /**
     * Device memory of at least {@code bytes} bytes, a positive number, in the current context.
     *
     * @throws Driver.MemoryError when there is no room
     */
    DeviceMemory allocate(long bytes);
}
