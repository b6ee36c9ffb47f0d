/**
 * CUDA for Java: the driver's objects, kernels that are compiled at run time, and arrays on the device. Without a GPU, programs run on the CPU
 * device.
 *
 * <ol>
 * <li>{@link org.pycuda.Autoinit} creates the context that most programs need; {@link org.pycuda.Device} and {@link org.pycuda.Context} give
 * control over it.
 * <li>{@link org.pycuda.compiler.SourceModule} compiles CUDA C++, and {@link org.pycuda.Function} or {@link org.pycuda.TypedKernel} launches it
 * with a {@link org.pycuda.LaunchConfig}.
 * <li>{@link org.pycuda.Driver} allocates, fills and copies; {@link org.pycuda.Memory}, {@link org.pycuda.Copies}, {@link org.pycuda.Fills} and
 * {@link org.pycuda.Textures} have what is needed more rarely.
 * <li>{@link org.pycuda.HostData} is host data with a type and a shape: arrays, buffers, segments, records.
 * <li>{@link org.pycuda.PinnedMemory}, {@link org.pycuda.ManagedMemory} and {@link org.pycuda.AlignedMemory} allocate host memory.
 * <li>{@link org.pycuda.GPUArray} is an array, with NumPy's operations; {@link org.pycuda.CuMath}, {@link org.pycuda.LinAlg},
 * {@link org.pycuda.Fft} and {@link org.pycuda.CuRandom} have more of them, and {@link org.pycuda.ElementwiseKernel} custom ones.
 * <li>{@link org.pycuda.Stream} and {@link org.pycuda.Event} order work; {@link org.pycuda.Graph} is work that is launched as a whole.
 * <li>Objects that own something are {@link java.lang.AutoCloseable}; what is forgotten is freed when it is unreachable.
 * <li>Failures are {@link org.pycuda.Driver.Error}s, which say what to do.
 * </ol>
 *
 * <pre>{@code
 * Autoinit.init();
 * var twice = new SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").function("twice");
 * float[] x = {1, 2, 3};
 * twice.launch(Driver.block(3), Driver.inOut(x));
 * assert GPUArray.toGpu(x).sum().getFloat() == 12;
 * }</pre>
 */
@NullMarked
package org.pycuda;

import org.jspecify.annotations.NullMarked;
