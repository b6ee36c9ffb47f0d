/** From CUDA C++ text to modules: {@link org.pycuda.compiler.SourceModule}, with a cache on disk, and a linker. */
package org.pycuda.compiler;
