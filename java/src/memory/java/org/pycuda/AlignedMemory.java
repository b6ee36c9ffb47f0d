package org.pycuda;

/**
 * Aligned host memory to be allocated, which {@link Memory#registerHostMemory} can page-lock. Immutable: each option returns a changed copy.
 *
 * <pre>{@code
 * try (var host = AlignedMemory.of(DType.FLOAT32, 1024).alignment(64).empty()) {
 *     assert host.size() == 4096;
 * }
 * }</pre>
 */
public final class AlignedMemory {
    private final long nbytes;
    private final long alignment;

    private AlignedMemory(long nbytes, long alignment) {
        this.nbytes = nbytes;
        this.alignment = alignment;
    }

    /** Memory for an array of this type and shape. */
    public static AlignedMemory of(CType type, long... shape) {
        return new AlignedMemory(HostMemory.bytes(type, shape), 4096);
    }

    /** {@link #of(CType, long...)} with ints. */
    public static AlignedMemory of(CType type, int... shape) {
        return of(type, Shapes.of(shape, "shape"));
    }

    /** Memory of the size of host data. */
    public static AlignedMemory like(HostData host) {
        return new AlignedMemory(HostCopies.nbytes(HostData.dataOf(host)), 4096);
    }

    /** Lets it start at a multiple of {@code bytes} bytes, a power of two; 4096 by default. */
    public AlignedMemory alignment(long bytes) {
        return new AlignedMemory(nbytes, bytes);
    }

    /** Allocates it; its contents are undefined. */
    public AlignedHostAllocation empty() {
        return new AlignedHostAllocation(nbytes, alignment);
    }

    /** Allocates it, filled with zeros. */
    public AlignedHostAllocation zeros() {
        return HostMemory.zeroed(empty());
    }
}
