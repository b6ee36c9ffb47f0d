package org.pycuda;

/**
 * A source of device memory: {@code Driver::memAlloc}, a {@link DeviceMemoryPool}, or a program's own. Memory that is closed or collected
 * returns to it: an array closes what was allocated for it, if that is AutoCloseable. An allocator must not refer to arrays of its own
 * memory, because neither would ever be collected.
 *
 * <pre>{@code
 * var pool = new DeviceMemoryPool();
 * var x = GPUArray.factory().allocator(pool).zeros(DType.FLOAT32, 1000);
 * assert pool.activeBlocks() == 1;
 * }</pre>
 */
@FunctionalInterface
public interface Allocator {
    /** What arrays take that are given no other: the pool of the current context. */
    Allocator DEFAULT = bytes -> GPUArray.pooled(bytes);
    /** The driver itself (cuMemAlloc). Slow: freeing waits for the device. */
    Allocator DRIVER = DeviceAllocation::new;

    /**
     * Device memory of at least {@code bytes} bytes, a positive number, in the current context.
     *
     * @throws Driver.MemoryError when there is no room
     */
    PointerHolderBase allocate(long bytes);
}
