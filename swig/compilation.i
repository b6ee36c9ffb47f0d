// The compiler layer: what both languages wrap of it. Included by a language's module file after core.i.
PYCUDA_HEADER(compiler/compiler)
PYCUDA_HEADER(compiler/cache)
PYCUDA_HEADER(compiler/toolchain)
PYCUDA_HEADER(report)
