package org.pycuda;

import java.util.Objects;
import java.util.function.Function;
import org.pycuda.compiler.SourceModule;

/**
 * Properties of device code.
 * <pre>{@code
 * System.out.println(Characterize.sizeof("double3"));  // 24
 * System.out.println(Characterize.hasDoubleSupport());  // true
 * }</pre>
 */
public final class Characterize {
    private record Type(String name, String preamble) {}

    private static final Function<Type, Integer> SIZES = Tools.contextDependentMemoize(Characterize::measure);

    private Characterize() {}

    /** The size of a C type in device code, in bytes. */
    public static int sizeof(String typeName) {
        return sizeof(typeName, "");
    }

    /** The size of a C type that the preamble declares, in bytes. CompileError if there is no such type. */
    public static int sizeof(String typeName, String preamble) {
        return SIZES.apply(new Type(Objects.requireNonNull(typeName, "typeName"), Objects.requireNonNull(preamble, "preamble")));
    }

    private static int measure(Type type) {
        String source = type.preamble + "\nextern \"C\" __global__ void size(unsigned long long *out) { *out = sizeof(" + type.name + "); }\n";
        try (var module = new SourceModule(source, new SourceModule.Options().noExternC()); var out = Driver.memAlloc(Long.BYTES)) {
            module.function("size").launch(Driver.block(1), out);
            return (int) Driver.fromDevice(out, 1, long[].class)[0];
        }
    }

    /** Whether device functions may be recursive. */
    public static boolean hasStack() {
        return Context.device().computeCapability().major() >= 2;
    }

    /** Whether the device supports double precision. */
    public static boolean hasDoubleSupport() {
        var capability = Context.device().computeCapability();
        return capability.major() > 1 || capability.minor() >= 3;
    }
}
