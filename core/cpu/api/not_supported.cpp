// The exported functions that the CPU device does not support. cuda.h is left out on purpose: all these bodies are the
// same whatever their parameters, which in the C calling convention the caller cleans up.

namespace {
constexpr int not_supported = 801;  // CUDA_ERROR_NOT_SUPPORTED
}

#define IMPLEMENTED(symbol, base, version, stream)
#define NOT_SUPPORTED(symbol, base, version, stream) \
    extern "C" int symbol() {                        \
        return not_supported;                        \
    }
#include "exports.def"
