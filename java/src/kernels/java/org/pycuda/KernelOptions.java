package org.pycuda;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.pycuda.compiler.SourceModule;

/**
 * Options of custom kernels. Immutable: {@code new KernelOptions().name("saxpy").options("-lineinfo")}.
 * <pre>{@code
 * var options = new KernelOptions().name("cubes").preamble("__device__ float cube(float x) { return x * x * x; }");
 * var cubes = new ElementwiseKernel("float *y, const float *x", "y[i] = cube(x[i])", options);
 * var x = GPUArray.toGpu(new float[] {1, 2, 3});
 * cubes.call(x, x);
 * System.out.println(x.getFloats()[2]);  // 27.0
 * }</pre>
 */
public final class KernelOptions {
    final String name;
    final String preamble;
    final List<String> options;
    final boolean keep;
    final String loopPrep;
    final String afterLoop;

    /** The defaults. */
    public KernelOptions() {
        this("", "", List.of(), false, "", "");
    }

    private KernelOptions(String name, String preamble, List<String> options, boolean keep, String loopPrep, String afterLoop) {
        this.name = Objects.requireNonNull(name, "name");
        this.preamble = Objects.requireNonNull(preamble, "preamble");
        this.options = options;
        this.keep = keep;
        this.loopPrep = Objects.requireNonNull(loopPrep, "loopPrep");
        this.afterLoop = Objects.requireNonNull(afterLoop, "afterLoop");
    }

    /** Name of the kernel, for profilers. */
    public KernelOptions name(String value) {
        return new KernelOptions(value, preamble, options, keep, loopPrep, afterLoop);
    }

    /** CUDA C++ before the kernel, such as functions that it calls. */
    public KernelOptions preamble(String value) {
        return new KernelOptions(name, value, options, keep, loopPrep, afterLoop);
    }

    /** Options of the compiler, besides the default ones. */
    public KernelOptions options(String... values) {
        Objects.requireNonNull(values, "options");
        for (int i = 0; i < values.length; i++) {
            Objects.requireNonNull(values[i], "options[" + i + "]");
        }
        return new KernelOptions(name, preamble, List.of(values), keep, loopPrep, afterLoop);
    }

    /** Keeps the compiler's files. */
    public KernelOptions keep() {
        return new KernelOptions(name, preamble, options, true, loopPrep, afterLoop);
    }

    /** Statements before the loop of an elementwise kernel. */
    public KernelOptions loopPrep(String value) {
        return new KernelOptions(name, preamble, options, keep, value, afterLoop);
    }

    /** Statements after the loop of an elementwise kernel. */
    public KernelOptions afterLoop(String value) {
        return new KernelOptions(name, preamble, options, keep, loopPrep, value);
    }

    String nameOr(String other) {
        return name.isEmpty() ? other : name;
    }

    SourceModule.Options compiler() {
        var all = new java.util.ArrayList<>(SourceModule.defaultNvccFlags());
        all.addAll(options);
        SourceModule.Options compiler = new SourceModule.Options().noExternC().options(all.toArray(new String[0]));
        return keep ? compiler.keep() : compiler;
    }

    @Override
    public String toString() {
        return "KernelOptions[" + (name.isEmpty() ? "" : "name=" + name + ", ") + "options=" + Arrays.toString(options.toArray()) + "]";
    }
}
