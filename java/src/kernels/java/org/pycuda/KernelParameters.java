package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The declared parameters of a custom kernel, and checks of its arguments. */
final class KernelParameters {
    /** {@code dtype} is null for an unregistered type. */
    private record Parameter(String type, String name, boolean isVector, CType dtype) {}

    static final int FIELDS = 3;

    private final String kernel;
    private final Parameter[] parameters;

    /** @param list C declarations, separated by commas; IllegalArgumentException if they are invalid */
    KernelParameters(String kernel, String list) {
        this.kernel = kernel;
        List<String> flat = ArrayCalls.kernelParameters(list);
        parameters = new Parameter[flat.size() / FIELDS];
        for (int i = 0; i < flat.size(); i += FIELDS) {
            parameters[i / FIELDS] = new Parameter(flat.get(i), flat.get(i + 1), !flat.get(i + 2).isEmpty(), TypeNames.find(flat.get(i)));
        }
        if (Arrays.stream(parameters).noneMatch(Parameter::isVector)) {
            throw new IllegalArgumentException("a kernel needs at least one array among its arguments: " + list);
        }
    }

    /** The C parameter list of these. */
    static String text(List<? extends Argument> arguments) {
        Objects.requireNonNull(arguments, "arguments");
        List<String> declarations = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            declarations.add(Objects.requireNonNull(arguments.get(i), "arguments[" + i + "]").declarator());
        }
        return String.join(", ", declarations);
    }

    /** The first array among the arguments, whose size is the number of elements. Checks all arguments. */
    GPUArray firstVector(Object[] arguments) {
        if (arguments.length != parameters.length) {
            throw new IllegalArgumentException(
                "'" + kernel + "' takes " + parameters.length + " arguments, but " + arguments.length + " were given");
        }
        GPUArray first = null;
        for (int i = 0; i < arguments.length; i++) {
            Parameter parameter = parameters[i];
            if (parameter.isVector && arguments[i] instanceof GPUArray array) {
                requireElements(i, array);
                first = first == null ? array : first;
                if (!isInOrderOf(first, array)) {
                    throw refused(i, "the order of axes in memory that the first array of this shape has: copy it in that order", array);
                }
            } else if (parameter.isVector && first == null) {
                throw refused(i, "a GPUArray of " + parameter.type, arguments[i]);
            }
        }
        return first;
    }

    /** Whether all arrays have the same order of elements in memory; arrays of other shapes are not compared. */
    private static boolean isInOrderOf(GPUArray first, GPUArray array) {
        if (array == first || array.ndim() < 2 || !Arrays.equals(array.shape(), first.shape())) {
            return true;
        }
        return array.isCContiguous() && first.isCContiguous() || array.isFContiguous() && first.isFContiguous();
    }

    /** The number of elements that an elementwise kernel computes; {@code use} is the result of {@link ArrayCalls#vectorUse}. */
    long count(GPUArray first, Object[] arguments, long[] use) {
        long count = first.size();
        for (int i = 0; i < arguments.length; i++) {
            if (use[i + 1] == 0 || !(arguments[i] instanceof GPUArray array) || array.size() >= count) {
                continue;
            } else if (use[0] != 0) {
                throw refused(i, "at least the " + first.size() + " elements of the first array, which is n", array);
            }
            count = array.size();
        }
        return count;
    }

    /** Checks that no array used at every index is too short; {@code use} is the result of {@link ArrayCalls#vectorUse}. */
    void requireEvery(long count, Object[] arguments, long[] use) {
        for (int i = 0; i < arguments.length; i++) {
            if (use[i + 1] != 0 && arguments[i] instanceof GPUArray array && array.size() < count) {
                throw refused(i, "at least " + count + " elements, which are read or written", array);
            }
        }
    }

    private void requireElements(int i, GPUArray array) {
        Parameter parameter = parameters[i];
        if (parameter.dtype != null && !parameter.dtype.equals(array.dtype())) {
            throw refused(i, "elements of " + parameter.dtype, array.dtype());
        }
        if (!array.isContiguous()) {
            throw refused(i, "an array without gaps: copy it first", array);
        }
    }

    /** The arguments of the launch: each as its declared type, followed by {@code more}. */
    Object[] values(Object[] before, Object[] arguments, Object... more) {
        Object[] values = new Object[before.length + arguments.length + more.length];
        System.arraycopy(before, 0, values, 0, before.length);
        for (int i = 0; i < arguments.length; i++) {
            values[before.length + i] = parameters[i].isVector ? pointer(i, arguments[i]) : scalar(i, arguments[i]);
        }
        System.arraycopy(more, 0, values, before.length + arguments.length, more.length);
        return values;
    }

    private Object pointer(int i, Object argument) {
        if (argument instanceof DevicePointer || argument instanceof Long) {
            return argument;
        }
        throw refused(i, "a GPUArray or a device pointer", argument);
    }

    private Object scalar(int i, Object argument) {
        CType type = parameters[i].dtype;
        if (type instanceof DType number) {
            return number(i, number, argument);
        } else if (argument instanceof StructValue value && (type == null || type.equals(value.type()))) {
            return value;
        } else if (argument instanceof ByteBuffer bytes && (type == null || bytes.remaining() == type.itemsize())) {
            return type == null ? Driver.bytes(bytes) : Driver.bytes(bytes, type.alignment());
        }
        throw refused(i, "a value of " + parameters[i].type + ", or its bytes", argument);
    }

    private Object number(int i, DType type, Object argument) {
        Object number;
        try {
            number = ElementValues.number(type, argument);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(argument(i) + wrong.getMessage(), wrong);
        }
        if (!type.isComplex()) {
            return number;
        }
        ByteBuffer bytes = ByteBuffer.allocate(type.itemsize()).order(ByteOrder.nativeOrder());
        ElementValues.put(bytes, 0, type, number);
        return Driver.bytes(bytes, type.alignment());
    }

    private String argument(int i) {
        return "argument " + i + " of '" + kernel + "', counted from 0, " + parameters[i].name + ": ";
    }

    private IllegalArgumentException refused(int i, String wanted, Object given) {
        return new IllegalArgumentException(argument(i) + ElementValues.refused(wanted, given).getMessage());
    }

    /** Orders the streams of all arrays before and after the kernel. */
    void join(Stream stream, Object[] arguments, boolean before) {
        for (Object argument : arguments) {
            GPUArray array = argument instanceof GPUArray given ? given : null;
            if (before) {
                StreamJoin.before(stream, array);
            } else {
                StreamJoin.after(stream, array);
            }
        }
        Reference.reachabilityFence(arguments);
    }
}
