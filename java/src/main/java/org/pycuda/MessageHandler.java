package org.pycuda;

/**
 * Receives the messages of the JIT compiler when a module is loaded.
 * <pre>{@code
 * byte[] image = SourceModule.compile("__global__ void nothing() {}");
 * MessageHandler print = (success, log, errors) -> System.out.println(success ? "loaded " + log : errors);
 * Driver.moduleFromBuffer(image, java.util.Map.of(JitOption.OPTIMIZATION_LEVEL, 2), print).close();
 * }</pre>
 */
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
