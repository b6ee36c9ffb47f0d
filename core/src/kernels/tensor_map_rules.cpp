#include "kernels/tensor_map_rules.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace pycuda {
namespace {

using DType = TensorMapDataType;
using Swizzle = TensorMapSwizzle;
using Interleave = TensorMapInterleave;

constexpr std::size_t max_axes = 5;

struct Element {
    const char* name;
    unsigned bits;
};

/// Indexed by TensorMapDataType.
constexpr Element element_table[] = {{"uint8", 8},
                                     {"uint16", 16},
                                     {"uint32", 32},
                                     {"int32", 32},
                                     {"uint64", 64},
                                     {"int64", 64},
                                     {"float16", 16},
                                     {"float32", 32},
                                     {"float64", 64},
                                     {"bfloat16", 16},
                                     {"float32, denormals flushed", 32},
                                     {"tfloat32", 32},
                                     {"tfloat32, denormals flushed", 32},
                                     {"packed uint4", 4},
                                     {"uint4 with gaps", 4},
                                     {"uint6 with gaps", 6}};

void expect(bool holds, const std::string& expected, const std::string& given, const std::string& cure) {
    if (!holds) throw std::invalid_argument("TensorMap: expected " + expected + ", given " + given + "; " + cure);
}

template <class Enum>
void expect_member(const char* what, Enum value, int end) {
    const int number = static_cast<int>(value);
    expect(number >= 0 && number < end, std::string("a ") + what + " from 0 to " + std::to_string(end - 1),
           std::to_string(number), "take one of the constants");
}

bool has_gaps(DType dtype) {
    return dtype == DType::PACKED_16U4_ALIGN16B || dtype == DType::PACKED_16U6_ALIGN16B;
}

unsigned bits_of(DType dtype) {
    return element_table[static_cast<int>(dtype)].bits;
}

/// The span of a swizzle in bytes; 0 without swizzling.
std::int64_t span_of(Swizzle swizzle) {
    return swizzle == Swizzle::NONE ? 0 : 16 << std::min(static_cast<int>(swizzle), 3);
}

std::string given_bytes(std::int64_t elements, DType dtype) {
    return std::to_string(elements) + " elements of " + std::to_string(bits_of(dtype)) + " bits";
}

void check_swizzle(const TensorLayout& tensor) {
    if (tensor.interleave == Interleave::BYTES_32)
        expect(tensor.swizzle == Swizzle::BYTES_32, "swizzle BYTES_32 with interleave BYTES_32", "another",
               "change one of them");
    if (!has_gaps(tensor.dtype)) return;
    const bool six = tensor.dtype == DType::PACKED_16U6_ALIGN16B;
    const Swizzle s = tensor.swizzle;
    expect(s == Swizzle::NONE || s == Swizzle::BYTES_128 || s == Swizzle::BYTES_128_ATOM_32B ||
               (six && s == Swizzle::BYTES_128_ATOM_64B),
           std::string("swizzle NONE, BYTES_128") +
               (six ? ", BYTES_128_ATOM_32B or BYTES_128_ATOM_64B" : " or BYTES_128_ATOM_32B") + " of " +
               element_text(tensor.dtype),
           "swizzle " + std::to_string(static_cast<int>(s)), "take one of these");
    expect(!six || tensor.interleave == Interleave::NONE, "no interleave of uint6", "one", "leave it out");
}

}  // namespace

std::string element_text(DType dtype) {
    return element_table[static_cast<int>(dtype)].name;
}

std::string axes_text(const std::vector<std::int64_t>& numbers) {
    std::string text = "(";
    for (std::size_t n = 0; n < numbers.size(); ++n) text += (n ? ", " : "") + std::to_string(numbers[n]);
    return text + (numbers.size() == 1 ? ",)" : ")");
}

std::uint64_t tensor_alignment(const TensorLayout& tensor) {
    return tensor.interleave == Interleave::BYTES_32 || has_gaps(tensor.dtype) ? 32 : 16;
}

void check_tensor_address(DevicePtr address, std::uint64_t alignment) {
    const std::string multiple = std::to_string(alignment);
    expect(address % alignment == 0, "an address that is a multiple of " + multiple,
           std::to_string(address) + ", which leaves " + std::to_string(address % alignment),
           "describe the whole array, and let the kernel's coordinates begin where the view does");
}

DriverLayout::DriverLayout(const TensorLayout& given)
    : tensor(given), rank(static_cast<cuuint32_t>(given.shape.size())) {
    check_kind();
    const std::size_t axes = tensor.shape.size(), min = tensor.interleave == Interleave::NONE ? 1 : 3;
    expect(axes >= min && axes <= max_axes,
           std::to_string(min) + " to 5 axes" + (min == 3 ? " of an interleaved tensor" : ""),
           "shape " + axes_text(tensor.shape), "reshape the array");
    check_tensor_address(tensor.address, tensor_alignment(tensor));
    sizes = numbers<cuuint64_t>("shape", tensor.shape, axes, 1, std::int64_t{1} << 32);
    const std::int64_t inner = tensor.shape.back();
    const std::int64_t multiple = has_gaps(tensor.dtype) ? 128 : tensor.dtype == DType::PACKED_16U4_ALIGN8B ? 2 : 1;
    expect(inner % multiple == 0, "a multiple of " + std::to_string(multiple) + " elements along the last axis",
           std::to_string(inner), "pad the rows");
    set_strides();
    std::vector<std::int64_t> all = tensor.element_steps;
    if (all.empty()) all.assign(axes, 1);
    steps = numbers<cuuint32_t>("element_strides", all, axes, 1, 8);
    check_swizzle(tensor);
}

void DriverLayout::check_kind() const {
    expect_member("tensor_map_data_type", tensor.dtype, static_cast<int>(std::size(element_table)));
    expect_member("tensor_map_interleave", tensor.interleave, 3);
    expect_member("tensor_map_swizzle", tensor.swizzle, 7);
    expect_member("tensor_map_l2_promotion", tensor.l2_promotion, 4);
    expect_member("tensor_map_fill", tensor.fill, 2);
    const bool floating = tensor.dtype >= DType::FLOAT16 && tensor.dtype <= DType::TFLOAT32_FTZ;
    expect(tensor.fill == TensorMapFill::NONE || floating, "fill NONE (zeros) of integers",
           "fill NAN_REQUEST_ZERO_FMA of " + element_text(tensor.dtype),
           "leave fill out, or take a floating-point dtype");
}

void DriverLayout::set_strides() {
    const std::size_t axes = tensor.shape.size();
    const auto multiple = static_cast<std::int64_t>(tensor_alignment(tensor));
    constexpr std::int64_t max = (std::int64_t{1} << 40) - 1;
    std::vector<std::int64_t> bytes = tensor.strides;
    if (bytes.empty()) {
        std::int64_t step = tensor.shape.back() * bits_of(tensor.dtype) / 8;
        for (std::size_t axis = axes; axis-- > 1;) {
            expect(step <= max, "strides of less than 2^40 bytes", "shape " + axes_text(tensor.shape) + " in C order",
                   "describe a part of it");
            bytes.insert(bytes.begin(), step);
            step = step > max / tensor.shape[axis - 1] ? max + 1 : step * tensor.shape[axis - 1];
        }
    }
    strides = numbers<cuuint64_t>("strides", bytes, axes - 1, 0, max);
    strides.reserve(1);  // of one axis there are none, but the driver refuses a null pointer
    const std::string expected = "strides that are multiples of " + std::to_string(multiple) + " bytes";
    for (const std::int64_t stride : bytes)
        expect(stride % multiple == 0, expected, axes_text(bytes), "pad the rows (mem_alloc_pitch does)");
    for (std::size_t d = 1; d < strides.size(); ++d)
        if (strides[d] / sizes[d] < strides[d - 1])
            doubt = "strides " + axes_text(bytes) + " do not grow with the axes";
}

template <class Number>
std::vector<Number> DriverLayout::numbers(const char* what, const std::vector<std::int64_t>& given, std::size_t count,
                                          std::int64_t min, std::int64_t max) const {
    expect(given.size() == count,
           std::string(what) + " with " + std::to_string(count) + " numbers for shape " + axes_text(tensor.shape),
           axes_text(given), "give one for each");
    std::vector<Number> out;
    for (const std::int64_t number : given) {
        expect(number >= min && number <= max,
               std::string(what) + " from " + std::to_string(min) + " to " + std::to_string(max), axes_text(given),
               "correct it");
        out.insert(out.begin(), static_cast<Number>(number));
    }
    return out;
}
template std::vector<cuuint32_t> DriverLayout::numbers(const char*, const std::vector<std::int64_t>&, std::size_t,
                                                       std::int64_t, std::int64_t) const;
template std::vector<int> DriverLayout::numbers(const char*, const std::vector<std::int64_t>&, std::size_t,
                                                std::int64_t, std::int64_t) const;

void DriverLayout::check_inner(const char* what, std::int64_t count) const {
    if (has_gaps(tensor.dtype))
        expect(count == 128, std::string("128 ") + what + " of " + element_text(tensor.dtype), std::to_string(count),
               "take 128");
    const std::int64_t span = span_of(tensor.swizzle);
    if (tensor.interleave != Interleave::NONE || span == 0) return;
    expect(count * bits_of(tensor.dtype) <= span * 8,
           std::string(what) + " of at most " + std::to_string(span) + " bytes with this swizzle",
           given_bytes(count, tensor.dtype), "take fewer, or a wider swizzle");
}

void DriverLayout::check_tile(const std::vector<std::int64_t>& box) const {
    if (tensor.interleave == Interleave::NONE)
        expect(box.back() * bits_of(tensor.dtype) % 128 == 0, "a multiple of 16 bytes along the last axis of the box",
               given_bytes(box.back(), tensor.dtype), "make the box wider or narrower");
    check_inner("elements along the last axis of the box", box.back());
}

void DriverLayout::check_pixels(std::int64_t channels, std::int64_t pixels) const {
    expect(tensor.shape.size() >= 3, "3 to 5 axes (N, D, H, W, C without D or H if there is none)",
           "shape " + axes_text(tensor.shape), "reshape the array");
    expect(channels >= 1 && channels <= 256, "1 to 256 channels per pixel", std::to_string(channels), "copy in parts");
    expect(pixels >= 1 && pixels <= 1024, "1 to 1024 pixels per column", std::to_string(pixels), "copy in parts");
    check_inner("channels per pixel", channels);
}

void DriverLayout::check_wide() const {
    const Swizzle s = tensor.swizzle;
    const bool narrow = s == Swizzle::BYTES_64 && !has_gaps(tensor.dtype);
    expect(narrow || s == Swizzle::BYTES_128 || s == Swizzle::BYTES_128_ATOM_32B,
           "swizzle BYTES_64, BYTES_128 or BYTES_128_ATOM_32B of a wide map (without the first for elements with gaps)",
           "swizzle " + std::to_string(static_cast<int>(s)), "take one of these");
}

}  // namespace pycuda
