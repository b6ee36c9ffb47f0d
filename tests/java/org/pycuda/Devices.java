package org.pycuda;

import java.util.concurrent.CountDownLatch;

/** What the device in use can do: what it cannot is skipped, and only that. */
public final class Devices {
    private Devices() {}

    /** Whether this is the CPU device, by the name it gives itself. */
    public static boolean isCpu() {
        Driver.init();
        return new Device(0).name().contains("CPU");
    }

    /**
     * How many handles of a kind ("device allocation", "stream", "event", "module") this process has when the garbage of other
     * tests is gone. Free device memory would not do: other processes take from it.
     */
    public static long liveWithoutGarbage(String kind) {
        var cleaned = new CountDownLatch(1);
        Cleanup.register(new Object(), ignored -> cleaned.countDown(), 0);
        do {
            Cleanup.collectGarbage();  // waits for a limited time, which a busy machine and qemu exceed
        } while (cleaned.getCount() != 0);
        return live(kind);
    }

    /** How many handles of a kind this process has now. */
    public static long live(String kind) {
        return DriverProxy.liveHandles(kind);
    }
}
