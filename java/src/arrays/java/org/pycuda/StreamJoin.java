package org.pycuda;

import java.lang.ref.Reference;

/** Orders streams relative to each other. */
final class StreamJoin {
    private StreamJoin() {}

    /** Orders work on {@code stream} that is queued next after the work on the arrays' streams. */
    static void before(Stream stream, GPUArray... arrays) {
        for (GPUArray array : arrays) {
            before(stream, array);
        }
    }

    /** The same for one array, or null for none. */
    static void before(Stream stream, GPUArray array) {
        if (array != null) {
            await(stream, array.stream());
        }
    }

    /** The reverse, once that work is queued. It uses the arrays, which are reachable until here. */
    static void after(Stream stream, GPUArray... arrays) {
        for (GPUArray array : arrays) {
            after(stream, array);
        }
    }

    /** The same for one array, or null for none. */
    static void after(Stream stream, GPUArray array) {
        Reference.reachabilityFence(array);
        if (array != null) {
            await(array.stream(), stream);
        }
    }

    /** Orders later work on {@code waiting} after the work now queued on {@code queued}. {@link Stream#DEFAULT} is the stream in use on this thread, if any. */
    static void await(Stream waiting, Stream queued) {
        if (waiting != queued) {
            awaitExactly(Stream.inUse(waiting), Stream.inUse(queued));
        }
    }

    /** The same; {@link Stream#DEFAULT} is the default stream, whatever stream is in use. */
    static void awaitExactly(Stream waiting, Stream queued) {
        if (waiting != queued) {
            DriverProxy.orderStreams(waiting, queued);
        }
    }
}
