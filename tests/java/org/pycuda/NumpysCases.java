package org.pycuda;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Padding, Einstein sums, histograms, comparisons, splits and functions without NaN among the cases of ArrayCasesTest (numpys_rules.py). */
final class NumpysCases {
    private static final Set<String> NAMES = Set.of(
        "pad", "einsum", "histogram", "histogramBinEdges", "histogramAt", "isclose", "nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd",
        "nanargmin", "nanargmax", "nancumsum", "nancumprod", "split", "arraySplit", "hstack", "vstack", "dstack", "columnStack");

    private NumpysCases() {}

    private static String[] words(String name) {
        return name.split(" ", 2);
    }

    static boolean has(String name) {
        return NAMES.contains(words(name)[0]);
    }

    private static long[] longs(Object axes) {
        return Arrays.stream(ArrayCasesTest.axes(axes)).asLongStream().toArray();
    }

    private static boolean flag(Object argument) {
        return (Long) argument == 1;
    }

    static GPUArray compute(String name, GPUArray a, List<Object> arguments) {
        String[] words = words(name);
        Object second = arguments.size() > 1 ? arguments.get(1) : null;
        return switch (words[0]) {
            case "pad" -> a.pad(padding(words[1], longs(arguments.get(2))), longs(second));
            case "einsum" -> GPUArray.einsum(words[1], arguments.toArray(GPUArray[]::new));
            case "histogram" -> histogram(a, arguments).counts();
            case "histogramBinEdges" -> arguments.size() < 3 ? a.histogramBinEdges((Long) second)
                : a.histogramBinEdges((Long) second, (Double) arguments.get(2), (Double) arguments.get(3));
            case "histogramAt" -> arguments.size() > 2 ? a.histogram((GPUArray) second, (GPUArray) arguments.get(2)).counts()
                : a.histogram((GPUArray) second, words.length > 1).counts();
            case "isclose" -> a.isclose((GPUArray) second, (Double) arguments.get(2), (Double) arguments.get(3), flag(arguments.get(4)));
            case "split" -> split(a, ArrayCasesTest.axes(second)[0], arguments.get(2), true).get(0);
            case "arraySplit" -> split(a, ArrayCasesTest.axes(second)[0], arguments.get(2), false).get(0);
            case "hstack" -> GPUArray.hstack(a, (GPUArray) second);
            case "vstack" -> GPUArray.vstack(a, (GPUArray) second);
            case "dstack" -> GPUArray.dstack(a, (GPUArray) second);
            case "columnStack" -> GPUArray.columnStack(a, (GPUArray) second);
            case "nancumsum" -> a.nancumsum(ArrayCasesTest.axes(second)[0]);
            case "nancumprod" -> a.nancumprod(ArrayCasesTest.axes(second)[0]);
            default -> withoutNan(words[0], a, ArrayCasesTest.axis(second));
        };
    }

    private static GPUArray withoutNan(String name, GPUArray a, Axis axis) {
        return switch (name) {
            case "nansum" -> a.nansum(axis);
            case "nanprod" -> a.nanprod(axis);
            case "nanmin" -> a.nanmin(axis);
            case "nanmax" -> a.nanmax(axis);
            case "nanmean" -> a.nanmean(axis);
            case "nanvar" -> a.nanvar(axis);
            case "nanstd" -> a.nanstd(axis);
            case "nanargmin" -> a.nanargmin(axis);
            case "nanargmax" -> a.nanargmax(axis);
            default -> throw new AssertionError(name);
        };
    }

    private static Padding padding(String mode, long[] numbers) {
        return switch (mode) {
            case "constant" -> Padding.constant(numbers);
            case "linear_ramp" -> Padding.linearRamp(Arrays.stream(numbers).asDoubleStream().toArray());
            case "mean" -> Padding.mean(numbers);
            case "median" -> Padding.median(numbers);
            case "maximum" -> Padding.maximum(numbers);
            case "minimum" -> Padding.minimum(numbers);
            case "edge" -> Padding.EDGE;
            case "reflect" -> Padding.REFLECT;
            case "symmetric" -> Padding.SYMMETRIC;
            case "wrap" -> Padding.WRAP;
            default -> throw new AssertionError(mode);
        };
    }

    private static Histogram histogram(GPUArray a, List<Object> arguments) {
        long bins = (Long) arguments.get(1);
        return arguments.size() < 3 ? a.histogram(bins) : a.histogram(bins, (Double) arguments.get(2), (Double) arguments.get(3));
    }

    private static List<GPUArray> split(GPUArray a, int axis, Object sections, boolean equally) {
        if (sections instanceof Long count) {
            return equally ? a.split(count, axis) : a.arraySplit(count, axis);
        }
        return equally ? a.split(longs(sections), axis) : a.arraySplit(longs(sections), axis);
    }
}
