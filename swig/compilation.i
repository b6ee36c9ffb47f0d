// The part of the compiler layer that both languages wrap. Included by a language's module file after core.i.
PYCUDA_HEADER(compiler/compiler)
PYCUDA_HEADER(compiler/cache)
PYCUDA_HEADER(toolchain/toolchain)
PYCUDA_HEADER(reports/report)
