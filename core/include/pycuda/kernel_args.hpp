#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace pycuda {

/// One parameter of a kernel: where it stands in the parameter block and its size, in bytes.
struct KernelParameter {
    std::size_t offset;
    std::size_t size;
};

/// A kernel's parameter block as the driver reports it (cuFuncGetParamInfo, driver 12.4 or newer).
/// Not known on older drivers: then arguments are packed by C's natural alignment and not checked.
struct ParameterLayout {
    std::string kernel;  ///< its name, for messages
    bool known = false;
    std::vector<KernelParameter> parameters;
    std::size_t total = 0;
};

/// Largest parameter block of any device (CUDA 12.1 and newer, compute capability 7.0 and newer).
inline constexpr std::size_t max_parameter_bytes = 32764;

/// The largest alignment whose place in the block is the one that C gives it: the block itself begins at an address
/// that is aligned to no more, and drivers count offsets from there.
inline constexpr std::size_t c_alignment = 16;

/// Packs arguments into one block for CU_LAUNCH_PARAM_BUFFER_POINTER. Allocates nothing: writes into memory it is
/// given, which must hold max_parameter_bytes and be 16-byte aligned. Gaps are zeroed, so equal arguments give equal
/// bytes.
class ArgumentPacker {
public:
    ArgumentPacker(unsigned char* buffer, const ParameterLayout& layout) noexcept : buffer_(buffer), layout_(layout) {}

    /// Append one argument of `size` bytes. Where the layout is known, its offset decides and a different size, or an
    /// argument too many, raises ArgumentTypeError that names position, what was `given` and what the kernel wants.
    /// Otherwise it goes to the next multiple of `alignment`, or raises if that is above c_alignment.
    void append(const void* value, std::size_t size, std::size_t alignment, const char* given) {
        const std::size_t offset = place(size, alignment, given);
        if (size == 8)
            std::memcpy(buffer_ + offset, value, 8);
        else if (size == 4)
            std::memcpy(buffer_ + offset, value, 4);
        else
            std::memcpy(buffer_ + offset, value, size);
    }

    /// The block's size. ArgumentTypeError when the kernel wants more arguments.
    std::size_t finish() const {
        if (layout_.known && count_ != layout_.parameters.size()) [[unlikely]]
            raise_too_few();
        return end_;
    }
    std::size_t count() const noexcept { return count_; }

private:
    /// Where the next argument goes, with the gap before it zeroed and the argument counted.
    std::size_t place(std::size_t size, std::size_t alignment, const char* given) {
        std::size_t offset;
        if (layout_.known) {
            if (count_ >= layout_.parameters.size() || layout_.parameters[count_].size != size) [[unlikely]]
                raise_mismatch(size, given);
            offset = layout_.parameters[count_].offset;
        } else {
            if (alignment > c_alignment) [[unlikely]]
                raise_unknown_place(size, given);
            offset = (end_ + alignment - 1) / alignment * alignment;
            if (offset + size > max_parameter_bytes) [[unlikely]]
                raise_too_large(size, given);
        }
        for (; end_ < offset; ++end_) buffer_[end_] = 0;
        end_ = offset + size;
        ++count_;
        return offset;
    }
    [[noreturn]] void raise_mismatch(std::size_t size, const char* given) const;
    [[noreturn]] void raise_too_large(std::size_t size, const char* given) const;
    [[noreturn]] void raise_unknown_place(std::size_t size, const char* given) const;
    [[noreturn]] void raise_too_few() const;

    unsigned char* buffer_;
    const ParameterLayout& layout_;
    std::size_t end_ = 0;
    std::size_t count_ = 0;
};

/// This thread's block for packing: max_parameter_bytes bytes, 16-byte aligned. Valid until the thread ends; a caller
/// that packs while another pack on the same thread is unfinished needs memory of its own.
unsigned char* thread_argument_block() noexcept;

}  // namespace pycuda
