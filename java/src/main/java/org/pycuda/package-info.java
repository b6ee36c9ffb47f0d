/**
 * Devices, contexts, memory, streams, kernels and arrays. {@link org.pycuda.Driver} has the functions of PyCUDA's {@code pycuda.driver};
 * {@link org.pycuda.Autoinit} creates the context that most programs need; {@link org.pycuda.GPUArray} is the array on the device.
 * Classes that own objects of the driver are {@link java.lang.AutoCloseable}.
 */
@NullMarked
package org.pycuda;

import org.jspecify.annotations.NullMarked;
