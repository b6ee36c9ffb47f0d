#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace pycuda {

/// One parameter of a kernel: its offset in the parameter block and its size, in bytes.
struct KernelParameter {
    std::size_t offset;
    std::size_t size;
};

/// A kernel's parameter block as the driver reports it (cuFuncGetParamInfo, driver 12.4 or newer).
/// Unknown with older drivers: arguments are then packed by C's natural alignment and not checked.
struct ParameterLayout {
    std::string kernel;  ///< its name, for messages
    bool known = false;
    std::vector<KernelParameter> parameters;
    std::size_t total = 0;
};

/// Largest parameter block of any device (CUDA 12.1 and newer, compute capability 7.0 and newer).
inline constexpr std::size_t max_parameter_bytes = 32764;

/// The largest alignment for which offsets follow C's rule: the block itself is not aligned
/// to more, and drivers count offsets from its start.
inline constexpr std::size_t c_alignment = 16;

/// Where C puts an argument with this alignment, after others that take `end` bytes.
constexpr std::size_t natural_offset(std::size_t end, std::size_t alignment) noexcept {
    return (end + alignment - 1) / alignment * alignment;
}

/// Packs arguments into one block for CU_LAUNCH_PARAM_BUFFER_POINTER. Allocates nothing: the caller's memory
/// must hold max_parameter_bytes and be 16-byte aligned. Gaps are zeroed, so equal arguments give
/// equal bytes.
class ArgumentPacker {
public:
    ArgumentPacker(unsigned char* buffer, const ParameterLayout& layout) noexcept : buffer_(buffer), layout_(layout) {}

    /// Append one argument of `size` bytes. If the layout is known, it determines the offset; a wrong size or an extra
    /// argument raises an ArgumentTypeError that names the position, what was `given` and what the kernel
    /// expects. Otherwise the argument goes to the next multiple of `alignment`; an alignment above c_alignment raises.
    void append(const void* value, std::size_t size, std::size_t alignment, const char* given) {
        const std::size_t offset = offset_for(size, alignment, given);
        if (size == 8)
            std::memcpy(buffer_ + offset, value, 8);
        else if (size == 4)
            std::memcpy(buffer_ + offset, value, 4);
        else
            std::memcpy(buffer_ + offset, value, size);
    }

    /// The block's size. ArgumentTypeError if arguments are missing.
    std::size_t finish() const {
        if (layout_.known && count_ != layout_.parameters.size()) [[unlikely]]
            raise_too_few();
        return end_;
    }
    std::size_t count() const noexcept { return count_; }

private:
    /// Return the offset of the next argument, zero the gap before it and count the argument.
    std::size_t offset_for(std::size_t size, std::size_t alignment, const char* given) {
        std::size_t offset;
        if (layout_.known) {
            if (count_ >= layout_.parameters.size() || layout_.parameters[count_].size != size) [[unlikely]]
                raise_mismatch(size, given);
            offset = layout_.parameters[count_].offset;
        } else {
            if (alignment > c_alignment) [[unlikely]]
                raise_unknown_offset(size, given);
            offset = natural_offset(end_, alignment);
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
    [[noreturn]] void raise_unknown_offset(std::size_t size, const char* given) const;
    [[noreturn]] void raise_too_few() const;

    unsigned char* buffer_;
    const ParameterLayout& layout_;
    std::size_t end_ = 0;
    std::size_t count_ = 0;
};

/// This thread's block for packing: max_parameter_bytes bytes, 16-byte aligned. Valid until the thread ends. A
/// caller that packs during another pack on the same thread needs separate memory.
unsigned char* thread_argument_block() noexcept;

}  // namespace pycuda
