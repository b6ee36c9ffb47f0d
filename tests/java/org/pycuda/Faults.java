package org.pycuda;

/** The driver that lets calls of this thread fail (tests/faults). */
final class Faults {
    static {
        System.load(System.getenv("PYCUDA_CPU_LIBRARY"));
    }

    private Faults() {}

    /** From here on calls count, and the one of this number fails with this code; 0: none. */
    static native void arm(int number, int code);

    /** The names of the calls since, each with a blank after it. */
    static native String disarm();

    /** The name of the one that failed; empty when there were not so many. */
    static native String failed();
}
