package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The cases of tests/python/arrays/write_cases.py, which describes the format; PYCUDA_ARRAY_CASES names their file. */
class ArrayCasesTest implements WithContext {
    /** How many rounding errors a result may have, as in Python's tests. */
    private static final double ROUNDINGS = 16;

    private static long[] shape(String text) {
        return text.equals("-") ? new long[0] : Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.equals("-") ? new byte[0] : HexFormat.of().parseHex(text)).order(ByteOrder.nativeOrder());
    }

    private static GPUArray array(String[] words) {
        Order order = words[2].equals("F") ? Order.F : Order.C;
        GPUArray whole = GPUArray.factory().order(order).toGpu(HostData.of(bytes(words[4])).as(DType.valueOf(words[1])).shape(shape(words[3])));
        Slice part = switch (words[2]) {
            case "sliced" -> Slice.from(1).by(2);
            case "reversed" -> Slice.ALL.by(-1);
            default -> Slice.ALL;
        };
        Slice[] parts = new Slice[whole.ndim()];
        Arrays.fill(parts, part);
        return whole.slice(parts);
    }

    private static Object argument(String text) {
        String[] words = text.split(" ");
        return switch (words[0]) {
            case "array" -> array(words);
            case "whole" -> Long.parseLong(words[1]);
            case "real" -> Double.parseDouble(words[1]);
            case "complex" -> new Complex(Double.parseDouble(words[1]), Double.parseDouble(words[2]));
            case "index" -> Arrays.stream(words, 1, words.length).map(ArrayCasesTest::part).toArray(Slice[]::new);
            default -> words;  // axes
        };
    }

    private static Slice part(String text) {
        if (text.equals("new") || text.equals("rest")) {
            return text.equals("new") ? Slice.NEW_AXIS : Slice.REST;
        } else if (text.indexOf(':') < 0) {
            return Slice.at(Long.parseLong(text));
        }
        String[] bounds = text.split(":", -1);
        Slice range = bounds[0].isEmpty() ? bounds[1].isEmpty() ? Slice.ALL : Slice.until(Long.parseLong(bounds[1]))
            : bounds[1].isEmpty() ? Slice.from(Long.parseLong(bounds[0])) : Slice.of(Long.parseLong(bounds[0]), Long.parseLong(bounds[1]));
        return bounds[2].isEmpty() ? range : range.by(Long.parseLong(bounds[2]));
    }

    static int[] axes(Object argument) {
        String list = ((String[]) argument)[1];
        return list.equals("-") ? new int[0] : Arrays.stream(list.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    static Axis axis(Object argument) {
        int[] axes = axes(argument);
        Axis axis = axes.length == 0 ? Axis.ALL : Axis.of(axes);
        return ((String[]) argument).length > 2 ? axis.keepDims() : axis;
    }

    /** Computes the case. */
    private static GPUArray result(String name, List<Object> arguments) {
        GPUArray a = (GPUArray) arguments.get(0);
        Object second = arguments.size() > 1 ? arguments.get(1) : null;
        if (name.startsWith("astype ")) {
            return a.astype(DType.valueOf(name.substring("astype ".length())));
        }
        if (name.startsWith("view ")) {
            return a.view(DType.valueOf(name.substring("view ".length())));
        }
        if (NumpysCases.has(name)) {
            return NumpysCases.compute(name, a, arguments);
        }
        return switch (name) {
            case "mulAdd" -> a.mulAdd((Long) second, (GPUArray) arguments.get(2), (Long) arguments.get(3));
            case "slice" -> a.slice((Slice[]) second);
            case "reshape" -> a.reshape(Arrays.stream(axes(second)).asLongStream().toArray());
            case "dot" -> a.dot((GPUArray) second, axis(arguments.get(2)));
            case "setWhere" -> a.setWhere((GPUArray) second, (GPUArray) arguments.get(2));
            case "fillWhere" -> a.fillWhere((GPUArray) second, (Long) arguments.get(2));
            case "sum" -> a.sum(axis(second));
            case "prod" -> a.prod(axis(second));
            case "min" -> a.min(axis(second));
            case "max" -> a.max(axis(second));
            case "any" -> a.any(axis(second));
            case "all" -> a.all(axis(second));
            case "mean" -> a.mean(axis(second));
            case "argmin" -> a.argmin(axis(second));
            case "argmax" -> a.argmax(axis(second));
            case "cumsum" -> a.cumsum(axes(second)[0]);
            case "cumprod" -> a.cumprod(axes(second)[0]);
            case "sort" -> second instanceof GPUArray keys ? a.sort(keys) : a.sort(axes(second)[0]);
            case "argsort" -> a.argsort(axes(second)[0]);
            case "transpose" -> a.transpose(axes(second));
            case "clip" -> second instanceof Double min ? a.clip(min, (Double) arguments.get(2)) : a.clip((Long) second, (Long) arguments.get(2));
            case "where" -> GPUArray.where(a, (GPUArray) second, (GPUArray) arguments.get(2));
            case "concatenate" -> GPUArray.concatenate(List.of(a, (GPUArray) second), axes(arguments.get(2))[0]);
            case "stack" -> GPUArray.stack(List.of(a, (GPUArray) second), axes(arguments.get(2))[0]);
            case "roll" -> axes(arguments.get(2)).length == 0 ? a.roll((Long) second) : a.roll(new long[] {(Long) second}, axes(arguments.get(2)));
            case "tile" -> a.tile(Arrays.stream(axes(second)).asLongStream().toArray());
            case "repeat" -> a.repeat((Long) second, axes(arguments.get(2))[0]);
            case "repeatEach" -> a.repeat((GPUArray) second, axes(arguments.get(2))[0]);
            case "takeAt" -> a.take((GPUArray) second, axes(arguments.get(2))[0]);
            case "takeAlongAxis" -> a.takeAlongAxis((GPUArray) second, axes(arguments.get(2))[0]);
            case "flip" -> a.flip(axes(second));
            case "moveaxis" -> a.moveaxis(axes(second)[0], axes(second)[1]);
            case "expandDims" -> a.expandDims(axes(second)[0]);
            case "diff" -> a.diff((Long) second, axes(arguments.get(2))[0]);
            case "cumsumFromZero" -> a.cumsumFromZero(axes(second)[0]);
            case "cumprodFromOne" -> a.cumprodFromOne(axes(second)[0]);
            case "var" -> a.var(axis(arguments.get(2)), (Long) second);
            case "std" -> a.std(axis(arguments.get(2)), (Long) second);
            case "searchsorted" -> a.searchsorted((GPUArray) second, (Long) arguments.get(2) == 1);
            case "isin" -> a.isin((GPUArray) second, (Long) arguments.get(2) == 1);
            case "uniqueAll.values" -> a.uniqueAll().values();
            case "uniqueAll.indices" -> a.uniqueAll().indices();
            case "uniqueAll.inverseIndices" -> a.uniqueAll().inverseIndices();
            case "uniqueAll.counts" -> a.uniqueAll().counts();
            default -> AlgebraCases.NAMES.contains(name) ? AlgebraCases.compute(name, a, arguments)
                : second == null ? ofOne(name, a) : second instanceof GPUArray b ? ofTwo(name, a, b) : withNumber(name, a, second);
        };
    }

    /** The method of this name, of GPUArray or else of CuMath. */
    private static GPUArray ofTwo(String name, GPUArray a, GPUArray b) {
        if (hasMethod(name, GPUArray.class)) {
            return invoke(GPUArray.class, name, a, new Class<?>[] {GPUArray.class}, b);
        }
        return invoke(CuMath.class, name, null, new Class<?>[] {GPUArray.class, GPUArray.class}, a, b);
    }

    private static GPUArray ofOne(String name, GPUArray a) {
        if (hasMethod(name)) {
            return invoke(GPUArray.class, name, a, new Class<?>[0]);
        }
        return invoke(CuMath.class, name, null, new Class<?>[] {GPUArray.class}, a);
    }

    private static boolean hasMethod(String name, Class<?>... types) {
        return Arrays.stream(GPUArray.class.getMethods()).anyMatch(one -> one.getName().equals(name) && Arrays.equals(one.getParameterTypes(), types));
    }

    /** The method of this name that accepts such a number. */
    private static GPUArray withNumber(String name, GPUArray a, Object number) {
        Class<?> type = number instanceof Long ? long.class : number instanceof Double ? double.class : Complex.class;
        return invoke(GPUArray.class, name, a, new Class<?>[] {type}, number);
    }

    private static GPUArray invoke(Class<?> owner, String name, Object on, Class<?>[] types, Object... arguments) {
        try {
            return (GPUArray) owner.getMethod(name, types).invoke(on, arguments);
        } catch (java.lang.reflect.InvocationTargetException thrown) {
            throw (RuntimeException) thrown.getCause();
        } catch (ReflectiveOperationException unknown) {
            throw new IllegalStateException("unknown operation: " + name, unknown);
        }
    }

    /** Each value of a transform is a sum of all elements, so its error is relative to the greatest of them. */
    private static void check(String name, GPUArray result, String[] words) {
        DType type = DType.valueOf(words[1]);
        assertEquals(type, result.dtype());
        assertArrayEquals(shape(words[2]), result.shape());
        ByteBuffer expected = bytes(words[3]);
        ByteBuffer given = result.getInto(ByteBuffer.allocate(expected.remaining()).order(ByteOrder.nativeOrder()));
        if (!type.isFloating() && !type.isComplex() || type == DType.FLOAT16) {  // float16 cases have exact results only
            assertArrayEquals(expected.array(), given.array());
            return;
        }
        boolean single = type.real() == DType.FLOAT32;
        double tolerance = ROUNDINGS * (single ? Math.ulp(1f) : Math.ulp(1.0));
        double[] wanted = numbers(expected, single);
        double[] got = numbers(given, single);
        double greatest = name.contains("fft") ? Arrays.stream(wanted).map(Math::abs).max().orElse(0) : 0;
        for (int i = 0; i < wanted.length; i++) {
            boolean equal = wanted[i] == got[i] || Double.isNaN(wanted[i]) && Double.isNaN(got[i]);
            assertTrue(equal || Math.abs(wanted[i] - got[i]) <= tolerance * (1 + Math.max(Math.abs(wanted[i]), greatest)), "at number " + i + " " + got[i] + ", not " + wanted[i]);
        }
    }

    private static double[] numbers(ByteBuffer bytes, boolean single) {
        return IntStream.range(0, bytes.limit() / (single ? Float.BYTES : Double.BYTES))
            .mapToDouble(i -> single ? bytes.getFloat(i * Float.BYTES) : bytes.getDouble(i * Double.BYTES)).toArray();
    }

    /** The Java exception that corresponds to the Python exception of this name. */
    private static Class<? extends RuntimeException> exception(String name) {
        return name.equals("IndexError") ? IndexOutOfBoundsException.class : IllegalArgumentException.class;
    }

    private static void run(String line) {
        String[] fields = line.split("\t");
        String[] answer = fields[fields.length - 1].split(" ");
        List<Object> arguments = Arrays.stream(fields, 1, fields.length - 1).map(ArrayCasesTest::argument).toList();
        if (answer[0].equals("!")) {
            assertThrows(exception(answer[1]), () -> result(fields[0], arguments));
        } else {
            check(fields[0], result(fields[0], arguments), answer);
        }
    }

    @Test
    void arraysGiveNumPysAnswers() throws IOException {
        String file = System.getenv("PYCUDA_ARRAY_CASES");
        assertTrue(file != null, "PYCUDA_ARRAY_CASES must name the file that tests/python/arrays/write_cases.py has written");
        List<String> lines = Files.readAllLines(Path.of(file));
        List<String> wrong = new ArrayList<>();
        for (String line : lines) {
            try (var scope = new ArrayScope()) {
                run(line);
            } catch (RuntimeException | AssertionError failure) {
                wrong.add(line.replace('\t', ' ') + "\n    " + failure);
            }
        }
        assertTrue(lines.size() > 200, lines.size() + " cases");
        assertEquals(List.of(), wrong, () -> wrong.size() + " of " + lines.size() + ":\n" + String.join("\n", wrong));
    }
}
