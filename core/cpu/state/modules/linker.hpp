#pragma once

#include "state/modules/jit_options.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <string>
#include <string_view>
#include <vector>

namespace cpu::state {

/// Combines PTX texts into one, as a linker combines object files: the definition in one text resolves an `.extern`
/// declaration in another. The result is PTX text, which the loader accepts in place of a real driver's machine code.
class Linker {
public:
    explicit Linker(const JitOptions& options) : options_(options) {}

    /// Adds text, or a fat binary that contains text. A library of machine code is accepted and ignored. Throws
    /// CUDA_ERROR_INVALID_IMAGE for anything but PTX, CUDA_ERROR_NO_BINARY_FOR_GPU for machine code,
    /// CUDA_ERROR_INVALID_VALUE for an unknown type or after complete.
    void add(CUjitInputType type, const void* data, std::size_t size, std::string_view name);
    void add_file(CUjitInputType type, const char* path);
    /// The linked text with its NUL; it lives as long as the linker. Throws CUDA_ERROR_INVALID_HANDLE the second time,
    /// and for text that cannot be loaded an exec::LoadError, which is also written to the error log.
    const std::string& complete();

private:
    JitOptions options_;
    std::vector<std::string> inputs_;
    std::string output_;
    bool complete_ = false;
};

inline Registry<Linker, CUlinkState>& linkers() {
    return registry<Linker, CUlinkState>();
}

}  // namespace cpu::state
