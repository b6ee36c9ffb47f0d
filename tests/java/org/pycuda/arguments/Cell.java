package org.pycuda.arguments;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.pycuda.Context;
import org.pycuda.DevicePointer;
import org.pycuda.HostData;

/** One call of an overload, with a kind of value for one of its parameters. */
final class Cell {
    private static final Pattern NOISE = Pattern.compile("std::|pycuda::|swig|jlong|prototype|0x0\\b", Pattern.CASE_INSENSITIVE);
    private static final Map<Kind, Class<?>> TYPES = new HashMap<>();
    static final byte FILLER = (byte) 0xEE;

    private final Row row;
    private final Executable member;
    private final int parameter;
    private final Kind kind;

    Cell(Row row, Executable member, int parameter, Kind kind) {
        this.row = row;
        this.member = member;
        this.parameter = parameter;
        this.kind = kind;
    }

    /** The kinds that this parameter can be given: those that the compiler accepts for its type. */
    static List<Kind> kindsOf(Class<?> type) {
        List<Kind> all = type == DevicePointer.class ? DeviceKinds.ALL : HostKinds.ALL;
        return all.stream().filter(kind -> {
            Class<?> given = TYPES.computeIfAbsent(kind, Cell::typeOf);
            return given == Void.class || type.isAssignableFrom(given) || type == HostData.class;
        }).toList();
    }

    /** The type of a kind's values; Void for null. */
    private static Class<?> typeOf(Kind kind) {
        Object value = kind.maker().make(new byte[Row.SIZE]).value();
        return value == null ? Void.class : value.getClass();
    }

    static Kind usual(Class<?> type) {
        if (type == DevicePointer.class) {
            return Kind.byName(DeviceKinds.ALL, "DeviceAllocation");
        } else if (type == Object.class) {
            return Kind.byName(HostKinds.ALL, "int[]");
        } else if (type == Object[].class) {
            return Kind.byName(HostKinds.ALL, "int[][]");
        } else if (Row.isSegment(type)) {
            return Kind.byName(HostKinds.ALL, "segment of an automatic arena");
        }
        return Kind.byName(HostKinds.ALL, type.isArray() ? type.getSimpleName() : "direct ByteBuffer");
    }

    private Class<? extends RuntimeException> refusal() {
        if (row.but.containsKey(kind.name())) {
            return row.but.get(kind.name());
        }
        boolean written = row.specs.get(parameter) instanceof Row.Writes;
        Class<? extends RuntimeException> usual = kind.readOnly() && written ? IllegalArgumentException.class : kind.refusal();
        return usual == null ? row.fails : usual;
    }

    private boolean isExpected(RuntimeException error) {
        if (kind.name().equals("null")) {
            return error instanceof NullPointerException || error instanceof IllegalArgumentException;
        }
        return refusal() != null && refusal().isInstance(error);
    }

    /** What is wrong with the cell; empty if nothing is. If the JVM crashes, the thread's name is the cell. */
    String complaint() {
        Thread thread = Thread.currentThread();
        String before = thread.getName();
        thread.setName(this.toString());
        try {
            String complaint = tried();
            return complaint.isEmpty() ? "" : this + ": " + complaint;
        } catch (ReflectiveOperationException | RuntimeException failure) {
            return this + ": " + failure;
        } finally {
            thread.setName(before);
        }
    }

    private String tried() throws ReflectiveOperationException {
        var memories = new Memory[row.specs.size()];
        var contents = new byte[row.specs.size()][];
        Object[] values = new Object[row.specs.size()];
        for (int i = 0; i < values.length; i++) {
            Object spec = row.specs.get(i);
            if (spec instanceof Row.Reads || spec instanceof Row.Writes) {
                contents[i] = content(spec, i);
                Class<?> type = i < member.getParameterCount() ? member.getParameterTypes()[i] : java.nio.Buffer.class;
                memories[i] = (i == parameter ? kind : usual(type)).maker().make(contents[i]);
                values[i] = memories[i].value();
            } else {
                values[i] = spec instanceof Supplier<?> maker ? maker.get() : spec;
            }
        }
        try {
            Object self = row.on.get();
            Object result = invoke(member, self, Arrays.copyOf(values, member.getParameterCount()), row.as);
            row.then.run(result, self, values);
            Context.synchronize();
            if (refusal() != null) {
                return "was taken";
            }
            if (row.gives >= 0 && !Arrays.equals(Memory.bytes(result), contents[row.gives])) {
                return "the result has the wrong bytes";
            }
            return differences(memories, contents, true);
        } catch (RuntimeException error) {
            Context.synchronize();
            String complaint = isExpected(error) ? saying(error) : "threw " + error;
            return complaint.isEmpty() ? differences(memories, contents, false) : complaint;
        }
    }

    static Object invoke(Executable member, Object self, Object[] arguments, UnaryOperator<HostData> form) throws ReflectiveOperationException {
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = member.getParameterTypes()[i] == HostData.class ? form.apply(HostData.ofObject(arguments[i])) : arguments[i];
        }
        try {
            return member instanceof Constructor<?> constructor ? constructor.newInstance(arguments) : ((Method) member).invoke(self, arguments);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException error) {
                throw error;
            }
            throw new IllegalStateException("threw " + thrown.getCause(), thrown);
        }
    }

    private static String saying(RuntimeException error) {
        String text = String.valueOf(error.getMessage());
        boolean empty = error.getMessage() == null && !(error instanceof DeviceKinds.Unusable);
        return empty || NOISE.matcher(text).find() ? "says " + error : "";
    }

    static byte[] content(Object spec, int i) {
        if (spec instanceof Row.Reads reads && reads.bytes() != null) {
            return reads.bytes();
        }
        byte[] bytes = new byte[spec instanceof Row.Reads reads ? reads.size() : ((Row.Writes) spec).size()];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = spec instanceof Row.Writes ? FILLER : (byte) (7 * at + 31 * i + 3);
        }
        return bytes;
    }

    private String differences(Memory[] memories, byte[][] contents, boolean done) {
        for (int i = 0; i < memories.length; i++) {
            if (memories[i] == null || memories[i].read() == null) {
                continue;
            }
            byte[] expected = contents[i];
            if (done && row.specs.get(i) instanceof Row.Writes writes) {
                expected = writes.source() >= 0 ? contents[writes.source()] : writes.bytes();
            }
            byte[] found = memories[i].read().get();
            if (!Arrays.equals(found, expected)) {
                return "argument " + i + (done ? " has the wrong bytes: " : " was written: ") + Arrays.toString(found) + ", not " + Arrays.toString(expected);
            }
        }
        return "";
    }

    @Override
    public String toString() {
        String types = String.join(", ", Arrays.stream(member.getParameterTypes()).map(Class::getSimpleName).toList());
        return row + "(" + types + ") #" + parameter + " = " + kind.name();
    }
}
