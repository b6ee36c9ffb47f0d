package org.pycuda;

import java.util.List;
import java.util.Objects;

/**
 * A kernel that reduces all elements to one value: {@code mapExpr} of each index {@code i}, combined pairwise by {@code reduceExpr} of
 * {@code a} and {@code b}, which must be associative. Compiled here, and at the first call in other contexts. Immutable; threads may share it.
 *
 * <pre>{@code
 * var dot = new ReductionKernel(DType.FLOAT32, "0", "a + b", "x[i] * y[i]", "const float *x, const float *y");
 * var x = GPUArray.ones(DType.FLOAT32, 100);
 * assert dot.call(x, x).getFloat() == 100;
 * }</pre>
 */
public final class ReductionKernel {
    private static final int THREADS = 512;

    private final CType type;
    private final KernelParameters parameters;
    /** The result of {@link ArrayCalls#vectorUse}. */
    private final long[] use;
    private final KernelCode first;
    private final KernelCode second;
    /** Null: the arrays' own. */
    private final Stream stream;
    private final GPUArray out;
    private final Allocator allocator;

    /** Creates a kernel that reduces one array of {@code type}. */
    public ReductionKernel(CType type, String neutral, String reduceExpr) {
        this(type, neutral, reduceExpr, "", "const " + Objects.requireNonNull(type, "type").ctype() + " *in");
    }

    /** Creates a kernel with these arguments. */
    public ReductionKernel(CType type, String neutral, String reduceExpr, String mapExpr, List<? extends Argument> arguments) {
        this(type, neutral, reduceExpr, mapExpr, KernelParameters.text(arguments));
    }

    /** Creates a kernel with these arguments and options. */
    public ReductionKernel(CType type, String neutral, String reduceExpr, String mapExpr, List<? extends Argument> arguments, KernelOptions options) {
        this(type, neutral, reduceExpr, mapExpr, KernelParameters.text(arguments), options);
    }

    /**
     * Creates a kernel whose arguments are declared in C, with the default options.
     *
     * @param arguments C declarations, such as {@code "const float *x, const float *y"}
     */
    public ReductionKernel(CType type, String neutral, String reduceExpr, String mapExpr, String arguments) {
        this(type, neutral, reduceExpr, mapExpr, arguments, new KernelOptions());
    }

    /**
     * Creates a kernel whose arguments are declared in C, with options.
     *
     * @param arguments C declarations, such as {@code "const float *x, const float *y"}
     */
    public ReductionKernel(CType type, String neutral, String reduceExpr, String mapExpr, String arguments, KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        Objects.requireNonNull(neutral, "neutral");
        Objects.requireNonNull(reduceExpr, "reduceExpr");
        Objects.requireNonNull(mapExpr, "mapExpr");
        Objects.requireNonNull(arguments, "arguments");
        String name = Objects.requireNonNull(options, "options").nameOr("reduce_kernel");
        parameters = new KernelParameters(name, arguments);
        use = ArrayCalls.usedVectors(arguments, mapExpr.isEmpty() ? "in[i]" : mapExpr, options.preamble);
        KernelCode[] stages = new KernelCode[2];
        for (int stage = 1; stage <= 2; stage++) {
            String kernel = name + "_stage" + stage;
            String source = ArrayCalls.reductionSource(stage, arguments, type.ctype(), THREADS, neutral, reduceExpr, mapExpr, kernel,
                options.preamble);
            stages[stage - 1] = new KernelCode(source, kernel, options);
            stages[stage - 1].compile();
        }
        first = stages[0];
        second = stages[1];
        stream = null;
        out = null;
        allocator = null;
    }

    private ReductionKernel(ReductionKernel other, Stream stream, GPUArray out, Allocator allocator) {
        type = other.type;
        parameters = other.parameters;
        use = other.use;
        first = other.first;
        second = other.second;
        this.stream = stream;
        this.out = out;
        this.allocator = allocator;
    }

    /** The same kernel on this stream instead of the first array's. */
    public ReductionKernel on(Stream newStream) {
        return new ReductionKernel(this, Stream.required(newStream, "newStream"), out, allocator);
    }

    /** The same kernel, which writes its result to the first element of this array. */
    public ReductionKernel out(GPUArray newOut) {
        if (!Objects.requireNonNull(newOut, "newOut").dtype().equals(type) || newOut.size() == 0) {
            throw new IllegalArgumentException("expected an output array of " + type + " with at least one element, not " + newOut.describe());
        }
        return new ReductionKernel(this, stream, newOut, allocator);
    }

    /** The same kernel with this allocator for its results, instead of the first array's. */
    public ReductionKernel allocator(Allocator newAllocator) {
        Objects.requireNonNull(newAllocator, "newAllocator");
        return new ReductionKernel(this, stream, out, newAllocator);
    }

    /** Runs the kernel. The arguments must match the declarations. The result is an array without axes, or the one given to {@link #out}. */
    public GPUArray call(Object... arguments) {
        GPUArray vector = parameters.firstVector(Objects.requireNonNull(arguments, "arguments"));
        parameters.requireEvery(vector.size(), arguments, use);
        Stream queue = Stream.inUse(stream != null ? stream : vector.stream());
        parameters.join(queue, arguments, true);
        ArrayFactory factory = ArrayFactory.DEFAULT.on(queue).allocator(allocator != null ? allocator : vector.allocator());
        GPUArray result = out != null ? out : factory.empty(type);
        reduce(factory, queue, vector.size(), result, arguments);
        parameters.join(queue, arguments, false);
        return result;
    }

    /** Stage 1 computes one value per block; stage 2 reduces these until one is left. */
    private void reduce(ArrayFactory factory, Stream queue, long n, GPUArray result, Object[] arguments) {
        GPUArray values = null;
        for (long left = n, stage = 1; stage == 1 || left > 1; stage++) {
            long[] launch = ArrayCalls.reductionLaunch(left);
            long blocks = Math.max(1, launch[0]);
            GPUArray target = blocks == 1 ? result : factory.empty(type, blocks);
            var config = Driver.block(THREADS).grid((int) blocks).stream(queue);
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
