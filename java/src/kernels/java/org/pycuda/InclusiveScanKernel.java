package org.pycuda;

/**
 * A {@link ScanKernel} whose results include their own element.
 *
 * <pre>{@code
 * var sums = new InclusiveScanKernel(DType.INT32, "a + b");
 * assert sums.call(GPUArray.toGpu(new int[] {1, 2, 3})).getInts()[2] == 6;
 * }</pre>
 */
public final class InclusiveScanKernel extends ScanKernel {
    /**
     * Creates a kernel with the default options.
     *
     * @param scanExpr associative C expression of {@code a} and {@code b}
     */
    public InclusiveScanKernel(CType type, String scanExpr) {
        this(type, scanExpr, new KernelOptions());
    }

    /**
     * Creates a kernel with these options.
     *
     * @param scanExpr associative C expression of {@code a} and {@code b}
     */
    public InclusiveScanKernel(CType type, String scanExpr, KernelOptions options) {
        this(type, scanExpr, "", options);
    }

    /**
     * Creates a kernel with a neutral element, which is ignored.
     *
     * @param scanExpr associative C expression of {@code a} and {@code b}
     */
    public InclusiveScanKernel(CType type, String scanExpr, String neutral) {
        this(type, scanExpr, neutral, new KernelOptions());
    }

    /**
     * Creates a kernel with a neutral element, which is ignored, and options.
     *
     * @param scanExpr associative C expression of {@code a} and {@code b}
     */
    public InclusiveScanKernel(CType type, String scanExpr, String neutral, KernelOptions options) {
        super(type, scanExpr, neutral, false, options);
    }
}
