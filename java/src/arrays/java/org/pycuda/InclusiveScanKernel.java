package org.pycuda;

/** A {@link ScanKernel} whose results stand with their own element: {@code new InclusiveScanKernel(INT32, "a + b")}. */
public final class InclusiveScanKernel extends ScanKernel {
    /** @param scanExpr of {@code a} and {@code b}, associative */
    public InclusiveScanKernel(DType type, String scanExpr) {
        this(type, scanExpr, new KernelOptions());
    }

    /** @param scanExpr of {@code a} and {@code b}, associative */
    public InclusiveScanKernel(DType type, String scanExpr, KernelOptions options) {
        super(type, scanExpr, "", false, options);
    }
}
