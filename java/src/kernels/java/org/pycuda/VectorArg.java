package org.pycuda;

import java.util.Objects;

/**
 * A parameter that is a pointer to the elements of an array.
 * <pre>{@code
 * var arguments = java.util.List.of(new VectorArg(DType.FLOAT32, "x"), new ScalarArg(DType.FLOAT32, "factor"));
 * var scale = new ElementwiseKernel(arguments, "x[i] *= factor");
 * var x = GPUArray.toGpu(new float[] {1, 2});
 * scale.call(x, 3f);
 * System.out.println(x.getFloats()[1]);  // 6.0
 * }</pre>
 */
public record VectorArg(CType dtype, String name) implements Argument {
    /** Neither may be null. */
    public VectorArg {
        Objects.requireNonNull(dtype, "dtype");
        Objects.requireNonNull(name, "name");
    }

    @Override
    public String declarator() {
        return dtype.ctype() + " *" + name;
    }

    @Override
    public String structChar() {
        return "P";
    }
}
