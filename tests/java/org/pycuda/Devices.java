package org.pycuda;

import java.util.concurrent.CountDownLatch;

/** The features of the device in use: only tests of missing features are skipped. */
public final class Devices {
    private Devices() {}

    /** True if this is the CPU device, judged by its name. */
    public static boolean isCpu() {
        Driver.init();
        return new Device(0).name().contains("CPU");
    }

    /** False of the CPU device under wine. */
    public static boolean hasVirtualMemory() {
        Driver.init();
        return new Device(0).attribute(DeviceAttribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0;
    }

    /** Virtual memory, or other memory where the device has none. */
    public static DeviceMemory virtualMemory(long nbytes, long reserve) {
        return hasVirtualMemory() ? new VirtualMemory(nbytes, reserve) : Driver.memAlloc(nbytes);
    }

    /** How many handles of a kind ("device allocation", "stream", "event", "module") this process has without the garbage of other tests. */
    public static long liveWithoutGarbage(String kind) {
        collectGarbage();
        return live(kind);
    }

    /**
     * Collects all garbage, until several collections in a row have found none: each can find what the last one's garbage kept alive, and waits for
     * a limited time, which a busy machine, a GPU's driver and qemu exceed. Free device memory would not tell: other processes allocate from it.
     */
    public static void collectGarbage() {
        for (int idle = 0; idle < 3; idle++) {
            var before = MemoryReport.now().objects();
            var cleaned = new CountDownLatch(1);
            Cleanup.register(new Object(), ignored -> cleaned.countDown(), 0);
            Cleanup.collectGarbage();
            if (cleaned.getCount() != 0 || !MemoryReport.now().objects().equals(before)) {
                idle = -1;
            }
        }
    }

    /** How many handles of a kind this process has now. */
    public static long live(String kind) {
        return DriverProxy.liveHandles(kind);
    }
}
