package org.pycuda;

import java.util.List;
import java.util.Objects;

/** A running sum over an operation of one's own, of all elements in their order in memory. Immutable; threads may share it. */
public abstract class ScanKernel {
    private final DType type;
    private final String expression;
    private final KernelCode code;

    ScanKernel(DType type, String scanExpr, String neutral, boolean exclusive, KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        expression = Objects.requireNonNull(scanExpr, "scanExpr");
        Objects.requireNonNull(neutral, "neutral");
        String name = Objects.requireNonNull(options, "options").nameOr("scan");
        List<String> source = ArrayCalls.scanSource(type.ctype(), type.itemsize(), scanExpr, neutral, exclusive, name, options.preamble);
        code = new KernelCode(source.get(0), source.get(1), options);
    }

    /** A new array with the results, on the array's stream. */
    public GPUArray call(GPUArray array) {
        return call(array, GPUArray.emptyLike(Objects.requireNonNull(array, "array")));
    }

    /** The results in the array itself, which is returned. */
    public GPUArray callInPlace(GPUArray array) {
        return call(array, array);
    }

    /** The results in {@code out}, which is returned; it may be the array. Both must have the kernel's type, and no gaps. */
    public GPUArray call(GPUArray array, GPUArray out) {
        require(Objects.requireNonNull(array, "array"));
        require(Objects.requireNonNull(out, "out"));
        if (out.size() != array.size()) {
            throw new IllegalArgumentException("the result needs " + array.size() + " elements, not " + out.size());
        }
        if (array.size() == 0) {
            return out;
        }
        Stream stream = array.stream();
        StreamJoin.await(stream, out.stream() == null ? stream : out.stream());
        long[] launch = ArrayCalls.scanLaunch(type.ctype(), type.itemsize(), expression, array.size());
        try (var scratch = GPUArray.factory().on(stream).empty(DType.UINT8, launch[2])) {
            scratch.slice(0, launch[3]).fill(0);
            var config = Driver.block((int) launch[1]).grid(Math.toIntExact(launch[0])).stream(stream);
            code.function().launch(config, array, out, scratch, array.size());
        }
        StreamJoin.await(out.stream() == null ? stream : out.stream(), stream);
        return out;
    }

    private void require(GPUArray array) {
        if (array.dtype() != type || !array.isContiguous()) {
            throw new IllegalArgumentException("this kernel scans arrays of " + type + " without gaps, not " + array);
        }
    }
}
