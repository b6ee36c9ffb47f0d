/** The native libraries of PyCUDA for Linux on x86-64. */
module org.pycuda.natives.linux.x64 {
    requires org.pycuda;

    provides org.pycuda.spi.NativeBundle with org.pycuda.natives.linux.x64.Libraries;
}
