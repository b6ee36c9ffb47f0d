package org.pycuda;

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
        Cleanup.collectGarbage();
        return live(kind);
    }

    /** How many handles of a kind this process has now. */
    public static long live(String kind) {
        return DriverProxy.liveHandles(kind);
    }
}
