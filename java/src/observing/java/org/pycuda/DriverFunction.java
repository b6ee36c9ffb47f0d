package org.pycuda;

import java.util.Objects;

/** A function that the driver calls on a thread of its own; native code calls {@link #call}. */
final class DriverFunction {
    /** Takes what the driver gives. */
    @FunctionalInterface
    interface Action {
        void accept(long first, long second);
    }

    private final Action action;

    DriverFunction(Action action) {
        this.action = Objects.requireNonNull(action);
    }

    void call(long first, long second) {
        Upcalls.begin();
        try {
            action.accept(first, second);
        } catch (Throwable failure) {
            System.getLogger("org.pycuda").log(System.Logger.Level.ERROR, "a function that the driver called failed", failure);
        } finally {
            Upcalls.end();
        }
    }
}
