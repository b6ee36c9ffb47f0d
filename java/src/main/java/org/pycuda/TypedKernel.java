package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A kernel whose arguments are the components of a record: number and sizes are checked when the kernel is found, not when it is launched.
 * {@link KernelModule#kernel} and {@link Function#typed} create it. A launch boxes no number and, if all components are numbers, device memory,
 * textures or surfaces, allocates nothing. Threads may share it.
 *
 * <pre>{@code
 * record AxpyArgs(DevicePointer y, DevicePointer x, float a) {}
 *
 * var module = new SourceModule("__global__ void axpy(float *y, float *x, float a) { y[threadIdx.x] += a * x[threadIdx.x]; }");
 * TypedKernel<AxpyArgs> axpy = module.kernel("axpy", AxpyArgs.class);
 * try (var y = Driver.toDevice(new float[] {1, 2}); var x = Driver.toDevice(new float[] {10, 20})) {
 *     axpy.launch(Driver.block(2), new AxpyArgs(y, x, 0.5f));
 *     assert Driver.fromDevice(y, 2, float[].class)[1] == 12;
 * }
 * }</pre>
 *
 * @param <R> the record
 */
public final class TypedKernel<R extends Record> {
    private final Function function;
    private final RecordArguments arguments;

    TypedKernel(Function function, Class<R> type) {
        this.function = function;
        arguments = new RecordArguments(function.layout(), Objects.requireNonNull(type, "type"));
    }

    /** The kernel without types. */
    public Function function() {
        return function;
    }

    /**
     * Queues one grid. With Out or InOut among the arguments, and no stream, it also waits for the results.
     *
     * @param config the launch
     * @param values the arguments
     * @throws IllegalArgumentException a component is null
     */
    public void launch(LaunchConfig config, R values) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(values, "values");
        if (!launchPlain(config, values)) {
            function.launch(config, arguments.values(values));
        }
    }

    /** False if a launch needs more than the packing of numbers and addresses: copies, structures, or code of the program. */
    private boolean launchPlain(LaunchConfig config, R values) {
        if (!arguments.isPlain()) {
            return false;
        }
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            ByteBuffer bytes = block.bytes;
            if (!arguments.isDense()) {
                block.clear(arguments.nbytes());
            }
            if (!arguments.pack(bytes, values, config.stream)) {
                return false;
            }
            function.launchPacked(config, block, arguments.nbytes());
            return true;
        } finally {
            block.release();
            Reference.reachabilityFence(values);
        }
    }

    @Override
    public String toString() {
        return "TypedKernel " + function.name() + " of " + arguments;
    }
}
