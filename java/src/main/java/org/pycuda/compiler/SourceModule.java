package org.pycuda.compiler;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.Module;

/**
 * CUDA C++ source, compiled and loaded into the current context. Compiled code is kept in a disk cache that Python shares. Has the
 * methods of {@link Module}.
 */
public final class SourceModule implements AutoCloseable {
    private static volatile List<String> defaultNvccFlags;

    private final Module module;

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
        module = Driver.moduleFromBuffer(compile(source, options));
    }

    /** Compiles with the default options; what {@link Driver#moduleFromBuffer(byte[])} loads. */
    public static byte[] compile(String source) {
        return compile(source, new Options());
    }

    /** Compiles; what {@link Driver#moduleFromBuffer(byte[])} loads. */
    public static byte[] compile(String source, Options options) {
        var request = new CompileRequest();
        CompileResult result = null;
        try {
            options.fill(request);
            request.setSource(source);
            result = CompilerCore.compile(request);
            for (String warning : result.getWarnings()) {
                System.getLogger("org.pycuda.compiler").log(System.Logger.Level.WARNING, warning);
            }
            if (!result.getBuildDir().isEmpty()) {
                System.out.println("*** compiler output in " + result.getBuildDir());
            }
            return result.getImage();
        } finally {
            request.delete();
            if (result != null) {
                result.delete();
            }
        }
    }

    /** The compiler options used where {@link Options#options} were not given; at first those of PYCUDA_DEFAULT_NVCC_FLAGS. */
    public static List<String> getDefaultNvccFlags() {
        List<String> flags = defaultNvccFlags;
        if (flags == null) {
            defaultNvccFlags = flags = List.of(CompilerCore.defaultNvccFlags());
        }
        return flags;
    }

    /** Sets {@link #getDefaultNvccFlags} for the whole process. */
    public static void setDefaultNvccFlags(List<String> flags) {
        defaultNvccFlags = List.copyOf(flags);
    }

    /** The kernel of this name; LogicError when there is none. */
    public Function getFunction(String name) {
        return module.getFunction(name);
    }

    /** Address and size of a variable; LogicError when there is none of this name. */
    public Driver.GlobalSymbol getGlobal(String name) {
        return module.getGlobal(name);
    }

    /** Unloads the code. Functions of it are unusable afterwards. */
    @Override
    public void close() {
        module.close();
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

        /** The defaults. */
        public Options() {}

        /** Name or path of nvcc. */
        public Options nvcc(String value) {
            nvcc = value;
            return this;
        }

        /** Options of the compiler, instead of {@link SourceModule#getDefaultNvccFlags}. */
        public Options options(String... values) {
            options = List.of(values);
            return this;
        }

        /** Whether the compiler's files are left behind; a line on standard output then says where. */
        public Options keep(boolean value) {
            keep = value;
            return this;
        }

        /** Whether to leave out the {@code extern "C"} around the source that keeps names as they are written. */
        public Options noExternC(boolean value) {
            noExternC = value;
            return this;
        }

        /** Architecture, as {@code sm_90}; without it, that of the current context's device. */
        public Options arch(String value) {
            arch = value;
            return this;
        }

        /** Value of nvcc's {@code -code}. */
        public Options code(String value) {
            code = value;
            return this;
        }

        /** Folder of the disk cache, instead of that of PYCUDA_CACHE_DIR or the user's. */
        public Options cacheDir(Path value) {
            cacheDir = value.toString();
            return this;
        }

        /** Without the disk cache. */
        public Options noCache() {
            useCache = false;
            return this;
        }

        /** Folders searched for included files, before the others. */
        public Options includeDirs(Path... values) {
            includeDirs = values.clone();
            return this;
        }

        private void fill(CompileRequest request) {
            List<String> flags = options != null ? options : getDefaultNvccFlags();
            request.setNvcc(nvcc);
            request.setOptions(flags.toArray(new String[0]));
            request.setKeep(keep);
            request.setNoExternC(noExternC);
            request.setArch(arch);
            request.setCode(code);
            request.setCacheDir(cacheDir);
            request.setUseCache(useCache);
            request.setIncludeDirs(Arrays.stream(includeDirs).map(Path::toString).toArray(String[]::new));
        }
    }
}
