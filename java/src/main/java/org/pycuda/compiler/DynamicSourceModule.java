package org.pycuda.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** CUDA C++ source linked with the device runtime library, so that kernels can launch kernels. */
public final class DynamicSourceModule extends DynamicModule {
    private static final String RELOCATABLE = "-rdc=true";

    /** Compiles, links and loads with the default options. */
    public DynamicSourceModule(String source) {
        this(source, new SourceModule.Options());
    }

    /** Compiles, links and loads. */
    public DynamicSourceModule(String source, SourceModule.Options options) {
        this(source, options, new LinkOptions());
    }

    /** Compiles, links and loads. */
    public DynamicSourceModule(String source, SourceModule.Options options, LinkOptions linkOptions) {
        super(options, linkOptions);
        try {
            addSource(Objects.requireNonNull(source, "source"), relocatable(options.flags())).addStdlib("cudadevrt").link();
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    private static List<String> relocatable(List<String> flags) {
        if (flags.contains(RELOCATABLE)) {
            return flags;
        }
        List<String> more = new ArrayList<>(flags);
        more.add(RELOCATABLE);
        return more;
    }
}
