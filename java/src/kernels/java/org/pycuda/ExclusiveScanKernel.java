package org.pycuda;

/**
 * A {@link ScanKernel} whose results exclude their own element: {@code new ExclusiveScanKernel(INT32, "a + b", "0")}.
 * <pre>{@code
 * var sums = new ExclusiveScanKernel(DType.INT32, "a + b", "0");
 * System.out.println(sums.call(GPUArray.toGpu(new int[] {3, 1, 4, 1})));  // [0 3 4 8]
 * }</pre>
 */
public final class ExclusiveScanKernel extends ScanKernel {
    /**
     * Creates a kernel with the default options.
     *
     * @param scanExpr associative C expression of {@code a} and {@code b}
     * @param neutral C text of the first result
     */
    public ExclusiveScanKernel(CType type, String scanExpr, String neutral) {
        this(type, scanExpr, neutral, new KernelOptions());
    }

    /**
     * Creates a kernel with these options.
     *
     * @param scanExpr associative C expression of {@code a} and {@code b}
     * @param neutral C text of the first result
     */
    public ExclusiveScanKernel(CType type, String scanExpr, String neutral, KernelOptions options) {
        super(type, scanExpr, neutral, true, options);
    }
}
