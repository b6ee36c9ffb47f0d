package org.pycuda.arguments;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.pycuda.HostData;

/**
 * A valid call of every public overload of a name (a constructor's is "new") whose parameters accept the first of these values. A value is passed as
 * it is; {@code (Supplier<?>)} creates the value; {@link Reads} and {@link Writes} stand for memory.
 */
final class Row {
    static final int SIZE = 64;

    /** Memory with known contents of this size, which the call must not change. */
    record Reads(int size, byte[] bytes) {}

    /** Memory that must contain the bytes of argument {@code source} afterwards, or the given bytes. */
    record Writes(int size, int source, byte[] bytes) {}

    /** What to do after the method under test; {@code self} is null for a static method. */
    interface Then {
        void run(Object result, Object self, Object[] values);
    }

    final Class<?> owner;
    final String name;
    final List<Object> specs;
    Supplier<?> on = () -> null;
    Then then = (result, self, values) -> { };
    UnaryOperator<HostData> as = UnaryOperator.identity();
    int gives = -1;
    final Map<String, Class<? extends RuntimeException>> but = new HashMap<>();
    Class<? extends RuntimeException> fails;
    final Set<String> except = new HashSet<>();
    private int parameters = -1;

    Row(Class<?> owner, String name, Object... specs) {
        this.owner = owner;
        this.name = name;
        this.specs = Arrays.asList(specs);
    }

    static Reads reads() {
        return new Reads(SIZE, null);
    }

    static Reads reads(byte[] bytes) {
        return new Reads(bytes.length, bytes);
    }

    static Writes writes(int source) {
        return new Writes(SIZE, source, null);
    }

    static Writes writes(byte[] bytes) {
        return new Writes(SIZE, -1, bytes);
    }

    /** The object that the method is called on, created anew for each cell. */
    Row on(Supplier<?> self) {
        on = self;
        return this;
    }

    /** {@code then} receives all values of the row, including those that a shorter overload does not take. */
    Row then(Then action) {
        then = action;
        return this;
    }

    /** The result must have the bytes of this argument. */
    Row gives(int argument) {
        gives = argument;
        return this;
    }

    /** These kinds are rejected for that parameter, though they work elsewhere. */
    Row but(Class<? extends RuntimeException> refusal, String... kinds) {
        for (String kind : kinds) {
            but.put(kind, refusal);
        }
        return this;
    }

    /** These kinds have another meaning for that parameter. */
    Row except(String... kinds) {
        except.addAll(List.of(kinds));
        return this;
    }

    /** What a parameter of type HostData is given, made of the value. */
    Row as(UnaryOperator<HostData> form) {
        as = form;
        return this;
    }

    /** The error with which the driver rejects the call, although its arguments are valid. */
    Row fails(Class<? extends RuntimeException> refusal) {
        fails = refusal;
        return this;
    }

    /** Only the overload with this number of parameters. */
    Row of(int count) {
        parameters = count;
        return this;
    }

    static boolean isMemory(Class<?> type) {
        return type == org.pycuda.DevicePointer.class || java.nio.Buffer.class.isAssignableFrom(type)
            || type.isArray() && type != boolean[].class && type.getComponentType().isPrimitive() || type == Object[].class || type == Object.class || type == HostData.class || isSegment(type);
    }

    /** Java 17 does not have the class, so its overloads are left to the tests of newer versions. */
    static boolean isSegment(Class<?> type) {
        return HostKinds.hasSegments() && type.getName().equals("java.lang.foreign.MemorySegment");
    }

    /** Every overload that the row calls. */
    List<Executable> overloads() {
        List<Executable> found = new ArrayList<>();
        Executable[] all = name.equals("new") ? owner.getConstructors() : owner.getMethods();
        for (Executable member : all) {
            boolean named = member instanceof Constructor || member.getName().equals(name) && !((Method) member).isBridge();
            if (named && !Modifier.isAbstract(member.getModifiers()) && fits(member.getParameterTypes())) {
                found.add(member);
            }
        }
        return found;
    }

    private boolean fits(Class<?>[] types) {
        if (parameters >= 0 && types.length != parameters) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            if (i >= specs.size() || !fits(types[i], specs.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean fits(Class<?> type, Object spec) {
        if (spec instanceof Reads || spec instanceof Writes) {
            return isMemory(type);
        }
        return boxed(type).isInstance(spec instanceof Supplier<?> maker ? maker.get() : spec);
    }

    static Class<?> boxed(Class<?> type) {
        return type == int.class ? Integer.class : type == long.class ? Long.class : type == boolean.class ? Boolean.class
            : type == char.class ? Character.class : type == float.class ? Float.class : type == double.class ? Double.class : type;
    }

    @Override
    public String toString() {
        return owner.getSimpleName() + "." + name;
    }
}
