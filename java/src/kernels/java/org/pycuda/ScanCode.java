package org.pycuda;

import java.util.List;
import java.util.Objects;

/** A scan kernel and its launch, with scratch memory of its own. */
final class ScanCode {
    private final CType type;
    private final String expression;
    private final String segmentStart;
    private final KernelCode code;

    /** The texts are as in the core's ScanText; empty ones have its defaults. */
    ScanCode(CType type, String expression, String neutral, String parameters, String input, String output, String segmentStart,
             KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        this.expression = Objects.requireNonNull(expression, "scanExpr");
        this.segmentStart = segmentStart;
        Objects.requireNonNull(neutral, "neutral");
        String name = Objects.requireNonNull(options, "options").nameOr("scan");
        List<String> source = ArrayCalls.scanSource(type.ctype(), type.itemsize(), expression, neutral, name, options.preamble, parameters,
            input, output, segmentStart);
        code = new KernelCode(source.get(0), source.get(1), options);
    }

    /** Scans {@code n} places, which are not 0 of them. */
    void launch(Stream stream, long n, Object... arguments) {
        long[] launch = ArrayCalls.scanLaunch(type.ctype(), type.itemsize(), expression, segmentStart, n);
        ArrayFactory factory = GPUArray.factory().on(stream);
        try (var scratch = factory.empty(DType.UINT8, launch[2])) {
            Driver.memsetD8Async(scratch, 0, launch[2], stream);
            Object[] all = new Object[arguments.length + 2];
            System.arraycopy(arguments, 0, all, 0, arguments.length);
            all[arguments.length] = scratch;
            all[arguments.length + 1] = n;
            code.function().launch(Driver.block((int) launch[1]).grid(Math.toIntExact(launch[0])).stream(stream), all);
        }
    }
}
