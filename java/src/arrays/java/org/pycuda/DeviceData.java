package org.pycuda;

import java.util.Objects;

/**
 * Limits of a device, for tuning kernels.
 * <pre>{@code
 * var limits = DeviceData.of();  // of the current device
 * System.out.println(limits.warpSize());  // 32
 * }</pre>
 *
 * @param maxThreads threads of a block
 * @param warpSize threads of a warp
 * @param warpsPerMp resident warps of a multiprocessor
 * @param threadBlocksPerMp resident blocks of a multiprocessor
 * @param registers registers of a block
 * @param registersPerMp registers of a multiprocessor
 * @param sharedMemory shared memory of a block, in bytes
 * @param sharedMemoryOptin shared memory of a block that opts in to more, in bytes
 * @param sharedMemoryPerMp shared memory of a multiprocessor, in bytes
 * @param reservedSharedMemory bytes per block that the system reserves
 * @param smemAllocGranularity granularity of a block's shared memory, in bytes
 * @param smemGranularity banks of shared memory
 * @param registerAllocationUnit whether registers are allocated for a warp or for a block
 */
public record DeviceData(int maxThreads, int warpSize, int warpsPerMp, int threadBlocksPerMp, int registers, int registersPerMp,
        int sharedMemory, int sharedMemoryOptin, int sharedMemoryPerMp, int reservedSharedMemory, int smemAllocGranularity, int smemGranularity,
        AllocationUnit registerAllocationUnit) {
    /** The unit for which registers are allocated. */
    public enum AllocationUnit {
        /** Each warp. */
        WARP,
        /** Each block, as on very old devices. */
        BLOCK
    }

    private static final int BANKS = 32;
    private static final int AMPERE = 8;

    /** The limits of the current context's device. */
    public static DeviceData of() {
        return of(Context.device());
    }

    /** The limits of this device. */
    public static DeviceData of(Device device) {
        Objects.requireNonNull(device, "device");
        int warp = device.attribute(DeviceAttribute.WARP_SIZE);
        return new DeviceData(device.attribute(DeviceAttribute.MAX_THREADS_PER_BLOCK), warp,
            device.attribute(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR) / warp,
            device.attribute(DeviceAttribute.MAX_BLOCKS_PER_MULTIPROCESSOR), device.attribute(DeviceAttribute.MAX_REGISTERS_PER_BLOCK),
            device.attribute(DeviceAttribute.MAX_REGISTERS_PER_MULTIPROCESSOR),
            device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK),
            device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            device.attribute(DeviceAttribute.RESERVED_SHARED_MEMORY_PER_BLOCK),
            // Not reported by the driver: from the programming guide.
            device.computeCapability().major() < AMPERE ? 256 : 128, BANKS, AllocationUnit.WARP);
    }

    /** The alignment for coalesced access to words of 4 bytes. */
    public static int alignBytes() {
        return alignBytes(4);
    }

    /** The alignment for coalesced access to words of 4, 8 or 16 bytes. */
    public static int alignBytes(int wordSize) {
        return switch (wordSize) {
            case 4 -> 64;
            case 8, 16 -> 128;
            default -> throw new IllegalArgumentException("a word must have 4, 8 or 16 bytes, not " + wordSize);
        };
    }

    /** {@code bytes} rounded up for words of 4 bytes. */
    public static long align(long bytes) {
        return align(bytes, 4);
    }

    /** {@code bytes} rounded up to {@link #alignBytes(int)}. */
    public static long align(long bytes, int wordSize) {
        return roundUp(bytes, alignBytes(wordSize));
    }

    /** {@link #alignBytes(int)} in words. */
    public static int alignWords(int wordSize) {
        return alignBytes(wordSize) / wordSize;
    }

    /** A number of elements of this size, rounded up to {@link #alignWords}. */
    public static long alignDtype(long elements, int itemsize) {
        return roundUp(elements, alignWords(itemsize));
    }

    /** A number of threads, rounded up to half a warp. */
    public static int coalesce(int threads) {
        return (int) roundUp(threads, 16);
    }

    /** The smallest number of channels, 1, 2 or 4, that a texture can have and that holds {@code size}. */
    public static int makeValidTexChannelCount(int size) {
        if (size > 4) {
            throw new IllegalArgumentException("a texture has at most 4 channels, not " + size);
        }
        return size <= 1 ? 1 : size == 2 ? 2 : 4;
    }

    static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }
}
