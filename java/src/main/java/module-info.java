/** CUDA for Java: devices, memory, kernels compiled at run time; on a GPU or, where there is none, on the CPU device. */
module org.pycuda {
    exports org.pycuda;
    exports org.pycuda.compiler;
    exports org.pycuda.spi;

    requires static jdk.jfr;
    requires static org.jspecify;

    uses org.pycuda.spi.NativeBundle;
}
