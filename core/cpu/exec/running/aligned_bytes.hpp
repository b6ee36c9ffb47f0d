#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace cpu::exec {

/// Bytes on a 64-byte boundary, not initialised.
class AlignedBytes {
public:
    AlignedBytes() = default;
    explicit AlignedBytes(std::size_t size)
        : data_(static_cast<std::byte*>(
              std::aligned_alloc(alignment, (size + 2 * alignment - 1) / alignment * alignment))) {
        if (!data_) throw std::bad_alloc();
    }
    /// Of bytes that release() gave.
    explicit AlignedBytes(std::byte* data) noexcept : data_(data) {}
    std::byte* get() const noexcept { return data_.get(); }
    std::byte* release() noexcept { return data_.release(); }

private:
    static constexpr std::size_t alignment = 256;
    struct Free {
        void operator()(std::byte* p) const noexcept { std::free(p); }
    };
    std::unique_ptr<std::byte, Free> data_;
};

}  // namespace cpu::exec
