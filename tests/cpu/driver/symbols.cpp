// The driver's C ABI for the tests that speak it: every symbol of exports.def jumps into the library that PYCUDA_DRIVER
// names, so that one executable runs on the CPU device and, with PYCUDA_DRIVER=cuda, on the driver of a GPU.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "driver/symbols.hpp"

namespace {

void* open_driver() {
    const char* driver = std::getenv("PYCUDA_DRIVER");
    const char* path = std::getenv("PYCUDA_CPU_LIBRARY");
    if (!path) path = PYCUDA_CPU_LIBRARY;
    if (driver && std::strcmp(driver, "cuda") == 0) path = "libcuda.so.1";
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "no driver: %s\n", dlerror());
    return library;
}

/// Stands for a function that the driver lacks: CUDA_ERROR_NOT_FOUND.
int missing() {
    return 500;
}

void* resolve(const char* name) {
    void* symbol = driver_symbol(name);
    return symbol ? symbol : reinterpret_cast<void*>(missing);
}

}  // namespace

void* driver_symbol(const char* name) {
    static void* const library = open_driver();  // stays open: drivers may crash when unloaded
    return library ? dlsym(library, name) : nullptr;
}

#if defined(__x86_64__)
#define JUMP(slot) "jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(slot) "adrp x16, " slot "\nldr x16, [x16, :lo12:" slot "]\nbr x16\n"
#endif

// Arguments of any signature are passed on untouched, which only a jump can do.
#define IMPLEMENTED(symbol, ...)                                                         \
    extern "C" {                                                                         \
    [[gnu::visibility("hidden"), gnu::used]] void* slot_of_##symbol = resolve(#symbol);  \
    }                                                                                    \
    asm(".pushsection .text\n.globl " #symbol "\n.type " #symbol ", @function\n" #symbol \
        ":\n" JUMP("slot_of_" #symbol) ".popsection");
#define NOT_SUPPORTED IMPLEMENTED
#include "exports.def"
