package org.pycuda;

import java.util.Objects;

/**
 * Page-locked host memory of the current context that is kept for reuse.
 *
 * <pre>{@code
 * try (var pool = new PageLockedMemoryPool(); var block = pool.allocate(4000)) {
 *     assert pool.activeBlocks() == 1;
 * }
 * }</pre>
 */
public final class PageLockedMemoryPool extends PageLockedMemoryPoolProxy {
    PageLockedMemoryPool(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** Creates a pool of memory without flags. */
    public PageLockedMemoryPool() {}

    /**
     * Creates a pool of memory with these flags.
     *
     * @param flags those of the memory (cuMemHostAlloc)
     */
    public PageLockedMemoryPool(HostAllocFlags... flags) {
        super(HostAllocFlags.bits(flags));
    }

    /** Creates a pool of memory with the allocator's flags. */
    public PageLockedMemoryPool(PageLockedAllocator allocator) {
        super(Objects.requireNonNull(allocator, "allocator").bits());
    }

    /** Allocates memory for an array of this type and shape. After its close, later uses of the buffer see its next holder's data. */
    public PooledHostAllocation allocate(CType type, long... shape) {
        return allocate(HostMemory.bytes(type, shape));
    }

    /** Allocates memory for an array of this type and shape. After its close, later uses of the buffer see its next holder's data. */
    public PooledHostAllocation allocate(CType type, int... shape) {
        return allocate(type, Shapes.of(shape, "shape"));
    }
}
