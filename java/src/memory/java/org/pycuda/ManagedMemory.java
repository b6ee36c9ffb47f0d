package org.pycuda;

/**
 * Memory to be allocated that the host and kernels access at the same address (cuMemAllocManaged). Immutable: each option returns a changed copy.
 *
 * <pre>{@code
 * try (var shared = ManagedMemory.of(DType.INT32, 4).attach(MemAttachFlags.GLOBAL).zeros()) {
 *     assert shared.size() == 16;
 * }
 * }</pre>
 */
public final class ManagedMemory {
    private final long nbytes;
    private final int flags;

    private ManagedMemory(long nbytes, int flags) {
        this.nbytes = nbytes;
        this.flags = flags;
    }

    /** Memory for an array of this type and shape. */
    public static ManagedMemory of(CType type, long... shape) {
        return new ManagedMemory(HostMemory.bytes(type, shape), MemAttachFlags.GLOBAL.value());
    }

    /** {@link #of(CType, long...)} with ints. */
    public static ManagedMemory of(CType type, int... shape) {
        return of(type, Shapes.of(shape, "shape"));
    }

    /** Memory of the size of host data. */
    public static ManagedMemory like(HostData host) {
        return new ManagedMemory(HostCopies.nbytes(HostData.dataOf(host)), MemAttachFlags.GLOBAL.value());
    }

    /** Says which streams access it: GLOBAL, which is the default, or HOST. */
    public ManagedMemory attach(MemAttachFlags flag) {
        return new ManagedMemory(nbytes, MemAttachFlags.bits(java.util.Objects.requireNonNull(flag, "flag")));
    }

    /** Allocates it; its contents are undefined. */
    public ManagedAllocation empty() {
        return new ManagedAllocation(nbytes, flags);
    }

    /** Allocates it, filled with zeros. */
    public ManagedAllocation zeros() {
        return HostMemory.zeroed(empty());
    }
}
