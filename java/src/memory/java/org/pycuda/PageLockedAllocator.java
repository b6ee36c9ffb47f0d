package org.pycuda;

import java.util.Set;

/** Allocates the memory of a {@link PageLockedMemoryPool} from the driver, with flags. */
public final class PageLockedAllocator {
    private final int bits;

    /** Allocates without flags. */
    public PageLockedAllocator() {
        this(new HostAllocFlags[0]);
    }

    /**
     * Allocates with these flags.
     *
     * @param flags those of the memory (cuMemHostAlloc)
     */
    public PageLockedAllocator(HostAllocFlags... flags) {
        bits = HostAllocFlags.bits(flags);
    }

    /** The flags of the memory. */
    public Set<HostAllocFlags> flags() {
        return HostAllocFlags.setOf(bits);
    }

    int bits() {
        return bits;
    }

    /** Allocates at least {@code bytes} bytes of page-locked memory, without a pool. */
    public PagelockedHostAllocation allocate(long bytes) {
        return new PagelockedHostAllocation(bytes, bits);
    }
}
