// The exported functions that the CPU device does not support. They do not include cuda.h on purpose: one body fits all
// of them, because in the C calling convention the caller removes the parameters.

namespace {
constexpr int not_supported = 801;  // CUDA_ERROR_NOT_SUPPORTED
}

#define IMPLEMENTED(symbol, base, version, stream)
#define NOT_SUPPORTED(symbol, base, version, stream) \
    extern "C" int symbol() {                        \
        return not_supported;                        \
    }
#include "exports.def"
