package org.pycuda;

/** What the device in use can do: what it cannot is skipped, and only that. */
final class Devices {
    private Devices() {}

    /** Whether this is the CPU device, by the name it gives itself. */
    static boolean isCpu() {
        Driver.init();
        return new Device(0).name().contains("CPU");
    }

    /** Free bytes when the garbage of other tests is gone. */
    static long freeWithoutGarbage() {
        Cleanup.collectGarbage();
        return Driver.memGetInfo().free();
    }
}
