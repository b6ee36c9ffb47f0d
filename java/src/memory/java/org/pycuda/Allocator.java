package org.pycuda;

/**
 * A source of device memory: {@code Driver::memAlloc}, a {@link DeviceMemoryPool}, or a custom one. Closed or collected memory returns
 * to it: an array closes its memory if that is AutoCloseable. An allocator must not refer to arrays that use its
 * memory, because neither would ever be collected.
 *
 * <pre>{@code
 * Allocator counted = bytes -> {
 *     System.out.println(bytes);  // 4000
 *     return Driver.memAlloc(bytes);
 * };
 * GPUArray.factory().allocator(counted).zeros(DType.FLOAT32, 1000).close();
 * }</pre>
 */
@FunctionalInterface
public interface Allocator {
    /** The default of arrays: the pool of the current context. */
    Allocator DEFAULT = bytes -> GPUArray.pooled(bytes);
    /** The driver itself (cuMemAlloc). Slow: freeing waits for the device. */
    Allocator DRIVER = DeviceAllocation::new;

    /**
     * Allocates at least {@code bytes} bytes (more than 0) of device memory in the current context.
     *
     * @throws Driver.MemoryError if there is too little memory
     */
    DevicePointer allocate(long bytes);
}
