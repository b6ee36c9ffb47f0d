package org.pycuda;

/** The driver that makes calls of this thread fail (tests/faults). */
final class Faults {
    static {
        System.load(System.getenv("PYCUDA_CPU_LIBRARY"));
    }

    private Faults() {}

    /** Starts counting calls; the one with this number fails with this code. 0: none fails. */
    static native void arm(int number, int code);

    /** The names of the calls since then, each followed by a blank. */
    static native String disarm();

    /** The name of the call that failed; empty if there were fewer calls. */
    static native String failed();
}
