#pragma once

#include "state/modules/jit_options.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <string>
#include <string_view>
#include <vector>

namespace cpu::state {

/// Joins PTX texts into one, as a linker joins objects: a declaration `.extern` in one is met by the definition in
/// another. The result is PTX text, which the loader takes where a real driver has machine code.
class Linker {
public:
    explicit Linker(const JitOptions& options) : options_(options) {}

    /// Adds text, or a fat binary that holds some. A library of machine code is taken, and of no use. Throws
    /// CUDA_ERROR_INVALID_IMAGE for what is no PTX, CUDA_ERROR_NO_BINARY_FOR_GPU for machine code,
    /// CUDA_ERROR_INVALID_VALUE for an unknown type or after complete.
    void add(CUjitInputType type, const void* data, std::size_t size, std::string_view name);
    void add_file(CUjitInputType type, const char* path);
    /// The linked text with its NUL; it lives as long as the linker. Throws CUDA_ERROR_INVALID_HANDLE the second time
    /// and exec::LoadError, which is in the error log too, for a text that does not load.
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
