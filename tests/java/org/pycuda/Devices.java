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

    /**
     * How many handles of a kind ("device allocation", "stream", "event", "module") this process has after the garbage of other tests was collected.
     * Free device memory would not do: other processes allocate from it.
     */
    public static long liveWithoutGarbage(String kind) {
        var cleaned = new CountDownLatch(1);
        Cleanup.register(new Object(), ignored -> cleaned.countDown(), 0);
        long before;
        do {
            before = live(kind);
            Cleanup.collectGarbage();  // waits for a limited time, which a busy machine, a GPU's driver and qemu exceed
        } while (cleaned.getCount() != 0 || live(kind) != before);
        return before;
    }

    /** How many handles of a kind this process has now. */
    public static long live(String kind) {
        return DriverProxy.liveHandles(kind);
    }
}
