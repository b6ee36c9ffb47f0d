package org.pycuda;

import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;

/**
 * A scan over an expression of the index {@code i}, with a statement that uses the results: {@code new GenericScanKernel(INT32,
 * "const int *x, int *out", "x[i] > 0", "a + b", "0", "if (x[i] > 0) out[prev_item] = x[i]")}. The first array among the arguments gives
 * the number of indices. Compiled here, and at the first call in other contexts. Immutable; threads may share it.
 * <pre>{@code
 * var positive = new GenericScanKernel(DType.INT32, "const int *x, int *found, int *count", "x[i] > 0", "a + b", "0",
 *     "if (x[i] > 0) found[prev_item] = x[i]; if (i + 1 == N) *count = item");
 * GPUArray found = GPUArray.zeros(DType.INT32, 4), count = GPUArray.zeros(DType.INT32);
 * positive.call(GPUArray.toGpu(new int[] {3, -1, 4, -2}), found, count);
 * System.out.println(found.slice(0, count.getInt()));  // [3 4]
 * }</pre>
 */
public final class GenericScanKernel {
    /** A name in expressions for {@code argument[i + offset]}. */
    public record Fetch(String name, String argument, int offset) {
        /** IllegalArgumentException unless both are valid names. */
        public Fetch {
            if (!Objects.requireNonNull(name, "name").matches("[A-Za-z_]\\w*") || !Objects.requireNonNull(argument, "argument").matches("[A-Za-z_]\\w*")) {
                throw new IllegalArgumentException("a fetch needs a name and the name of an argument, not '" + name + "' and '" + argument + "'");
            }
        }

        private String replace(String text) {
            return text.replaceAll("\\b" + name + "\\b", Matcher.quoteReplacement("(" + argument + "[i + (" + offset + ")])"));
        }
    }

    private final KernelParameters parameters;
    /** The result of {@link ArrayCalls#vectorUse}. */
    private final long[] use;
    private final ScanCode code;
    /** Null: the arrays' own. */
    private final Stream stream;

    /** Creates a kernel for one segment, without fetches, with the default options. */
    public GenericScanKernel(CType type, String arguments, String inputExpr, String scanExpr, String neutral, String outputStatement) {
        this(type, arguments, inputExpr, scanExpr, neutral, outputStatement, "", List.of(), new KernelOptions());
    }

    /**
     * Creates a kernel.
     *
     * @param type type of the scanned values
     * @param arguments C declarations, at least one of them an array
     * @param inputExpr C expression of {@code i} and the arguments
     * @param scanExpr associative C expression of {@code a} and {@code b}
     * @param neutral C expression of the neutral element
     * @param outputStatement C statement of {@code i}, {@code item}, {@code prev_item} (the neutral element where a segment begins),
     *     {@code last_item} (that of the last index; the input is then computed twice), the arguments, and {@code N}, the number of indices
     * @param segmentStart C expression, whether a segment begins at {@code i}; empty: there is one segment only
     * @param fetches names for elements of arguments in the expressions
     */
    public GenericScanKernel(CType type, String arguments, String inputExpr, String scanExpr, String neutral, String outputStatement,
                             String segmentStart, List<Fetch> fetches, KernelOptions options) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(arguments, "arguments");
        Objects.requireNonNull(inputExpr, "inputExpr");
        Objects.requireNonNull(scanExpr, "scanExpr");
        Objects.requireNonNull(neutral, "neutral");
        Objects.requireNonNull(outputStatement, "outputStatement");
        Objects.requireNonNull(segmentStart, "segmentStart");
        List<Fetch> given = List.copyOf(Objects.requireNonNull(fetches, "fetches"));
        String name = Objects.requireNonNull(options, "options").nameOr("scan");
        parameters = new KernelParameters(name, arguments);
        String input = expanded(inputExpr, given);
        String output = expanded(outputStatement, given);
        String start = expanded(segmentStart, given);
        use = ArrayCalls.usedVectors(arguments, String.join("; ", input, output, start), options.preamble);
        code = new ScanCode(type, scanExpr.replaceAll("\\bacross_seg_boundary\\b", "false"), neutral, arguments, input, output, start, options);
        stream = null;
    }

    private GenericScanKernel(GenericScanKernel other, Stream stream) {
        parameters = other.parameters;
        use = other.use;
        code = other.code;
        this.stream = stream;
    }

    private static String expanded(String text, List<Fetch> fetches) {
        String result = text;
        for (Fetch fetch : fetches) {
            result = fetch.replace(result);
        }
        return result;
    }

    /** The same kernel on this stream instead of the first array's. */
    public GenericScanKernel on(Stream newStream) {
        return new GenericScanKernel(this, Stream.required(newStream, "newStream"));
    }

    /** Runs the kernel. The arguments must match the declarations. */
    public void call(Object... arguments) {
        GPUArray first = parameters.firstVector(Objects.requireNonNull(arguments, "arguments"));
        Stream queue = Stream.inUse(stream != null ? stream : first.stream());
        if (first.size() == 0) {
            return;
        }
        parameters.requireEvery(first.size(), arguments, use);
        parameters.join(queue, arguments, true);
        code.launch(queue, first.size(), parameters.values(new Object[0], arguments));
        parameters.join(queue, arguments, false);
    }
}
