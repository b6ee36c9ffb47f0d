package org.pycuda;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A scan kernel and its launch, with its scratch memory. */
final class ScanCode {
    private final CType type;
    private final String expression;
    private final String segmentStart;
    private final KernelCode code;
    private final KernelCode findingLast;  // null: the last item is not used

    /** The texts are those of the core's ScanText; empty ones stand for its defaults. */
    ScanCode(CType type, String expression, String neutral, String parameters, String input, String output, String segmentStart,
             KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        this.expression = Objects.requireNonNull(expression, "scanExpr");
        this.segmentStart = segmentStart;
        Objects.requireNonNull(neutral, "neutral");
        String name = Objects.requireNonNull(options, "options").nameOr("scan");
        KernelCode[] codes = new KernelCode[2];
        for (int k = output.contains("last_item") ? 1 : 0; k >= 0; k--) {
            List<String> source = ArrayCalls.scanSource(type.ctype(), type.itemsize(), expression, neutral, name, options.preamble, parameters,
                input, output, segmentStart, k == 1);
            codes[k] = new KernelCode(source.get(0), source.get(1), options);
            codes[k].compile();
        }
        code = codes[0];
        findingLast = codes[1];
    }

    /** Scans {@code n} elements, at least one. */
    void launch(Stream stream, long n, Object... arguments) {
        if (findingLast == null) {
            launch(code, stream, n, arguments);
            return;
        }
        try (var last = GPUArray.factory().on(stream).empty(type)) {
            Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
            all[arguments.length] = last;
            launch(findingLast, stream, n, all);
            launch(code, stream, n, all);
        }
    }

    private void launch(KernelCode kernel, Stream stream, long n, Object[] arguments) {
        long[] launch = ArrayCalls.scanLaunch(type.ctype(), type.itemsize(), expression, segmentStart, n);
        try (var scratch = GPUArray.factory().on(stream).empty(DType.UINT8, launch[2])) {
            Driver.memsetD8Async(scratch, 0, launch[2], stream);
            Object[] all = Arrays.copyOf(arguments, arguments.length + 2);
            all[arguments.length] = scratch;
            all[arguments.length + 1] = n;
            kernel.function().launch(Driver.block((int) launch[1]).grid(Math.toIntExact(launch[0])).stream(stream), all);
        }
    }
}
