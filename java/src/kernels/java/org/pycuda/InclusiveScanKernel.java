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
    /** @param scanExpr of {@code a} and {@code b}, associative */
    public InclusiveScanKernel(CType type, String scanExpr) {
        this(type, scanExpr, new KernelOptions());
    }

    /** @param scanExpr of {@code a} and {@code b}, associative */
    public InclusiveScanKernel(CType type, String scanExpr, KernelOptions options) {
        this(type, scanExpr, "", options);
    }

    /**
     * With a neutral element, which this kernel does not need.
     *
     * @param scanExpr of {@code a} and {@code b}, associative
     */
    public InclusiveScanKernel(CType type, String scanExpr, String neutral) {
        this(type, scanExpr, neutral, new KernelOptions());
    }

    /**
     * With a neutral element, which this kernel does not need, and options.
     *
     * @param scanExpr of {@code a} and {@code b}, associative
     */
    public InclusiveScanKernel(CType type, String scanExpr, String neutral, KernelOptions options) {
        super(type, scanExpr, neutral, false, options);
    }
}
