package org.pycuda;

import java.util.Objects;

/**
 * A kernel that makes one value of all elements: {@code mapExpr} of each place {@code i}, joined two by two by {@code reduceExpr} of
 * {@code a} and {@code b}, which must be associative. Compiled at the first call in each context. Immutable; threads may share it.
 */
public final class ReductionKernel {
    private final DType type;
    private final KernelParameters parameters;
    private final KernelCode first;
    private final KernelCode second;
    private final Stream stream;
    private final boolean hasStream;
    private final GPUArray out;

    /** Reduces one array of {@code type}. */
    public ReductionKernel(DType type, String neutral, String reduceExpr) {
        this(type, neutral, reduceExpr, "", "const " + Objects.requireNonNull(type, "type").ctype() + " *in");
    }

    /** @param arguments C declarations, as {@code "const float *x, const float *y"} */
    public ReductionKernel(DType type, String neutral, String reduceExpr, String mapExpr, String arguments) {
        this(type, neutral, reduceExpr, mapExpr, arguments, new KernelOptions());
    }

    /** @param arguments C declarations, as {@code "const float *x, const float *y"} */
    public ReductionKernel(DType type, String neutral, String reduceExpr, String mapExpr, String arguments, KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        Objects.requireNonNull(neutral, "neutral");
        Objects.requireNonNull(reduceExpr, "reduceExpr");
        Objects.requireNonNull(mapExpr, "mapExpr");
        Objects.requireNonNull(arguments, "arguments");
        String name = Objects.requireNonNull(options, "options").nameOr("reduce_kernel");
        parameters = new KernelParameters(name, arguments);
        KernelCode[] stages = new KernelCode[2];
        for (int stage = 1; stage <= 2; stage++) {
            String source = ArrayCalls.reductionSource(stage, arguments, type.ctype(), neutral, reduceExpr, mapExpr, name, options.preamble);
            stages[stage - 1] = new KernelCode(source, name + "_stage" + stage, options);
        }
        first = stages[0];
        second = stages[1];
        stream = null;
        hasStream = false;
        out = null;
    }

    private ReductionKernel(ReductionKernel other, Stream stream, boolean hasStream, GPUArray out) {
        type = other.type;
        parameters = other.parameters;
        first = other.first;
        second = other.second;
        this.stream = stream;
        this.hasStream = hasStream;
        this.out = out;
    }

    /** The same kernel on this stream instead of the first array's; null is the default stream. */
    public ReductionKernel on(Stream newStream) {
        return new ReductionKernel(this, newStream, true, out);
    }

    /** The same kernel with its result in the first element of this array. */
    public ReductionKernel out(GPUArray newOut) {
        if (Objects.requireNonNull(newOut, "newOut").dtype() != type || newOut.size() == 0) {
            throw new IllegalArgumentException("the result needs an array of " + type + " with at least one element, not " + newOut);
        }
        return new ReductionKernel(this, stream, hasStream, newOut);
    }

    /** Runs it: arrays and numbers as they were declared. The result is an array of no axes, or the one given to {@link #out}. */
    public GPUArray call(Object... arguments) {
        GPUArray vector = parameters.firstVector(Objects.requireNonNull(arguments, "arguments"));
        Stream queue = hasStream ? stream : vector.stream();
        parameters.join(queue, arguments, true);
        GPUArray result = out != null ? out : GPUArray.factory().on(queue).empty(type);
        reduce(queue, vector.size(), result, arguments);
        parameters.join(queue, arguments, false);
        return result;
    }

    /** Stage 1 makes a value a block, stage 2 reduces those until one is left. */
    private void reduce(Stream queue, long n, GPUArray result, Object[] arguments) {
        GPUArray values = null;
        for (long left = n, stage = 1; stage == 1 || left > 1; stage++) {
            long[] launch = ArrayCalls.reductionLaunch(left);
            long blocks = Math.max(1, launch[0]);
            GPUArray target = blocks == 1 ? result : GPUArray.factory().on(queue).empty(type, blocks);
            var config = Driver.block((int) launch[2]).grid((int) blocks).stream(queue);
            Object[] before = stage == 1 ? new Object[] {target} : new Object[] {target, values};
            KernelCode code = stage == 1 ? first : second;
            code.function().launch(config, parameters.values(before, arguments, (int) launch[1], left));
            if (values != null) {
                values.close();
            }
            values = target;
            left = blocks;
        }
    }

}
