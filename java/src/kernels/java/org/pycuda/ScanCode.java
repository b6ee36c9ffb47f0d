package org.pycuda;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A scan kernel and its launch, with its scratch memory. */
final class ScanCode {
    private final CType type;
    private final long[] geometry;  // threads and elements per block, bytes of scratch memory once and for each block
    private final KernelCode code;
    private final KernelCode findingLast;  // null: the last item is not used

    /** The texts are those of the core's ScanText; empty ones stand for its defaults. */
    ScanCode(CType type, String expression, String neutral, String parameters, String input, String output, String segmentStart,
             KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        Objects.requireNonNull(expression, "scanExpr");
        Objects.requireNonNull(neutral, "neutral");
        String name = Objects.requireNonNull(options, "options").nameOr("scan");
        KernelCode[] codes = new KernelCode[2];
        for (int k = output.contains("last_item") ? 1 : 0; k >= 0; k--) {
            List<String> source = ArrayCalls.scanSource(type.ctype(), type.itemsize(), expression, neutral, options.preamble, parameters,
                input, output, segmentStart, name, k == 1);
            codes[k] = new KernelCode(source.get(0), source.get(1), options);
            codes[k].compile();
        }
        geometry = ArrayCalls.scanLaunch(type.itemsize(), !segmentStart.isEmpty());
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
        long blocks = (n - 1) / geometry[1] + 1;
        long bytes = geometry[2] + blocks * geometry[3];
        try (var scratch = GPUArray.factory().on(stream).empty(DType.UINT8, bytes)) {
            Driver.memsetD8Async(scratch, 0, bytes, stream);
            Object[] all = Arrays.copyOf(arguments, arguments.length + 2);
            all[arguments.length] = scratch;
            all[arguments.length + 1] = n;
            kernel.function().launch(Driver.block((int) geometry[0]).grid(Math.toIntExact(blocks)).stream(stream), all);
        }
    }
}
