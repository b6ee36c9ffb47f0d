#pragma once

#include <cuda.h>

#include <array>
#include <vector>

#include "pycuda/modules/jit.hpp"

namespace pycuda {

/// Options of the JIT compiler and linker in the driver's form, with buffers for its two logs. Must outlive the driver
/// calls to which it is passed.
class JitOptions {
public:
    /// std::invalid_argument for an option that sets a log buffer: this class provides the buffers.
    explicit JitOptions(const std::vector<JitSetting>& settings);
    JitOptions(const JitOptions&) = delete;
    JitOptions& operator=(const JitOptions&) = delete;

    unsigned count() const noexcept { return static_cast<unsigned>(keys_.size()); }
    CUjit_option* keys() noexcept { return keys_.data(); }
    void** values() noexcept { return values_.data(); }

    /// The messages so far.
    JitLog log(bool success) const;

private:
    static constexpr std::size_t log_bytes = 32 * 1024;
    void add(CUjit_option key, std::size_t value);

    std::vector<CUjit_option> keys_;
    std::vector<void*> values_;
    std::vector<char> info_;
    std::vector<char> error_;
};

}  // namespace pycuda
