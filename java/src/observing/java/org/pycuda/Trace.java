package org.pycuda;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A timeline of what a program does: driver calls, each with the line of the program that made it, and compilations by thread, kernels,
 * copies and fills by stream, the memory that the device and each pool use, and on the CPU device its worker threads. Open the file with
 * https://ui.perfetto.dev or chrome://tracing.
 * {@code PYCUDA_TRACE=run.json} in the environment records a whole program.
 *
 * <pre>{@code
 * try (var trace = Trace.to(java.nio.file.Path.of("run.json")); var memory = Driver.memAlloc(1000)) {
 *     Driver.memsetD8(memory, 0, 1000);
 * }
 * }</pre>
 */
public final class Trace implements AutoCloseable {
    private Path path;

    private Trace(Path path) {
        this.path = path;
    }

    /**
     * Starts recording.
     *
     * @param path file to write, in the Chrome trace format
     * @return the recording, which {@link #close} ends
     * @throws Driver.LogicError if a timeline is being recorded already
     */
    public static Trace to(Path path) {
        Objects.requireNonNull(path, "path");
        DriverProxy.startTrace();
        return new Trace(path);
    }

    /**
     * Waits for the recorded work and writes the file. A second call does nothing.
     *
     * @throws Driver.RuntimeError if the file cannot be written
     */
    @Override
    public synchronized void close() {
        if (path != null) {
            Path file = path;
            path = null;
            DriverProxy.stopTrace(file.toString());
        }
    }

    /** Records until the JVM ends, if PYCUDA_TRACE names a file. */
    static void recordWholeProgram() {
        String file = DriverProxy.traceFile();
        if (!file.isEmpty()) {
            Trace trace = to(Path.of(file));
            Runtime.getRuntime().addShutdownHook(new Thread(trace::close, "pycuda trace"));
        }
    }
}
