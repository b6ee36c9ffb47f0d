/** From CUDA C++ text to modules: {@link org.pycuda.compiler.SourceModule}, with a cache on disk, and a linker. */
@NullMarked
package org.pycuda.compiler;

import org.jspecify.annotations.NullMarked;
