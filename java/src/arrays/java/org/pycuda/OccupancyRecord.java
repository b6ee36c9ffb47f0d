package org.pycuda;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * How many blocks of a kernel a multiprocessor runs at once, and what limits that.
 * <pre>{@code
 * var record = OccupancyRecord.of(DeviceData.of(), 256, 16384, 40);  // threads, bytes of shared memory, registers
 * System.out.println(record.occupancy() + ", limited by " + record.limitedBy());
 * }</pre>
 *
 * @param tbPerMpLimits blocks that each limit allows
 * @param tbPerMp blocks that a multiprocessor runs
 * @param limitedBy the limit that is reached first
 * @param warpsPerMp warps that a multiprocessor runs
 * @param occupancy these divided by the device's limit, from 0 to 1
 */
public record OccupancyRecord(List<Bound> tbPerMpLimits, int tbPerMp, Limiter limitedBy, int warpsPerMp, double occupancy) {
    /** The resource that limits the number of blocks. */
    public enum Limiter {
        /** The device's maximum number of blocks. */
        DEVICE,
        /** The number of warps. */
        WARPS,
        /** Registers. */
        REGS,
        /** Shared memory. */
        SMEM
    }

    /** How many blocks one limit allows. */
    public record Bound(int blocks, Limiter reason) {}

    /** Registers are allocated in units of this many per warp, to groups of warps. */
    private static final int REGISTER_UNIT = 256;
    private static final int WARP_GROUP = 4;

    /** The occupancy of blocks of {@code threads} threads. */
    public static OccupancyRecord of(DeviceData device, int threads) {
        return of(device, threads, 0, 0);
    }

    /** The occupancy of blocks of {@code threads} threads with {@code sharedMem} bytes of shared memory. */
    public static OccupancyRecord of(DeviceData device, int threads, int sharedMem) {
        return of(device, threads, sharedMem, 0);
    }

    /** The occupancy of blocks of {@code threads} threads, each with {@code registers} registers, and {@code sharedMem} bytes of shared memory. */
    public static OccupancyRecord of(DeviceData device, int threads, int sharedMem, int registers) {
        Objects.requireNonNull(device, "device");
        require(threads, device.maxThreads(), "threads");
        require(sharedMem, Math.max(device.sharedMemory(), device.sharedMemoryOptin()), "bytes of shared memory");
        int warps = Math.max(1, (int) DeviceData.roundUp(threads, device.warpSize()) / device.warpSize());
        long registersPerWarp = DeviceData.roundUp((long) registers * device.warpSize(), REGISTER_UNIT);
        require(registersPerWarp * warps, device.registers(), "registers");
        List<Bound> limits = new ArrayList<>();
        limits.add(new Bound(device.threadBlocksPerMp(), Limiter.DEVICE));
        limits.add(new Bound(device.warpsPerMp() / warps, Limiter.WARPS));
        if (registersPerWarp > 0) {
            long max = device.registersPerMp() / registersPerWarp / WARP_GROUP * WARP_GROUP;
            limits.add(new Bound((int) (max / warps), Limiter.REGS));
        }
        if (sharedMem > 0) {
            long perBlock = DeviceData.roundUp((long) sharedMem + device.reservedSharedMemory(), device.smemAllocGranularity());
            limits.add(new Bound((int) (device.sharedMemoryPerMp() / perBlock), Limiter.SMEM));
        }
        Bound min = limits.stream().min(Comparator.comparingInt(Bound::blocks)).orElseThrow();
        int running = min.blocks() * warps;
        return new OccupancyRecord(List.copyOf(limits), min.blocks(), min.reason(), running, (double) running / device.warpsPerMp());
    }

    private static void require(long given, long max, String what) {
        if (given < 0 || given > max) {
            throw new IllegalArgumentException("a block on this device can have 0 to " + max + " " + what + ", not " + given);
        }
    }
}
