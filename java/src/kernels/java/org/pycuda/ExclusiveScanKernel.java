package org.pycuda;

/** A {@link ScanKernel} whose results stand before their element: {@code new ExclusiveScanKernel(INT32, "a + b", "0")}. */
public final class ExclusiveScanKernel extends ScanKernel {
    /**
     * With the default options.
     *
     * @param scanExpr of {@code a} and {@code b}, associative
     * @param neutral C text of the first result
     */
    public ExclusiveScanKernel(CType type, String scanExpr, String neutral) {
        this(type, scanExpr, neutral, new KernelOptions());
    }

    /**
     * With these options.
     *
     * @param scanExpr of {@code a} and {@code b}, associative
     * @param neutral C text of the first result
     */
    public ExclusiveScanKernel(CType type, String scanExpr, String neutral, KernelOptions options) {
        super(type, scanExpr, neutral, true, options);
    }
}
