package sample;

import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/** Compiles a kernel that includes a device header of the jar of native libraries, and runs it. */
public final class Plain {
    private Plain() {}

    public static void main(String[] arguments) {
        Autoinit.init();
        var module = new SourceModule("""
            #include <pycuda-complex.hpp>
            __global__ void square(pycuda::complex<float> *z) { z[threadIdx.x] *= z[threadIdx.x]; }
            """);
        float[] z = {1, 2, 3, 4};
        module.function("square").launch(Driver.block(2), Driver.inOut(z));
        System.out.println(java.util.Arrays.toString(z));
    }
}
