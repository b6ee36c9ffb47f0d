package org.pycuda;

import java.lang.ref.Reference;
import java.util.Objects;
import java.util.function.Function;

/**
 * A function of arrays whose operations run in one kernel. At the first call with arrays of certain types, shapes and strides, the function runs
 * with arrays that have no elements yet. What it does with them is recorded: elementwise operations, conversions, views, and
 * reductions. Then, and at later calls with such arrays, one kernel computes all of it; a fused function that the function calls is a part of
 * it. Results of one shape come from one kernel; each reduction has one, which computes the elements that it reduces. The
 * results are those of the separate operations, bit for bit.
 *
 * <p>Numbers in the function are constants of the kernel: those that it captures, too. What changes from call to call is an argument: an array, if
 * need be without axes. IllegalArgumentException where the function does what cannot be fused, such as reading elements or writing to an array;
 * its stack trace leads to the line.
 *
 * <pre>{@code
 * FusedFunction activation = GPUArray.fuse((a, b) -> CuMath.tanh(a.mul(b).add(a)));
 * var x = GPUArray.arange(DType.FLOAT32, 1000);
 * GPUArray y = activation.apply(x, x);
 * }</pre>
 *
 * <p>Threads may share it.
 */
public final class FusedFunction {
    private final Function<GPUArray[], GPUArray[]> body;
    private final int count;
    private final boolean fast;
    private final long programs;

    FusedFunction(int count, boolean fast, Function<GPUArray[], GPUArray[]> body) {
        this.count = count;
        this.fast = fast;
        this.body = body;
        programs = ArrayCalls.fusedMake();
        Cleanup.register(this, ArrayCalls::fusedDelete, programs);
    }

    /**
     * A function with any number of results.
     *
     * @param arguments how many arguments it takes
     * @param function from the arguments to the results
     */
    public static FusedFunction of(int arguments, Function<GPUArray[], GPUArray[]> function) {
        Objects.requireNonNull(function, "function");
        if (arguments < 1) {
            throw new IllegalArgumentException("expected a function of at least one array, given " + arguments);
        }
        return new FusedFunction(arguments, false, function);
    }

    /** The same function, whose results need not be those of the separate operations bit for bit: products and sums may be
     *  contracted, and 16-bit numbers are not rounded between operations. */
    public FusedFunction fast() {
        return new FusedFunction(count, true, body);
    }

    /** The result of a function that has one. IllegalStateException if it has several. */
    public GPUArray apply(GPUArray... arguments) {
        GPUArray[] results = applyAll(arguments);
        if (results.length != 1) {
            throw new IllegalStateException("the function has " + results.length + " results: call applyAll");
        }
        return results[0];
    }

    /** All results, on the stream of the first argument. */
    public GPUArray[] applyAll(GPUArray... arguments) {
        Objects.requireNonNull(arguments, "arguments");
        if (arguments.length != count) {
            throw new IllegalArgumentException("the function takes " + count + " arguments, given " + arguments.length);
        }
        long[] handles = new long[arguments.length];
        boolean isTraced = false;
        for (int i = 0; i < handles.length; i++) {
            handles[i] = Objects.requireNonNull(arguments[i], "argument").handle();
            isTraced |= ArrayCalls.arrayIsTraced(handles[i]);
        }
        if (isTraced) {
            return results(arguments);  // a part of the function that is traced
        }
        Stream stream = arguments[0].stream();
        StreamJoin.before(stream, arguments);
        long[] made = ArrayCalls.fusedRun(programs, handles, GPUArray.handle(stream));
        while (made.length == 0) {
            trace(handles, stream);
            made = ArrayCalls.fusedRun(programs, handles, GPUArray.handle(stream));
        }
        try {
            StreamJoin.after(stream, arguments);
        } catch (Throwable failure) {
            for (long array : made) {
                ArrayCalls.arrayDelete(array);
            }
            throw failure;
        }
        Reference.reachabilityFence(this);
        return GPUArray.made(made, stream, null);
    }

    private GPUArray[] results(GPUArray[] given) {
        GPUArray[] results = Objects.requireNonNull(body.apply(given.clone()), "the function's results");
        if (results.length == 0) {
            throw new IllegalArgumentException("expected a function that returns arrays, given one that returns none");
        }
        for (GPUArray result : results) {
            Objects.requireNonNull(result, "the function's result");
        }
        return results;
    }

    private void trace(long[] handles, Stream stream) {
        long trace = ArrayCalls.traceBegin(fast);
        try {
            GPUArray[] traced = new GPUArray[handles.length];
            for (int i = 0; i < traced.length; i++) {
                traced[i] = GPUArray.unscoped(ArrayCalls.traceArgument(trace, handles[i]), stream, null);
            }
            GPUArray[] results = results(traced);
            long[] returned = new long[results.length];
            for (int i = 0; i < returned.length; i++) {
                returned[i] = results[i].handle();
            }
            ArrayCalls.traceFinish(trace, programs, returned);
            for (GPUArray result : results) {
                Reference.reachabilityFence(result);
            }
        } finally {
            ArrayCalls.traceDelete(trace);
        }
    }
}
