package org.pycuda;

/** Allocates the memory of a {@link PageLockedMemoryPool} from the driver, with flags. */
public final class PageLockedAllocator {
    private final int hostAllocFlags;

    /** Allocates without flags. */
    public PageLockedAllocator() {
        this(0);
    }

    /**
     * Allocates with these flags.
     *
     * @param hostAllocFlags those of {@link HostAllocFlags} (cuMemHostAlloc)
     */
    public PageLockedAllocator(int hostAllocFlags) {
        this.hostAllocFlags = hostAllocFlags;
    }

    /** Those of {@link HostAllocFlags}. */
    public int flags() {
        return hostAllocFlags;
    }

    /** Allocates at least {@code bytes} bytes of page-locked memory, without a pool. */
    public PagelockedHostAllocation allocate(long bytes) {
        return new PagelockedHostAllocation(bytes, hostAllocFlags);
    }
}
