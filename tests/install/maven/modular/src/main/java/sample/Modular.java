package sample;

import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.GPUArray;

/** Computes with arrays, whose kernels include device headers of the module of native libraries. */
public final class Modular {
    private Modular() {}

    public static void main(String[] arguments) {
        Autoinit.init();
        double sum = GPUArray.arange(DType.FLOAT64, 1000).mul(2).add(1).sum().getDouble();
        System.out.println(sum + " in module " + Modular.class.getModule().getName());
    }
}
