package org.pycuda;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Types by their names in kernels: built-in types, CUDA's vectors, and those that programs register. */
final class TypeNames {
    private static final Map<String, CType> NAMES = new HashMap<>();

    static {
        for (StructType type : Vec.ALL) {
            NAMES.put(type.ctype(), type);
        }
    }

    private TypeNames() {}

    /** The type of this name; null if there is none. */
    static CType find(String name) {
        synchronized (NAMES) {
            CType registered = NAMES.get(name);
            if (registered != null) {
                return registered;
            }
        }
        int code = ArrayCalls.kernelDtype(name);
        return code < 0 ? null : DType.fromValue(code);
    }

    /** A structure with its fields, because another one can have the same name. */
    static String describe(CType type) {
        return !(type instanceof StructType struct) ? type.toString()
            : "a structure of the fields " + struct.fields().stream().map(field -> field.name() + " (" + field.type() + ")").collect(Collectors.joining(", "));
    }

    /**
     * Registers these names for the type, and returns the equal type that had them already, if any. IllegalArgumentException if another
     * type has one of them.
     */
    static CType register(CType type, String... names) {
        synchronized (NAMES) {
            CType known = type;
            for (String name : names) {
                CType other = find(name);
                if (other != null && !other.equals(type)) {
                    throw new IllegalArgumentException("the name " + name + " is already registered for another type: " + describe(other));
                }
                known = other == null ? known : other;
            }
            for (String name : names) {
                NAMES.put(name, known);
            }
            return known;
        }
    }
}
