#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "pycuda/gpuarray/operation.hpp"

namespace pycuda::gpuarray {

/// A family of kernels. Each has its own fields in the keys of its kernels.
enum class Family : std::uint8_t {
    Elementwise = 1,
    Reduction,
    Scan,
    Gather,
    Sort,
    Matmul,
    Random,
    Prepared,
    Condition,
    Linear,
    Fourier,
    Counting,
    Update,
    Fused
};

/// The number of values of a field of this type; 0 if undeclared.
template <class T>
inline constexpr unsigned values_of = 0;
template <>
inline constexpr unsigned values_of<bool> = 2;
template <>
inline constexpr unsigned values_of<DType> = dtype_count + 1;
template <>
inline constexpr unsigned values_of<Op> = op_count;

/// The key of a kernel: never 0.
struct KernelKey {
    std::uint64_t bits;
};

/// Builds a key: KernelFields(Family::Scan).field(op).field<4>(rank). Widths follow from the types of the
/// fields; a key of more than 64 bits does not compile.
template <unsigned used = 4>
class KernelFields {
public:
    explicit constexpr KernelFields(Family family) : bits_(static_cast<std::uint64_t>(family)) {
        static_assert(used == 4);
    }
    constexpr operator KernelKey() const { return {bits_}; }

    /// A number of `width` bits. std::out_of_range for a larger one.
    template <unsigned width>
    constexpr KernelFields<used + width> field(std::integral auto value) const {
        static_assert(used + width <= 64, "the fields of this family need more than 64 bits");
        if (static_cast<std::uint64_t>(value) >> width) [[unlikely]]
            throw std::out_of_range("a kernel's key has no room for such a number");
        return {bits_ | static_cast<std::uint64_t>(value) << used, KernelFields<used + width>::made};
    }
    /// A bool, or a value of an enumeration with values_of.
    template <class T>
        requires(values_of<T> != 0)
    constexpr auto field(T value) const {
        constexpr unsigned width = std::bit_width(values_of<T> - 1);
        static_assert(used + width <= 64, "the fields of this family need more than 64 bits");
        return KernelFields<used + width>{bits_ | static_cast<std::uint64_t>(value) << used,
                                          KernelFields<used + width>::made};
    }

private:
    template <unsigned>
    friend class KernelFields;
    enum Made { made };
    constexpr KernelFields(std::uint64_t bits, Made) : bits_(bits) {}

    std::uint64_t bits_;
};
KernelFields(Family) -> KernelFields<4>;

}  // namespace pycuda::gpuarray
