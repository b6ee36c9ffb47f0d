package org.pycuda.arguments;

import java.util.List;

/**
 * A kind of values for a parameter that takes memory: {@code maker} returns one that contains these bytes. {@code refusal} is the exception with
 * which it is rejected; null if it works. {@code readOnly}: it works as a source, and is rejected as a destination.
 */
record Kind(String name, Maker maker, Class<? extends RuntimeException> refusal, boolean readOnly) {
    interface Maker {
        Memory make(byte[] content);
    }

    static Kind works(String name, Maker maker) {
        return new Kind(name, maker, null, false);
    }

    static Kind refused(Class<? extends RuntimeException> refusal, String name, java.util.function.Function<byte[], Object> value) {
        return new Kind(name, content -> Memory.of(value.apply(content)), refusal, false);
    }

    static Kind byName(List<Kind> kinds, String name) {
        return kinds.stream().filter(kind -> kind.name.equals(name)).findFirst().orElseThrow();
    }
}
