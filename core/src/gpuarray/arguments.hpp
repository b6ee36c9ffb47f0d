#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pycuda/gpuarray/dtype.hpp"

namespace pycuda::gpuarray {

/// A kernel's block of arguments, laid out as in C; on the stack. Large enough for every kernel of the engine.
class Arguments {
public:
    template <class T>
    void add(const T& value) noexcept {
        add(&value, sizeof value, alignof(T));
    }
    void add(const void* value, std::size_t size, std::size_t alignment) noexcept {
        size_ = (size_ + alignment - 1) / alignment * alignment;
        std::memcpy(bytes_ + size_, value, size);
        size_ += size;
    }
    /// Reserves space for a value that is written in place.
    void* reserve(std::size_t size, std::size_t alignment) noexcept {
        size_ = (size_ + alignment - 1) / alignment * alignment;
        void* bytes = bytes_ + size_;
        size_ += size;
        return bytes;
    }
    /// Pad to the end of a structure of this alignment.
    void pad(std::size_t alignment) noexcept { reserve(0, alignment); }
    const void* data() const noexcept { return bytes_; }
    std::size_t size() const noexcept { return size_; }

private:
    alignas(16) unsigned char bytes_[1536];
    std::size_t size_ = 0;
};

/// Adds `scalar` as a parameter of an operation that computes in `dtype`.
void add_scalar(Arguments& arguments, const Scalar& scalar, DType dtype);

/// A divisor below 2^31, by which device code divides with a multiplication (pycuda-arrays.hpp).
struct Divisor {
    std::uint32_t size, factor, shift;
    explicit Divisor(std::uint64_t divisor = 1) noexcept;
};

/// The same for divisors below 2^63.
struct WideDivisor {
    std::uint64_t size, factor, shift;
    explicit WideDivisor(std::uint64_t divisor = 1) noexcept;
};

}  // namespace pycuda::gpuarray
