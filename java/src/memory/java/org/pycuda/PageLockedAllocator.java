package org.pycuda;

/** Where a {@link PageLockedMemoryPool} has its memory from: the driver, with these flags. */
public final class PageLockedAllocator {
    private final int hostAllocFlags;

    /** Without flags. */
    public PageLockedAllocator() {
        this(0);
    }

    /** @param hostAllocFlags those of {@link HostAllocFlags} (cuMemHostAlloc) */
    public PageLockedAllocator(int hostAllocFlags) {
        this.hostAllocFlags = hostAllocFlags;
    }

    /** Those of {@link HostAllocFlags}. */
    public int flags() {
        return hostAllocFlags;
    }

    /** Page-locked memory of at least {@code bytes} bytes, which no pool keeps. */
    public PagelockedHostAllocation allocate(long bytes) {
        return new PagelockedHostAllocation(bytes, hostAllocFlags);
    }
}
