package org.pycuda;

/** Prints once that there is no GPU and the CPU device is used. */
final class FallbackNotice {
    private FallbackNotice() {}

    static void show() {
        String notice = DriverProxy.takeFallbackNotice();
        if (!notice.isEmpty()) {
            System.getLogger("org.pycuda").log(System.Logger.Level.WARNING, notice);
        }
    }
}
