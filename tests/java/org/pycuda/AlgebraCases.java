package org.pycuda;

import java.util.List;
import java.util.Set;

/** Products, grids, transforms and decompositions among the cases of ArrayCasesTest (algebra_rules.py). */
final class AlgebraCases {
    static final Set<String> NAMES = Set.of(
        "tensordot", "vecdot", "cross", "outer", "trace", "meshgrid.xy.0", "meshgrid.xy.1", "meshgrid.ij.0", "meshgrid.ij.1", "linspace", "fft", "ifft", "rfft", "irfft",
        "hfft", "ihfft", "fftn", "ifftn", "rfftn", "det", "inv", "solve", "cholesky", "slogdet", "svdvals", "eigvalsh", "pinv",
        "matrixRank", "matrixNorm");

    private AlgebraCases() {}

    private static long length(Object argument) {
        return (Long) argument;
    }

    private static int axis(List<Object> arguments) {
        return ArrayCasesTest.axes(arguments.get(2))[0];
    }

    private static Fft.Norm norm(List<Object> arguments) {
        return Fft.Norm.values()[(int) length(arguments.get(3))];
    }

    static GPUArray compute(String name, GPUArray a, List<Object> arguments) {
        Object second = arguments.size() > 1 ? arguments.get(1) : null;
        return switch (name) {
            case "tensordot" -> a.tensordot((GPUArray) second, ArrayCasesTest.axes(arguments.get(2)), ArrayCasesTest.axes(arguments.get(3)));
            case "vecdot" -> a.vecdot((GPUArray) second, (int) length(arguments.get(2)));
            case "cross" -> a.cross((GPUArray) second, (int) length(arguments.get(2)));
            case "outer" -> a.outer((GPUArray) second);
            case "trace" -> a.trace(length(second));
            case "meshgrid.xy.0" -> GPUArray.meshgrid(a, (GPUArray) second).get(0);
            case "meshgrid.xy.1" -> GPUArray.meshgrid(a, (GPUArray) second).get(1);
            case "meshgrid.ij.0" -> GPUArray.meshgrid("ij", a, (GPUArray) second).get(0);
            case "meshgrid.ij.1" -> GPUArray.meshgrid("ij", a, (GPUArray) second).get(1);
            case "linspace" -> GPUArray.linspace((DType) a.dtype(), (Double) second, (Double) arguments.get(2), a.size(), (Long) arguments.get(3) == 1);
            case "fft" -> Fft.fft(a, length(second), axis(arguments), norm(arguments));
            case "ifft" -> Fft.ifft(a, length(second), axis(arguments), norm(arguments));
            case "rfft" -> Fft.rfft(a, length(second), axis(arguments), norm(arguments));
            case "irfft" -> Fft.irfft(a, length(second), axis(arguments), norm(arguments));
            case "hfft" -> Fft.hfft(a, length(second), axis(arguments), norm(arguments));
            case "ihfft" -> Fft.ihfft(a, length(second), axis(arguments), norm(arguments));
            case "fftn" -> Fft.fftn(a, ArrayCasesTest.axes(second));
            case "ifftn" -> Fft.ifftn(a, ArrayCasesTest.axes(second));
            case "rfftn" -> Fft.rfftn(a, ArrayCasesTest.axes(second));
            case "det" -> LinAlg.det(a);
            case "inv" -> LinAlg.inv(a);
            case "solve" -> LinAlg.solve(a, (GPUArray) second);
            case "cholesky" -> LinAlg.cholesky(a);
            case "slogdet" -> LinAlg.slogdet(a).logabsdet();
            case "svdvals" -> LinAlg.svdvals(a);
            case "eigvalsh" -> LinAlg.eigvalsh(a);
            case "pinv" -> LinAlg.pinv(a);
            case "matrixRank" -> LinAlg.matrixRank(a);
            case "matrixNorm" -> LinAlg.matrixNorm(a, "nuc");
            default -> throw new AssertionError(name);
        };
    }
}
