/**
 * Devices, contexts, memory, streams, kernels and arrays. {@link org.pycuda.Driver} has what PyCUDA has as functions of
 * {@code pycuda.driver}; {@link org.pycuda.Autoinit} makes the context that most programs want; {@link org.pycuda.GPUArray} computes.
 * What owns something of the driver's is {@link java.lang.AutoCloseable}.
 */
package org.pycuda;
