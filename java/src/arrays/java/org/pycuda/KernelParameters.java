package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** The parameters that a kernel of one's own declares, and what they are called with. */
final class KernelParameters {
    private record Parameter(String type, String name, boolean isVector, DType dtype) {}

    private static final int FIELDS = 3;

    private final String kernel;
    private final List<Parameter> parameters = new ArrayList<>();

    /** @param list C declarations, with commas between them; IllegalArgumentException for what is none */
    KernelParameters(String kernel, String list) {
        this.kernel = kernel;
        List<String> flat = ArrayCalls.kernelParameters(list);
        for (int i = 0; i < flat.size(); i += FIELDS) {
            int code = ArrayCalls.kernelDtype(flat.get(i));
            parameters.add(new Parameter(flat.get(i), flat.get(i + 1), !flat.get(i + 2).isEmpty(), code < 0 ? null : DType.fromValue(code)));
        }
        if (parameters.stream().noneMatch(Parameter::isVector)) {
            throw new IllegalArgumentException("a kernel needs at least one array among its arguments: " + list);
        }
    }

    /** The first array given, whose size is the number of elements. Checks all of them. */
    GPUArray firstVector(Object[] arguments) {
        if (arguments.length != parameters.size()) {
            throw new IllegalArgumentException(
                "'" + kernel + "' takes " + parameters.size() + " arguments, but " + arguments.length + " were given");
        }
        GPUArray first = null;
        for (int i = 0; i < arguments.length; i++) {
            Parameter parameter = parameters.get(i);
            if (parameter.isVector && arguments[i] instanceof GPUArray array) {
                requireElements(i, array);
                first = first == null ? array : first;
            } else if (parameter.isVector && first == null) {
                throw refused(i, "a GPUArray of " + parameter.type, arguments[i]);
            }
        }
        return first;
    }

    private void requireElements(int i, GPUArray array) {
        Parameter parameter = parameters.get(i);
        if (parameter.dtype != null && parameter.dtype != array.dtype()) {
            throw refused(i, "elements of " + parameter.dtype, array.dtype());
        }
        if (!array.isContiguous()) {
            throw refused(i, "an array without gaps: copy it first", array);
        }
    }

    /** What the kernel is launched with: each argument as its declared type, and {@code more}. */
    Object[] values(Object[] before, Object[] arguments, Object... more) {
        Object[] values = new Object[before.length + arguments.length + more.length];
        System.arraycopy(before, 0, values, 0, before.length);
        for (int i = 0; i < arguments.length; i++) {
            values[before.length + i] = parameters.get(i).isVector ? pointer(i, arguments[i]) : scalar(i, arguments[i]);
        }
        System.arraycopy(more, 0, values, before.length + arguments.length, more.length);
        return values;
    }

    private Object pointer(int i, Object argument) {
        if (argument instanceof PointerHolderBase || argument instanceof Long) {
            return argument;
        }
        throw refused(i, "a GPUArray or a device pointer", argument);
    }

    private Object scalar(int i, Object argument) {
        DType type = parameters.get(i).dtype;
        if (type == null) {
            if (argument instanceof ByteBuffer bytes) {
                return Driver.bytes(bytes);
            }
            throw refused(i, "the bytes of a " + parameters.get(i).type, argument);
        } else if (type == DType.BOOL && argument instanceof Boolean) {
            return argument;
        } else if (type.isInteger() || type == DType.BOOL) {
            return whole(i, type, argument);
        } else if (type.isComplex()) {
            return complex(i, type, argument);
        }
        double value = number(i, argument);
        return switch (type) {
            case FLOAT32 -> (float) value;
            case FLOAT16 -> Half.bits(value);
            case BFLOAT16 -> (short) (Float.floatToIntBits((float) value) >> 16);
            default -> value;
        };
    }

    private double number(int i, Object argument) {
        if (argument instanceof Number value) {
            return value.doubleValue();
        }
        throw refused(i, "a number", argument);
    }

    /** Unsigned types take the negative numbers of the same bits, too. */
    private Object whole(int i, DType type, Object argument) {
        boolean isWhole = argument instanceof Byte || argument instanceof Short || argument instanceof Integer || argument instanceof Long;
        if (!isWhole && !(argument instanceof Character)) {
            throw refused(i, "a whole number", argument);
        }
        long value = argument instanceof Character letter ? letter : ((Number) argument).longValue();
        int bits = 8 * type.itemsize();
        long least = bits == 64 ? Long.MIN_VALUE : -(1L << (bits - 1));
        long most = bits == 64 ? Long.MAX_VALUE : (1L << (type.isUnsigned() || type == DType.BOOL ? bits : bits - 1)) - 1;
        if (value < least || value > most) {
            throw refused(i, "a number that " + type + " can hold", value);
        }
        return switch (bits) {
            case 8 -> (Object) (byte) value;
            case 16 -> (Object) (short) value;
            case 32 -> (Object) (int) value;
            default -> (Object) value;
        };
    }

    private Object complex(int i, DType type, Object argument) {
        Complex value = argument instanceof Complex given ? given : new Complex(number(i, argument), 0);
        ByteBuffer bytes = ByteBuffer.allocate(type.itemsize()).order(ByteOrder.nativeOrder());
        if (type == DType.COMPLEX64) {
            bytes.putFloat(0, (float) value.re()).putFloat(Float.BYTES, (float) value.im());
        } else {
            bytes.putDouble(0, value.re()).putDouble(Double.BYTES, value.im());
        }
        return Driver.bytes(bytes, type.alignment());
    }

    private IllegalArgumentException refused(int i, String wanted, Object given) {
        return new IllegalArgumentException("argument " + i + " of '" + kernel + "' (0-based), " + parameters.get(i).name + ": expected "
            + wanted + ", not " + (given == null ? "null" : given instanceof Number || given instanceof DType || given instanceof GPUArray
                ? given : given.getClass().getTypeName()));
    }

    /** Streams of arrays that the kernel uses are waited for, and wait for it. */
    void join(Stream stream, Object[] arguments, boolean before) {
        for (Object argument : arguments) {
            if (argument instanceof GPUArray array && array.stream() != null) {
                StreamJoin.await(before ? stream : array.stream(), before ? array.stream() : stream);
            }
        }
        Reference.reachabilityFence(arguments);
    }
}
