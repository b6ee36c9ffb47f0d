package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/** How modules and libraries are loaded: JIT options and the JIT compiler's messages. */
final class JitLoading {
    private JitLoading() {}

    /** Loads what is given elsewhere: {@code settings} are pairs of option and value, {@code log} is null, or gets both logs. */
    @FunctionalInterface
    interface Loader<T> {
        T load(int[] settings, String[] log);
    }

    /** Loads an image in memory. */
    @FunctionalInterface
    interface ImageLoader<T> {
        T load(long image, long nbytes, int[] settings, String[] log);
    }

    static <T> T load(Map<JitOption, Integer> options, MessageHandler handler, Loader<T> loader) {
        int[] settings = Objects.requireNonNull(options, "options").entrySet().stream()
            .flatMapToInt(entry -> IntStream.of(entry.getKey().value(), entry.getValue())).toArray();
        if (handler == null) {
            return loader.load(settings, null);
        }
        String[] log = {"", ""};
        boolean success = false;
        try {
            T loaded = loader.load(settings, log);
            success = true;
            return loaded;
        } finally {
            handler.message(success, log[0], log[1]);
        }
    }

    static <T> T load(ByteBuffer image, Map<JitOption, Integer> options, MessageHandler handler, ImageLoader<T> loader) {
        ByteBuffer direct = ByteBuffer.allocateDirect(Objects.requireNonNull(image, "image").remaining()).order(ByteOrder.nativeOrder());
        direct.put(0, image, image.position(), image.remaining());
        return load(options, handler, (settings, log) -> {
            T loaded = loader.load(DriverProxy.bufferAddress(direct), direct.capacity(), settings, log);
            Reference.reachabilityFence(direct);
            return loaded;
        });
    }
}
