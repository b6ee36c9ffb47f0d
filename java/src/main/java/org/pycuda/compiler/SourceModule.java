package org.pycuda.compiler;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
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
 *     """, new SourceModule.Options().noExternC().nameExpressions("scale<float>"));
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
        return Compilation.run(source, options, Objects.requireNonNull(options, "options").flags(), options.target());
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

    /** How to compile. Immutable: each option returns a changed copy. */
    public static final class Options {
        private final Settings settings;

        /** The options; changed only before an Options has them. */
        private static final class Settings implements Cloneable {
            private String nvcc = "nvcc";
            private List<String> options;
            private boolean keep;
            private boolean noExternC;
            private String arch = "";
            private String code = "";
            private String cacheDir = "";
            private boolean useCache = true;
            private String[] includeDirs = {};
            private String[] nameExpressions = {};
            private String target = "";

            Settings copy() {
                try {
                    return (Settings) clone();
                } catch (CloneNotSupportedException impossible) {
                    throw new AssertionError(impossible);
                }
            }
        }

        /** The defaults. */
        public Options() {
            this(new Settings());
        }

        private Options(Settings settings) {
            this.settings = settings;
        }

        private Options with(Consumer<Settings> change) {
            Settings changed = settings.copy();
            change.accept(changed);
            return new Options(changed);
        }

        /** Name or path of nvcc. */
        public Options nvcc(String value) {
            Objects.requireNonNull(value, "nvcc");
            return with(changed -> changed.nvcc = value);
        }

        /** Options of the compiler, instead of {@link SourceModule#defaultNvccFlags}. */
        public Options options(String... values) {
            List<String> copy = Texts.copyOf(Arrays.asList(Objects.requireNonNull(values, "options")), "options");
            return with(changed -> changed.options = copy);
        }

        /** Keeps the compiler's files; the logger {@code org.pycuda.compiler} reports their folder. */
        public Options keep() {
            return with(changed -> changed.keep = true);
        }

        /** Without the {@code extern "C"} around the source, which keeps names unmangled. */
        public Options noExternC() {
            return with(changed -> changed.noExternC = true);
        }

        /** Architecture, as {@code sm_90}; without it, that of the current context's device. */
        public Options arch(String value) {
            Objects.requireNonNull(value, "arch");
            return with(changed -> changed.arch = value);
        }

        /** Value of nvcc's {@code -code}. */
        public Options code(String value) {
            Objects.requireNonNull(value, "code");
            return with(changed -> changed.code = value);
        }

        /** Folder of the disk cache, instead of that of PYCUDA_CACHE_DIR or the user's. */
        public Options cacheDir(Path value) {
            String folder = Objects.requireNonNull(value, "cacheDir: to compile without a cache, call noCache()").toString();
            return with(changed -> changed.cacheDir = folder);
        }

        /** Without the disk cache. */
        public Options noCache() {
            return with(changed -> changed.useCache = false);
        }

        /** Folders searched for included files, before the others. */
        public Options includeDirs(Path... values) {
            String[] folders = new String[Objects.requireNonNull(values, "includeDirs").length];
            for (int i = 0; i < folders.length; i++) {
                folders[i] = Objects.requireNonNull(values[i], "includeDirs[" + i + "]").toString();
            }
            return with(changed -> changed.includeDirs = folders);
        }

        /**
         * C++ names of kernels and variables to instantiate and keep, as {@code scale<float>}; {@link #function} and
         * {@link #global} take them. Implies {@link #noExternC}.
         */
        public Options nameExpressions(String... values) {
            String[] names = Texts.copyOf(Arrays.asList(Objects.requireNonNull(values, "nameExpressions")), "nameExpressions").toArray(new String[0]);
            return with(changed -> changed.nameExpressions = names);
        }

        /** Kind of code: {@code cubin}, {@code ptx} or {@code fatbin}; by default the kind that the current device loads. */
        public Options target(String value) {
            Objects.requireNonNull(value, "target");
            return with(changed -> changed.target = value);
        }

        String target() {
            return settings.target;
        }

        List<String> flags() {
            return settings.options != null ? settings.options : defaultNvccFlags();
        }

        void fill(CompileRequest request) {
            request.setNvcc(settings.nvcc);
            request.setKeep(settings.keep);
            request.setNoExternC(settings.noExternC);
            request.setArch(settings.arch);
            request.setCode(settings.code);
            request.setCacheDir(settings.cacheDir);
            request.setUseCache(settings.useCache);
            request.setIncludeDirs(settings.includeDirs);
            request.setNameExpressions(settings.nameExpressions);
        }
    }
}
