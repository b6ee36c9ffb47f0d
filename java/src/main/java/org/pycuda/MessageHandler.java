package org.pycuda;

/** Receives the messages of the JIT compiler when a module is loaded. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Called once per load; if it fails, before the error is thrown.
     *
     * @param compileSuccess whether the code was accepted
     * @param info the information log
     * @param error the error log
     */
    void message(boolean compileSuccess, String info, String error);
}
