package org.pycuda.compiler;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.JitInputType;
import org.pycuda.KernelModule;
import org.pycuda.MessageHandler;
import org.pycuda.Module;
import org.pycuda.SurfaceReference;
import org.pycuda.TextureReference;

/**
 * A module linked at run time from several pieces of relocatable device code. Add pieces, then call {@link #link}; after that, use it like a
 * {@link Module}. The pieces are for the context that was current at its creation.
 * <pre>{@code
 * try (var module = new DynamicModule()) {
 *     var relocatable = java.util.List.of("-rdc=true");
 *     module.addSource("__device__ float cube(float x) { return x * x * x; }", relocatable).addSource("""
 *         extern __device__ float cube(float x);
 *         extern "C" __global__ void cubes(float *x) { x[threadIdx.x] = cube(x[threadIdx.x]); }
 *         """, relocatable).link();
 *     var x = new float[] {1, 2};
 *     module.function("cubes").launch(Driver.block(2), Driver.inOut(x));
 *     System.out.println(x[1]);  // 8.0
 * }
 * }</pre>
 */
public class DynamicModule implements KernelModule {
    private static final List<String> LTO_FLAGS = List.of("-dlto", "--dlink-time-opt");

    private final SourceModule.Options options;
    private final LinkOptions linkOptions;
    private final Map<String, String> symbols = new HashMap<>();
    private Linker linker;
    private Module module;

    /** Creates an empty module with the default options. */
    public DynamicModule() {
        this(new SourceModule.Options(), new LinkOptions());
    }

    /**
     * Creates an empty module with these compiler options.
     *
     * @param options how {@link #addSource} compiles
     */
    public DynamicModule(SourceModule.Options options) {
        this(options, new LinkOptions());
    }

    /**
     * Creates an empty module with these options of the compiler and the linker.
     *
     * @param options how {@link #addSource} compiles
     */
    public DynamicModule(SourceModule.Options options, LinkOptions linkOptions) {
        this.options = Objects.requireNonNull(options, "options");
        this.linkOptions = Objects.requireNonNull(linkOptions, "linkOptions");
        linker = linkOptions.newLinker();
    }

    /** Compiles with the flags of this module's options, using the cache, and adds the result. */
    public DynamicModule addSource(String source) {
        return addSource(source, options.flags(), "kernel.ptx");
    }

    /** Compiles with {@code nvccOptions} instead of the flags of this module's options, and adds the result. */
    public DynamicModule addSource(String source, List<String> nvccOptions) {
        return addSource(source, nvccOptions, "kernel.ptx");
    }

    /**
     * Compiles a source and adds the result. With {@code -dlto} among the options it is compiled to LTO-IR, and nvJitLink links all pieces.
     *
     * @param name its name in messages
     */
    public synchronized DynamicModule addSource(String source, List<String> nvccOptions, String name) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(name, "name");
        unlinked();
        List<String> flags = Texts.copyOf(nvccOptions, "nvccOptions").stream().filter(flag -> !LTO_FLAGS.contains(flag)).toList();
        boolean lto = flags.size() < nvccOptions.size();
        Compilation compiled = Compilation.run(source, options, flags, lto ? "ltoir" : "ptx");
        symbols.putAll(compiled.symbols());
        return addData(compiled.image(), lto ? JitInputType.NVVM : JitInputType.PTX, name);
    }

    /** Adds code from memory, which is copied. */
    public DynamicModule addData(byte[] data, JitInputType inputType) {
        return addData(data, inputType, "unknown");
    }

    /**
     * Adds code from memory, which is copied.
     *
     * @param name its name in messages
     */
    public synchronized DynamicModule addData(byte[] data, JitInputType inputType, String name) {
        Objects.requireNonNull(data, "data");
        Objects.requireNonNull(inputType, "inputType");
        Objects.requireNonNull(name, "name");
        unlinked().addImage(data, inputType, name);
        return this;
    }

    /**
     * Adds what remains of a buffer, which is copied.
     *
     * @param name its name in messages
     */
    public DynamicModule addData(ByteBuffer data, JitInputType inputType, String name) {
        byte[] copy = new byte[Objects.requireNonNull(data, "data").remaining()];
        data.get(data.position(), copy);
        return addData(copy, inputType, name);
    }

    /** Adds a file. RuntimeError if it cannot be read. */
    public synchronized DynamicModule addFile(Path filename, JitInputType inputType) {
        Objects.requireNonNull(inputType, "inputType");
        unlinked().addFile(Objects.requireNonNull(filename, "filename").toString(), inputType);
        return this;
    }

    /** Adds a static library of the toolkit by its short name, such as {@code cudadevrt}. RuntimeError if there is none. */
    public synchronized DynamicModule addStdlib(String libname) {
        unlinked().addLibrary(Objects.requireNonNull(libname, "libname"), linkOptions.libraryFolder());
        return this;
    }

    /** Links all pieces and loads the result into the current context. Nothing can be added afterwards. */
    public synchronized DynamicModule link() {
        byte[] image = complete(unlinked());
        module = Driver.moduleFromBuffer(image);
        dropLinker();
        return this;
    }

    private byte[] complete(Linker pieces) {
        MessageHandler handler = linkOptions.messageHandler();
        boolean linked = false;
        try {
            byte[] image = pieces.complete();
            linked = true;
            return image;
        } finally {
            if (handler != null) {
                handler.message(linked, pieces.infoLog(), pieces.errorLog());
            }
        }
    }

    /** The kernel of this name; LogicError if there is none, or before {@link #link}. */
    @Override
    public Function function(String name) {
        Objects.requireNonNull(name, "name");
        return linked().function(symbols.getOrDefault(name, name));
    }

    /** Address and size of a variable; LogicError if there is none of this name, or before {@link #link}. */
    @Override
    public Driver.GlobalSymbol global(String name) {
        Objects.requireNonNull(name, "name");
        return linked().global(symbols.getOrDefault(name, name));
    }

    /** Names of all kernels. LogicError before {@link #link}. */
    @Override
    public TextureReference texref(String name) {
        Objects.requireNonNull(name, "name");
        return linked().texref(name);
    }

    @Override
    public SurfaceReference surfref(String name) {
        Objects.requireNonNull(name, "name");
        return linked().surfref(name);
    }

    @Override
    public List<String> functionNames() {
        return linked().functionNames();
    }

    /** Unloads the code, or drops the pieces. A second call does nothing; any other use is a LogicError. */
    @Override
    public synchronized void close() {
        dropLinker();
        if (module != null) {
            module.close();
        }
    }

    @Override
    public synchronized String toString() {
        String state = module != null ? module.toString() : linker != null ? "not linked yet" : "closed";
        return getClass().getSimpleName() + "[" + state + "]";
    }

    private void dropLinker() {
        if (linker != null) {
            linker.delete();
            linker = null;
        }
    }

    private Linker unlinked() {
        if (linker == null) {
            CompilerCore.raiseLogicError("DynamicModule", "the module is already linked or closed; create another DynamicModule to add or link more");
        }
        return linker;
    }

    private synchronized Module linked() {
        if (module == null) {
            CompilerCore.raiseLogicError("DynamicModule", "the module is not linked yet; call link() first");
        }
        return module;
    }
}
