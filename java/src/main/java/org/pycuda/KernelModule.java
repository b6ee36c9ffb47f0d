package org.pycuda;

import java.util.List;

/**
 * Code in a context: loaded ({@link Module}), compiled, or linked (package {@code org.pycuda.compiler}).
 * <pre>{@code
 * try (KernelModule module = new SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")) {
 *     var x = new float[] {1, 2};
 *     module.function("twice").launch(Driver.block(2), Driver.inOut(x));
 *     System.out.println(x[1]);  // 4.0
 * }
 * }</pre>
 */
public interface KernelModule extends AutoCloseable {
    /** The kernel of this name. LogicError if there is none, and after {@link #close}. */
    Function function(String name);

    /**
     * The kernel of this name, with arguments that are a record's components.
     *
     * @param name the kernel's name
     * @param arguments the record: a component for each parameter, of its size
     * @param <R> the record
     * @return the kernel
     * @throws IllegalArgumentException the kernel has other parameters, as far as the driver reports them (since CUDA 12.4)
     * @throws Driver.LogicError there is no kernel of this name, or the module is closed
     */
    default <R extends Record> TypedKernel<R> kernel(String name, Class<R> arguments) {
        return function(name).typed(arguments);
    }

    /** Address and size of a variable. LogicError if there is none of this name, and after {@link #close}. */
    Driver.GlobalSymbol global(String name);

    /** The texture reference that the source declares as {@code texture<...> name;}. LogicError if there is none of this name. */
    TextureReference texref(String name);

    /** The surface reference that the source declares as {@code surface<void, ...> name;}. LogicError if there is none. */
    SurfaceReference surfref(String name);

    /** Names of all kernels, as symbols. */
    List<String> functionNames();

    /** Unloads the code. Its functions become invalid. A second call does nothing. */
    @Override
    void close();
}
