package org.pycuda;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Helpers for programs that use several contexts.
 * <pre>{@code
 * String source = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }";
 * var twice = Tools.contextDependentMemoize(() -> new SourceModule(source).function("twice"));  // made once in each context
 * var x = new float[] {1, 2};
 * twice.get().launch(Driver.block(2), Driver.inOut(x));
 * System.out.println(x[1]);  // 4.0
 * }</pre>
 */
public final class Tools {
    private static final Set<Memo<?, ?>> MEMOS = Collections.newSetFromMap(new WeakHashMap<>());

    private Tools() {}

    /** Results of a function for each context and key. */
    private static final class Memo<K, V> implements Function<K, V> {
        private record ContextAndKey(Context context, Object key) {}

        private final Function<K, V> function;
        private final Map<ContextAndKey, V> values = new HashMap<>();

        Memo(Function<K, V> function) {
            this.function = function;
        }

        @Override
        public synchronized V apply(K key) {
            var both = new ContextAndKey(Context.current(), key);
            if (!values.containsKey(both)) {
                values.keySet().removeIf(old -> !old.context.isValid());
                values.put(both, function.apply(key));
            }
            return values.get(both);
        }

        synchronized void clear() {
            values.clear();
        }
    }

    private static <K, V> Memo<K, V> memo(Function<K, V> function) {
        var memo = new Memo<>(function);
        synchronized (MEMOS) {
            MEMOS.add(memo);
        }
        return memo;
    }

    /** A supplier that calls {@code supplier} once per context, the one that is current at the call. */
    public static <V> Supplier<V> contextDependentMemoize(Supplier<V> supplier) {
        Objects.requireNonNull(supplier, "supplier");
        Memo<String, V> memo = memo(key -> supplier.get());
        return () -> memo.apply("");
    }

    /** A function that calls {@code function} once per key and context, the one that is current at the call. */
    public static <K, V> Function<K, V> contextDependentMemoize(Function<K, V> function) {
        return memo(Objects.requireNonNull(function, "function"));
    }

    /** Clears the results of memoised functions. Contexts end without it. */
    public static void clearContextCaches() {
        synchronized (MEMOS) {
            MEMOS.forEach(Memo::clear);
        }
    }

    /**
     * Registers names for {@code type} in declarations of kernels, and returns the equal type that had them already, if there is one.
     * IllegalArgumentException if another type has one of them.
     */
    public static CType getOrRegisterDtype(CType type, String... names) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(names, "names");
        for (int i = 0; i < names.length; i++) {
            Objects.requireNonNull(names[i], "names[" + i + "]");
        }
        return TypeNames.register(type, names);
    }

    /** The type of a name in declarations of kernels. IllegalArgumentException if there is none. */
    public static CType getOrRegisterDtype(String name) {
        CType type = TypeNames.find(Objects.requireNonNull(name, "name"));
        if (type == null) {
            throw new IllegalArgumentException("no type has the name " + name + "; register it with getOrRegisterDtype, or make a StructType");
        }
        return type;
    }

    /** Parses a C parameter declaration, such as {@code "const float *x"}. IllegalArgumentException for other text, and for unknown types. */
    public static Argument parseCArg(String declaration) {
        List<String> parts = ArrayCalls.kernelParameters(Objects.requireNonNull(declaration, "declaration"));
        if (parts.size() != KernelParameters.FIELDS) {
            throw new IllegalArgumentException("expected one C parameter declaration, not '" + declaration + "'");
        }
        CType type = getOrRegisterDtype(parts.get(0));
        return parts.get(2).isEmpty() ? new ScalarArg(type, parts.get(1)) : new VectorArg(type, parts.get(1));
    }

    /** A new context, current on this thread, on the device that CUDA_DEVICE names, or on the first where that succeeds. */
    public static Context makeDefaultContext() {
        return makeDefaultContext(Device::makeContext);
    }

    /** The same, made by {@code maker}. */
    public static Context makeDefaultContext(Function<Device, Context> maker) {
        return DefaultDevice.makeContext(Objects.requireNonNull(maker, "maker"));
    }
}
