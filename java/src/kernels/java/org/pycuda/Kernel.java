package org.pycuda;

import java.util.ArrayList;
import java.util.List;

/**
 * A kernel of a {@link Library}, which it keeps alive. It belongs to no context: each has its own {@link #function} for it.
 * <pre>{@code
 * String source = "extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }";
 * try (var library = Library.fromBuffer(SourceModule.compile(source))) {
 *     Kernel twice = library.kernel("twice");
 *     var x = new float[] {1, 2};
 *     twice.launch(Driver.block(2), Driver.inOut(x));
 *     System.out.println(x[1]);  // 4.0
 * }
 * }</pre>
 */
public final class Kernel extends KernelProxy {
    /**
     * A parameter of a kernel.
     *
     * @param offset offset in the block of parameters, in bytes
     * @param size size in bytes
     */
    public record Parameter(long offset, long size) {
        static List<Parameter> of(long[] parts) {
            var parameters = new ArrayList<Parameter>();
            for (int i = 0; i < parts.length; i += 2) {
                parameters.add(new Parameter(parts[i], parts[i + 1]));
            }
            return List.copyOf(parameters);
        }
    }

    Kernel(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** Queues one grid in the current context: {@link Function#launch} of {@link #function}. For many launches, ask for that once. */
    public void launch(LaunchConfig config, Object... arguments) {
        function().launch(config, arguments);
    }
}
