package org.pycuda.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * CUDA C++ source linked with the device runtime library, so that kernels can launch kernels.
 * <pre>{@code
 * try (var module = new DynamicSourceModule("""
 *         __global__ void child(int *x) { x[threadIdx.x] = 7; }
 *         __global__ void parent(int *x) { child<<<1, 4>>>(x); }
 *         """)) {
 *     var x = new int[4];
 *     module.function("parent").launch(Driver.block(1), Driver.inOut(x));
 *     System.out.println(x[3]);  // 7
 * }
 * }</pre>
 */
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
