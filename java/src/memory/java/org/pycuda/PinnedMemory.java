package org.pycuda;

/**
 * Page-locked (pinned) host memory to be allocated (cuMemHostAlloc). Immutable: each option returns a changed copy.
 *
 * <pre>{@code
 * try (var pinned = PinnedMemory.of(DType.FLOAT32, 1000).mapped().zeros()) {
 *     assert pinned.size() == 4000 && pinned.devicePointer() != 0;
 * }
 * }</pre>
 */
public final class PinnedMemory {
    private final long nbytes;
    private final int flags;

    private PinnedMemory(long nbytes, int flags) {
        this.nbytes = nbytes;
        this.flags = flags;
    }

    /** Memory for an array of this type and shape. */
    public static PinnedMemory of(CType type, long... shape) {
        return new PinnedMemory(HostMemory.bytes(type, shape), 0);
    }

    /** {@link #of(CType, long...)} with ints. */
    public static PinnedMemory of(CType type, int... shape) {
        return of(type, Shapes.of(shape, "shape"));
    }

    /** Memory of the size of host data. */
    public static PinnedMemory like(HostData host) {
        return new PinnedMemory(HostCopies.nbytes(HostData.dataOf(host)), 0);
    }

    /** Maps it into the address space of the device: {@link HostPointer#devicePointer}. */
    public PinnedMemory mapped() {
        return new PinnedMemory(nbytes, flags | HostAllocFlags.DEVICEMAP.value());
    }

    /** Page-locks it for every context. */
    public PinnedMemory portable() {
        return new PinnedMemory(nbytes, flags | HostAllocFlags.PORTABLE.value());
    }

    /** Makes it fast for the device to read, and slow for the host. */
    public PinnedMemory writeCombined() {
        return new PinnedMemory(nbytes, flags | HostAllocFlags.WRITECOMBINED.value());
    }

    /** Adds these flags. */
    public PinnedMemory flags(HostAllocFlags... more) {
        return new PinnedMemory(nbytes, flags | HostAllocFlags.bits(more));
    }

    /** Allocates it; its contents are undefined. */
    public PagelockedHostAllocation empty() {
        return new PagelockedHostAllocation(nbytes, flags);
    }

    /** Allocates it, filled with zeros. */
    public PagelockedHostAllocation zeros() {
        return HostMemory.zeroed(empty());
    }
}
