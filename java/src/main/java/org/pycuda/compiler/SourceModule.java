package org.pycuda.compiler;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.KernelModule;
import org.pycuda.Module;
import org.pycuda.SurfaceReference;
import org.pycuda.TextureReference;

/**
 * CUDA C++ source, compiled and loaded into the current context. Compiled code is kept in a disk cache, which Python shares.
 *
 * <pre>{@code
 * var module = new SourceModule("""
 *     template <class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }
 *     """, new SourceModule.Options().noExternC(true).nameExpressions("scale<float>"));
 * var x = new float[] {1, 2};
 * module.function("scale<float>").launch(Driver.block(2), Driver.inOut(x), 3f);
 * assert x[1] == 6;
 * }</pre>
 */
public final class SourceModule implements KernelModule {
    private static volatile List<String> defaultNvccFlags;

    private final Module module;
    private final Map<String, String> symbols;

    /**
     * Compiles and loads with the default options.
     *
     * @throws Driver.CompileError when the compiler refuses the source, or none is found
     */
    public SourceModule(String source) {
        this(source, new Options());
    }

    /**
     * Compiles and loads.
     *
     * @throws Driver.CompileError when the compiler refuses the source, or none is found
     */
    public SourceModule(String source, Options options) {
        Compilation compiled = run(source, options);
        symbols = compiled.symbols();
        module = Driver.moduleFromBuffer(compiled.image());
    }

    /** Compiles with the default options to code for {@link Driver#moduleFromBuffer(byte[])}. */
    public static byte[] compile(String source) {
        return compile(source, new Options());
    }

    /** Compiles to code for {@link Driver#moduleFromBuffer(byte[])}. */
    public static byte[] compile(String source, Options options) {
        return run(source, options).image();
    }

    private static Compilation run(String source, Options options) {
        Objects.requireNonNull(source, "source");
        return Compilation.run(source, options, Objects.requireNonNull(options, "options").flags(), options.target);
    }

    /** The compiler options that are used without {@link Options#options}; initially those of PYCUDA_DEFAULT_NVCC_FLAGS. */
    public static List<String> defaultNvccFlags() {
        List<String> flags = defaultNvccFlags;
        if (flags == null) {
            defaultNvccFlags = flags = List.of(CompilerCore.defaultNvccFlags());
        }
        return flags;
    }

    /** Sets {@link #defaultNvccFlags} for the whole process. */
    public static void setDefaultNvccFlags(List<String> flags) {
        defaultNvccFlags = Texts.copyOf(flags, "flags");
    }

    /** The kernel of this name: a symbol, or one of {@link Options#nameExpressions}. LogicError if there is none. */
    @Override
    public Function function(String name) {
        return module.function(symbols.getOrDefault(Objects.requireNonNull(name, "name"), name));
    }

    /** Address and size of a variable, named as in {@link #function}. LogicError if there is none. */
    @Override
    public Driver.GlobalSymbol global(String name) {
        return module.global(symbols.getOrDefault(Objects.requireNonNull(name, "name"), name));
    }

    @Override
    public TextureReference texref(String name) {
        return module.texref(name);
    }

    @Override
    public SurfaceReference surfref(String name) {
        return module.surfref(name);
    }

    @Override
    public List<String> functionNames() {
        return module.functionNames();
    }

    @Override
    public void close() {
        module.close();
    }

    @Override
    public String toString() {
        return "SourceModule[" + module + "]";
    }

    /** How to compile. Every method returns this. */
    public static final class Options {
        private String nvcc = "nvcc";
        private List<String> options;
        private boolean keep;
        private boolean noExternC;
        private String arch = "";
        private String code = "";
        private String cacheDir = "";
        private boolean useCache = true;
        private Path[] includeDirs = {};
        private String[] nameExpressions = {};
        private String target = "";

        /** The defaults. */
        public Options() {}

        /** Name or path of nvcc. */
        public Options nvcc(String value) {
            nvcc = Objects.requireNonNull(value, "nvcc");
            return this;
        }

        /** Options of the compiler, instead of {@link SourceModule#defaultNvccFlags}. */
        public Options options(String... values) {
            options = Texts.copyOf(Arrays.asList(Objects.requireNonNull(values, "options")), "options");
            return this;
        }

        /** Whether to keep the compiler's files; the logger {@code org.pycuda.compiler} then reports their folder. */
        public Options keep(boolean value) {
            keep = value;
            return this;
        }

        /** Whether to omit the {@code extern "C"} around the source, which keeps names unmangled. */
        public Options noExternC(boolean value) {
            noExternC = value;
            return this;
        }

        /** Architecture, as {@code sm_90}; without it, that of the current context's device. */
        public Options arch(String value) {
            arch = Objects.requireNonNull(value, "arch");
            return this;
        }

        /** Value of nvcc's {@code -code}. */
        public Options code(String value) {
            code = Objects.requireNonNull(value, "code");
            return this;
        }

        /** Folder of the disk cache, instead of that of PYCUDA_CACHE_DIR or the user's. */
        public Options cacheDir(Path value) {
            cacheDir = Objects.requireNonNull(value, "cacheDir: to compile without a cache, call noCache()").toString();
            return this;
        }

        /** Without the disk cache. */
        public Options noCache() {
            useCache = false;
            return this;
        }

        /** Folders searched for included files, before the others. */
        public Options includeDirs(Path... values) {
            includeDirs = Objects.requireNonNull(values, "includeDirs").clone();
            for (int i = 0; i < includeDirs.length; i++) {
                Objects.requireNonNull(includeDirs[i], "includeDirs[" + i + "]");
            }
            return this;
        }

        /**
         * C++ names of kernels and variables to instantiate and keep, as {@code scale<float>}; {@link #function} and
         * {@link #global} take them. Implies {@link #noExternC}.
         */
        public Options nameExpressions(String... values) {
            nameExpressions = Texts.copyOf(Arrays.asList(Objects.requireNonNull(values, "nameExpressions")), "nameExpressions").toArray(new String[0]);
            return this;
        }

        /** Kind of code: {@code cubin}, {@code ptx} or {@code fatbin}; by default the kind that the current device loads. */
        public Options target(String value) {
            target = Objects.requireNonNull(value, "target");
            return this;
        }

        List<String> flags() {
            return options != null ? options : defaultNvccFlags();
        }

        void fill(CompileRequest request) {
            request.setNvcc(nvcc);
            request.setKeep(keep);
            request.setNoExternC(noExternC);
            request.setArch(arch);
            request.setCode(code);
            request.setCacheDir(cacheDir);
            request.setUseCache(useCache);
            request.setIncludeDirs(Arrays.stream(includeDirs).map(Path::toString).toArray(String[]::new));
            request.setNameExpressions(nameExpressions);
        }
    }
}
