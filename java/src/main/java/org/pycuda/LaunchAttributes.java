package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The attributes of a launch in native layout, and the objects that their values refer to. Immutable. */
final class LaunchAttributes {
    static final LaunchAttributes NONE = new LaunchAttributes(null, List.of(), List.of());
    private static final int BYTES = DriverProxy.launchAttributesSize();
    private static final int ALIGNMENT = 16;
    private static final int INTEGER = 0;
    private static final int REAL = 1;
    private static final int EVENT = 2;
    private static final int ADDRESS = 3;

    /** 0 for none. */
    final long address;
    private final ByteBuffer bytes;
    /** Events, and device memory. */
    private final List<Object> kept;
    private final List<String> texts;

    private LaunchAttributes(ByteBuffer bytes, List<Object> kept, List<String> texts) {
        this.bytes = bytes;
        this.kept = kept;
        this.texts = texts;
        address = bytes == null ? 0 : DriverProxy.bufferAddress(bytes);
    }

    /** A copy with another attribute, which replaces one of its kind. */
    LaunchAttributes with(LaunchAttribute attribute, Object... value) {
        Objects.requireNonNull(attribute, "attribute");
        Object[] given = Objects.requireNonNull(value, "value").clone();
        Object[] parts = Stream.of(given).map(LaunchAttributes::settled).toArray();
        ByteBuffer fields = ByteBuffer.allocateDirect(16 * parts.length + 8).order(ByteOrder.nativeOrder());
        for (Object part : parts) {
            put(fields, part);
        }
        ByteBuffer copy = ByteBuffer.allocateDirect(BYTES + ALIGNMENT).alignedSlice(ALIGNMENT);
        if (bytes != null) {
            copy.duplicate().put(bytes.duplicate());
        }
        DriverProxy.addLaunchAttribute(DriverProxy.bufferAddress(copy), attribute.value(), DriverProxy.bufferAddress(fields), parts.length);
        Reference.reachabilityFence(fields);
        String text = attribute + "=" + Stream.of(given).map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
        return new LaunchAttributes(copy, join(kept.stream(), Stream.of(given)),
            join(texts.stream().filter(other -> !other.startsWith(attribute + "=")), Stream.of(text)));
    }

    /** Code of the program gives its address before that of other memory is read. */
    private static Object settled(Object part) {
        return Objects.requireNonNull(part, "value") instanceof DevicePointer holder ? Holders.settled(holder, "value") : part;
    }

    private static <T> List<T> join(Stream<T> first, Stream<T> second) {
        return Stream.concat(first, second).toList();
    }

    private static void put(ByteBuffer fields, Object part) {
        if (part instanceof Boolean flag) {
            put(fields, INTEGER, flag ? 1 : 0);
        } else if (part instanceof Float || part instanceof Double) {
            put(fields, REAL, Double.doubleToRawLongBits(((Number) part).doubleValue()));
        } else if (part instanceof Integer || part instanceof Long || part instanceof Short || part instanceof Byte) {
            put(fields, INTEGER, ((Number) part).longValue());
        } else if (part instanceof Event event) {
            put(fields, EVENT, event.swigCPtr);
        } else if (part instanceof DevicePointer memory) {
            put(fields, ADDRESS, memory.pointer());
        } else {
            put(fields, INTEGER, valueOf(part));
        }
    }

    private static void put(ByteBuffer fields, int type, long bits) {
        fields.putLong(type).putLong(bits);
    }

    /** The numbers of pairs of a type and 64 bits. */
    static List<Number> numbers(long[] fields) {
        var numbers = new java.util.ArrayList<Number>();
        for (int i = 0; i < fields.length; i += 2) {
            if (fields[i] == REAL) {
                numbers.add(Double.longBitsToDouble(fields[i + 1]));
            } else {
                numbers.add(fields[i + 1]);
            }
        }
        return List.copyOf(numbers);
    }

    private static int valueOf(Object constant) {
        if (constant instanceof AccessProperty property) {
            return property.value();
        } else if (constant instanceof ClusterSchedulingPolicy policy) {
            return policy.value();
        } else if (constant instanceof LaunchMemSyncDomain domain) {
            return domain.value();
        } else if (constant instanceof SynchronizationPolicy policy) {
            return policy.value();
        }
        throw new IllegalArgumentException("a launch attribute consists of numbers, booleans, constants, events and device memory, not "
            + constant.getClass().getName());
    }

    @Override
    public String toString() {
        return texts.stream().map(text -> ", " + text).collect(Collectors.joining());
    }
}
