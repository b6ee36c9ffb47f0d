/**
 * Devices, contexts, memory, streams, kernels and arrays. {@link org.pycuda.Driver} has what PyCUDA has as functions of
 * {@code pycuda.driver}; {@link org.pycuda.Autoinit} creates the context that most programs need; {@link org.pycuda.GPUArray} computes.
 * Classes that own objects of the driver are {@link java.lang.AutoCloseable}.
 */
package org.pycuda;
