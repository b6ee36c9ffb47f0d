package org.pycuda;

import java.util.List;
import java.util.Objects;

/**
 * A kernel that runs CUDA C++ statements for each element, with the index {@code i}. The first array among the arguments determines the
 * number of elements. If another array is shorter and the code accesses it at every index, which code without conditions does, the missing
 * elements are not computed. Compiled at the first call in each context. Immutable; threads may share it.
 *
 * <pre>{@code
 * var scale = new ElementwiseKernel("float a, float *x", "x[i] *= a");
 * var x = GPUArray.ones(DType.FLOAT32, 100);
 * scale.call(3f, x);
 * assert x.getFloats()[99] == 3;
 * }</pre>
 */
public final class ElementwiseKernel {
    private static final Object[] NOTHING = {};

    private final KernelParameters parameters;
    /** The result of {@link ArrayCalls#vectorUse}. */
    private final long[] use;
    private final KernelCode all;
    private final KernelCode ranged;
    /** Null: the arrays' own. */
    private final Stream stream;
    /** Null: all elements. */
    private final Range range;
    /** The plan of the previous call: most calls are alike. */
    private volatile Launch last = new Launch(0, 0, Stream.DEFAULT, null);

    /** A launch of {@code n} elements on this stream, in the context with this number. */
    private record Launch(long n, long context, Stream stream, LaunchConfig config) {}

    /** The elements to compute, for an array of this size: start, stop and step. */
    private interface Range {
        long[] of(long size);
    }

    /** Creates a kernel with these arguments. */
    public ElementwiseKernel(List<? extends Argument> arguments, String operation) {
        this(KernelParameters.text(arguments), operation);
    }

    /** Creates a kernel with these arguments and options. */
    public ElementwiseKernel(List<? extends Argument> arguments, String operation, KernelOptions options) {
        this(KernelParameters.text(arguments), operation, options);
    }

    /**
     * Creates a kernel whose arguments are declared in C, with the default options.
     *
     * @param arguments C declarations, such as {@code "float a, const float *x"}
     */
    public ElementwiseKernel(String arguments, String operation) {
        this(arguments, operation, new KernelOptions());
    }

    /**
     * Creates a kernel whose arguments are declared in C, with options.
     *
     * @param arguments C declarations, such as {@code "float a, const float *x"}
     */
    public ElementwiseKernel(String arguments, String operation, KernelOptions options) {
        Objects.requireNonNull(arguments, "arguments");
        Objects.requireNonNull(operation, "operation");
        String name = Objects.requireNonNull(options, "options").nameOr("kernel");
        parameters = new KernelParameters(name, arguments);
        use = ArrayCalls.usedVectors(arguments, String.join("; ", operation, options.loopPrep, options.afterLoop), options.preamble);
        all = new KernelCode(source(arguments, operation, name, options, false), name, options);
        ranged = new KernelCode(source(arguments, operation, name, options, true), name, options);
        stream = null;
        range = null;
    }

    private ElementwiseKernel(ElementwiseKernel other, Stream stream, Range range) {
        parameters = other.parameters;
        use = other.use;
        all = other.all;
        ranged = other.ranged;
        this.stream = stream;
        this.range = range;
    }

    private static String source(String arguments, String operation, String name, KernelOptions options, boolean ranged) {
        return ArrayCalls.elementwiseSource(arguments, operation, name, options.preamble, options.loopPrep, options.afterLoop, ranged, "");
    }

    /** The same kernel on this stream instead of the first array's. */
    public ElementwiseKernel on(Stream newStream) {
        return new ElementwiseKernel(this, Stream.required(newStream, "newStream"), range);
    }

    /** The same kernel for the elements from {@code start} up to {@code stop}, which is excluded. */
    public ElementwiseKernel range(long start, long stop) {
        return range(start, stop, 1);
    }

    /** The same kernel for every {@code step}th element from {@code start} up to {@code stop}, which is excluded. */
    public ElementwiseKernel range(long start, long stop, long step) {
        if (step == 0) {
            throw new IllegalArgumentException("the step of a range must not be 0");
        }
        return new ElementwiseKernel(this, stream, size -> new long[] {start, stop, step});
    }

    /** The same kernel for the elements of a range, which is clipped to the first array's size as in indexing. */
    public ElementwiseKernel slice(Slice part) {
        Objects.requireNonNull(part, "part").requireRange();
        return new ElementwiseKernel(this, stream, part::indices);
    }

    /** The texture reference of this name that the preamble declares, for calls without a range, in the current context. */
    public TextureReference texref(String name) {
        return texref(name, false);
    }

    /**
     * The texture reference of this name that the preamble declares, for calls with a range if {@code useRange}, in the current context.
     */
    public TextureReference texref(String name, boolean useRange) {
        Objects.requireNonNull(name, "name");
        return (useRange ? ranged : all).module().texref(name);
    }

    /** Runs the kernel. The arguments must match the declarations. */
    public void call(Object... arguments) {
        GPUArray first = parameters.firstVector(Objects.requireNonNull(arguments, "arguments"));
        Stream queue = Stream.inUse(stream != null ? stream : first.stream());
        long[] chosen = range == null ? null : range.of(first.size());
        long n = chosen == null ? parameters.count(first, arguments, use) : count(chosen);
        if (n == 0) {
            return;
        }
        parameters.join(queue, arguments, true);
        long context = ArrayCalls.contextNumber();
        LaunchConfig config = config(n, context, queue);
        if (chosen == null) {
            all.function(context).launch(config, parameters.values(NOTHING, arguments, n));
        } else {
            ranged.function(context).launch(config, parameters.values(NOTHING, arguments, chosen[0], chosen[1], chosen[2]));
        }
        parameters.join(queue, arguments, false);
    }

    private LaunchConfig config(long n, long context, Stream queue) {
        Launch known = last;
        if (known.n != n || known.context != context || known.stream != queue) {
            known = new Launch(n, context, queue, GPUArray.splay(n).stream(queue));
            last = known;
        }
        return known.config;
    }

    private static long count(long[] range) {
        long way = range[2] > 0 ? range[1] - range[0] : range[0] - range[1];
        return way <= 0 ? 0 : (way - 1) / Math.abs(range[2]) + 1;
    }
}
