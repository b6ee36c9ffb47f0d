package org.pycuda;

import java.util.List;

/** Code in a context: loaded ({@link Module}), compiled, or linked (package {@code org.pycuda.compiler}). */
public interface KernelModule extends AutoCloseable {
    /** The kernel of this name. LogicError if there is none, and after {@link #close}. */
    Function getFunction(String name);

    /** Address and size of a variable. LogicError if there is none of this name, and after {@link #close}. */
    Driver.GlobalSymbol getGlobal(String name);

    /** The texture reference that the source declares as {@code texture<...> name;}. LogicError if there is none of this name. */
    TextureReference getTexref(String name);

    /** The surface reference that the source declares as {@code surface<void, ...> name;}. LogicError if there is none. */
    SurfaceReference getSurfref(String name);

    /** Names of all kernels, as symbols. */
    List<String> functionNames();

    /** Unloads the code. Its functions become invalid. A second call does nothing. */
    @Override
    void close();
}
