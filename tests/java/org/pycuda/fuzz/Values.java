package org.pycuda.fuzz;

import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.pycuda.AccessProperty;
import org.pycuda.CType;
import org.pycuda.ClusterSchedulingPolicy;
import org.pycuda.DType;
import org.pycuda.DeviceAllocation;
import org.pycuda.Event;
import org.pycuda.GPUArray;
import org.pycuda.LaunchMemSyncDomain;
import org.pycuda.Stream;
import org.pycuda.StructType;
import org.pycuda.SynchronizationPolicy;

/** The values for one thread's random calls: given ones, and results of earlier calls; valid and invalid ones. */
final class Values {
    private static final int[] INTS = {0, 1, 2, 3, 4, 7, 8, 16, 64, 100, -1, -2, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 16};
    /** No sizes that a machine can allocate but takes seconds to fill. */
    private static final long[] LONGS = {0, 1, 2, 3, 4, 7, 8, 16, 64, 100, -1, -2, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 16, 1L << 50, 1L << 62};
    private static final Double[] REALS = {0d, 1d, -1.5, 1e300, Double.NaN, Double.POSITIVE_INFINITY, 1e-300};
    private static final String[] TEXTS = {"", "x", "f", "float *x", "x[i] = 1", "\0", "\ud800", "P", "a".repeat(5000), "Pif", "ij->ji", "i,i"};
    private static final Class<?>[] PARTS = {int.class, long.class, boolean.class, float.class, AccessProperty.class, ClusterSchedulingPolicy.class,
        LaunchMemSyncDomain.class, SynchronizationPolicy.class, Event.class, DeviceAllocation.class, GPUArray.class, Object.class};
    private static final int MOST = 60;

    private final Random random;
    private final Map<Class<?>, List<Object>> known = new HashMap<>();
    private final List<Object> host = new ArrayList<>();

    Values(Random random) {
        this.random = random;
        for (int n : new int[] {0, 1, 2, 3, 4, 6, 8, 16, 64, 100}) {
            ByteBuffer direct = ByteBuffer.allocateDirect(8 * n).order(ByteOrder.nativeOrder());
            host.addAll(List.of(new byte[n], new short[n], new char[n], new int[n], new long[n], new float[n], new double[n], new boolean[n], new int[2][n],
                FloatBuffer.allocate(n), IntBuffer.allocate(n).asReadOnlyBuffer(), direct, direct.asFloatBuffer(), direct.asIntBuffer(), direct.asDoubleBuffer(),
                direct.asLongBuffer(), direct.asShortBuffer(), direct.asReadOnlyBuffer(), direct.duplicate(), ByteBuffer.allocateDirect(4 * n).asFloatBuffer()));
        }
    }

    /** Values of basic types: numbers, constants, events, memory. */
    Object[] list() {
        Object[] parts = new Object[random.nextInt(4)];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = of(pick(PARTS));
        }
        return parts;
    }

    <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    <T> T pick(T[] list) {
        return list[random.nextInt(list.length)];
    }

    /** Files the value under its classes and interfaces. */
    void add(Object value) {
        for (Class<?> type = value.getClass(); type != null; type = type.getSuperclass()) {
            add(type, value);
            for (Class<?> side : type.getInterfaces()) {
                add(side, value);
            }
        }
    }

    private void add(Class<?> type, Object value) {
        List<Object> list = known.computeIfAbsent(type, first -> new ArrayList<>());
        if (list.size() < MOST) {
            list.add(value);
        } else {
            list.set(random.nextInt(MOST), value);
        }
    }

    /** Null where there is none. */
    Object known(Class<?> type) {
        List<Object> list = known.get(type);
        return list == null ? null : pick(list);
    }

    /** Drops all values, so that they can be collected. */
    void forget() {
        known.values().forEach(list -> list.subList(0, list.size() / 2).clear());
        known.values().removeIf(List::isEmpty);
    }

    Object of(Type type) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class && random.nextInt(25) > 0) {
            return generic.getActualTypeArguments()[0] instanceof Class<?> element ? list(element) : List.of();
        }
        return of(type instanceof ParameterizedType generic ? (Class<?>) generic.getRawType() : type instanceof Class<?> simple ? simple : Object.class);
    }

    private List<?> list(Class<?> element) {
        Object[] parts = new Object[random.nextInt(4)];
        java.util.Arrays.setAll(parts, any -> of(element));
        return new ArrayList<>(java.util.Arrays.asList(parts));
    }

    private Object of(Class<?> type) {
        if (type.isPrimitive()) {
            return primitive(type);
        } else if (type == String.class) {
            return pick(TEXTS);
        } else if (random.nextInt(25) == 0) {
            return null;
        } else if (type.isEnum()) {
            return pick(type.getEnumConstants());
        } else if (type == Object.class) {
            return random.nextBoolean() ? pick(host) : random.nextBoolean() ? of(pick(new Class<?>[] {int.class, float.class, double.class})) : known(GPUArray.class);
        } else if (type.isArray()) {
            return array(type);
        } else if (Buffer.class.isAssignableFrom(type)) {
            return host.stream().filter(type::isInstance).skip(random.nextInt(10)).findFirst().orElse(null);
        } else if (type == Map.class) {
            return Map.of();
        } else if (type == Stream.class && random.nextInt(4) == 0) {
            return Stream.DEFAULT;
        } else if (type == Runnable.class) {
            return (Runnable) () -> { };
        } else if (type == CType.class && random.nextBoolean() || type == DType.class) {
            return pick(DType.values());
        }
        return known(type == CType.class ? StructType.class : type);
    }

    private Object primitive(Class<?> type) {
        long number = random.nextInt(3) == 0 ? random.nextInt(9) : LONGS[random.nextInt(LONGS.length)];
        if (type == int.class) {
            return random.nextInt(3) == 0 ? random.nextInt(9) : INTS[random.nextInt(INTS.length)];
        } else if (type == long.class) {
            return number;
        } else if (type == char.class) {
            return "CFx\0".charAt(random.nextInt(4));
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == float.class) {
            return pick(REALS).floatValue();
        } else if (type == double.class) {
            return pick(REALS);
        }
        return type == short.class ? (Object) (short) number : (Object) (byte) number;
    }

    private Object array(Class<?> type) {
        Class<?> element = type.getComponentType();
        if (element.isPrimitive() && random.nextInt(3) == 0) {
            Object given = host.stream().filter(type::isInstance).skip(random.nextInt(8)).findFirst().orElse(null);
            if (given != null) {
                return given;
            }
        }
        Object array = Array.newInstance(element, random.nextInt(20) == 0 ? 40 : random.nextInt(4));
        for (int i = 0; i < Array.getLength(array); i++) {
            Object value = element == long.class && random.nextInt(4) > 0 ? (Object) (long) random.nextInt(6) : of(element);
            Array.set(array, i, value);
        }
        return array;
    }
}
