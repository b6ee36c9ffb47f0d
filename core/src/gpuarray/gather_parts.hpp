// What all kernels that move elements have in common: their keys, names and element types, and checks of their arrays.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

enum class Move : std::uint8_t { Take, Put, TakePut, TakeAxis, TakeAlong, Copies, Triangle, Nonzero, Compress, Expand };
inline constexpr const char* move_names[] = {"take",   "put",      "take_put", "take_axis", "take_along",
                                             "copies", "triangle", "nonzero",  "compress",  "expand"};

inline void check(const ArrayRef& array, const char* what) {
    if (!array.layout->is_c_contiguous())
        throw std::invalid_argument(std::string(what) + " must be C contiguous; copy it first");
    if (array.dtype != DType::Opaque) check_alignment(array);
}

inline void check_indices(const ArrayRef& indices) {
    check(indices, "indices");
    if (indices.dtype == DType::Opaque || !is_integer(indices.dtype))
        throw ArgumentTypeError(std::string("indices must be integers, not ") + name_of(indices.dtype));
}

inline void check_same_items(const ArrayRef& a, const ArrayRef& b) {
    if (a.layout->itemsize() == b.layout->itemsize() && a.dtype == b.dtype) return;
    throw std::invalid_argument(std::string("elements of ") + name_of(b.dtype) + " (" +
                                std::to_string(b.layout->itemsize()) + " bytes) cannot be moved to an array of " +
                                name_of(a.dtype) + " (" + std::to_string(a.layout->itemsize()) + " bytes)");
}

inline void check_sizes(std::int64_t given, std::int64_t wanted, const char* what) {
    if (given != wanted)
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) + " elements, but " +
                                    std::to_string(wanted) + " are needed");
}

/// The size of the C type for moving pieces of `nbytes`: the widest unit, up to `widest`, that these and both addresses
/// allow.
inline std::int64_t unit_of(std::int64_t nbytes, const ArrayRef& a, const ArrayRef& b, std::uint64_t widest = 8) {
    const std::uint64_t bits = static_cast<std::uint64_t>(nbytes) | a.address | b.address | widest;
    return static_cast<std::int64_t>(bits & (~bits + 1));
}

/// The same for elements.
inline std::int64_t unit_of(const ArrayRef& a, const ArrayRef& b) {
    return unit_of(a.layout->itemsize(), a, b);
}

inline std::string element_type(std::int64_t itemsize, std::int64_t unit) {
    static constexpr const char* units[] = {"unsigned char", "unsigned short", "unsigned", "unsigned long long",
                                            "ulonglong2"};
    return std::string("struct E {\n    ") + units[std::countr_zero(static_cast<unsigned>(unit))] + " word[" +
           std::to_string(itemsize / unit) + "];\n};\n";
}

inline KernelKey key_of(Move move, std::int64_t itemsize, std::int64_t unit, DType first, DType second) {
    if (itemsize >= 1 << 20)
        throw std::invalid_argument("structures of " + std::to_string(itemsize) +
                                    " bytes are too large to be gathered");
    return KernelFields(Family::Gather)
        .field<4>(static_cast<unsigned>(move))
        .field(first)
        .field(second)
        .field<5>(unit)
        .field<20>(itemsize);
}

inline std::string name_of_kernel(Move move, std::int64_t itemsize, DType index) {
    return std::string(move_names[static_cast<int>(move)]) + "_" + std::to_string(itemsize) + "bytes_" +
           info(index).short_name;
}

}  // namespace pycuda::gpuarray
