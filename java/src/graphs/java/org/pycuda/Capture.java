package org.pycuda;

/**
 * A capture of a stream. Meanwhile, this thread's array operations use the stream.
 * <pre>{@code
 * var a = GPUArray.zeros(DType.INT32, 3);
 * try (var stream = new Stream(); Capture capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
 *     a.addInPlace(1);  // does not run, but becomes a node
 *     try (var graph = capture.end(); var run = graph.instantiate()) {
 *         run.launch();
 *     }
 * }
 * System.out.println(a);  // [1 1 1]
 * }</pre>
 */
public final class Capture implements AutoCloseable {
    private final Stream stream;
    private final Stream.Use use;
    private boolean open = true;

    /** @param graph null: a new one */
    Capture(Stream stream, Graph graph, CaptureMode mode) {
        this.stream = stream;
        DriverProxy.followStreamInUse(stream);  // now: no node of a graph can wait for work outside
        if (graph == null) {
            stream.beginCapture(mode);
        } else {
            stream.beginCaptureTo(graph, mode);
        }
        try {
            use = stream.use();
        } catch (RuntimeException | Error failure) {
            stream.endCapture();
            throw failure;
        }
    }

    /**
     * Ends the capture.
     *
     * @return the graph
     * @throws Driver.LogicError a call made the capture invalid, which the message names, or the capture has ended already, or a use of a stream
     *     that began inside it has not ended: then the capture goes on
     */
    public Graph end() {
        if (!open) {
            throw new Driver.LogicError("the capture has ended already", "Capture.end", 0);
        }
        leave();
        return stream.endCapture();
    }

    /** LogicError, and the capture goes on, while a use of a stream inside it is open. */
    private void leave() {
        try {
            use.close();
        } finally {
            open = use.isOpen();
        }
    }

    /**
     * Ends the capture if {@link #end} was not called, and drops what was captured. Throws LogicError, and continues the capture, if a
     * {@code stream.use()} that began during the capture is still open.
     */
    @Override
    public void close() {
        if (!open) {
            return;
        }
        try {
            leave();
            stream.endCapture().close();
        } catch (Driver.LogicError invalid) {
            if (open) {
                throw invalid;
            }
            // It has ended: the call that made it invalid has thrown already.
        }
    }
}
