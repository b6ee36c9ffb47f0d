/** A program of one module. The module of the native libraries is found as a service. */
module sample {
    requires org.pycuda;
}
