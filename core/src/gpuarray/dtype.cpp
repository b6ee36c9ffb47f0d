#include "pycuda/gpuarray/dtype.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace pycuda::gpuarray {
namespace {

/// Where long has 32 bits, as in Windows's C and in kernels there, the type of 64 bits is long long.
constexpr bool long_is_wide = sizeof(long) == 8;

constexpr char code_here(char code) {
    return long_is_wide ? code : code == 'l' ? 'q' : code == 'L' ? 'Q' : code;
}

constexpr const char* c_name_here(const char* name) {
    if (long_is_wide) return name;
    const std::string_view given = name;
    return given == "long" ? "long long" : given == "unsigned long" ? "unsigned long long" : name;
}

constexpr DTypeInfo dtype_infos[dtype_count] = {
#define X(name, code, c_name, short_name, kind, size) \
    {DType::name, code_here(code), c_name_here(c_name), short_name, DTypeKind::kind, size},
#include "pycuda/gpuarray/dtypes.def"
#undef X
};

/// promotions[a][b] is the code of promote(a, b).
constexpr char promotions[dtype_count][dtype_count + 1] = {
    "?bBhHiIlLeEfdFD",  // ?
    "bbhhiilldeEfdFD",  // b
    "BhBhHiIlLeEfdFD",  // B
    "hhhhiilldfffdFD",  // h
    "HiHiHiIlLfffdFD",  // H
    "iiiiiilldddddDD",  // i
    "IlIlIlIlLddddDD",  // I
    "lllllllldddddDD",  // l
    "LdLdLdLdLddddDD",  // L
    "eeeffddddeffdFD",  // e
    "EEEffddddfEfdFD",  // E
    "fffffddddfffdFD",  // f
    "dddddddddddddDD",  // d
    "FFFFFDDDDFFFDFD",  // F
    "DDDDDDDDDDDDDDD",  // D
};

constexpr const char* dtype_names[dtype_count] = {"bool",     "int8",    "uint8",   "int16",     "uint16",
                                                  "int32",    "uint32",  "int64",   "uint64",    "float16",
                                                  "bfloat16", "float32", "float64", "complex64", "complex128"};

std::size_t index_of(DType dtype) {
    const auto index = static_cast<std::size_t>(dtype);
    if (index >= dtype_count)
        throw std::invalid_argument("arithmetic is not defined for structures; use an ElementwiseKernel");
    return index;
}

template <class T>
void put(void* out, T value) noexcept {
    std::memcpy(out, &value, sizeof value);
}

/// Rounds the magnitude of `bits`, a positive double, to a format with `exponent_bits` and `mantissa_bits`.
std::uint32_t narrow(std::uint64_t bits, int exponent_bits, int mantissa_bits) noexcept {
    const std::uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(bits >> 52);
    const std::uint64_t mantissa = bits & ((1ull << 52) - 1);
    if (exponent == 0x7ff) return mantissa ? infinity | 1u << (mantissa_bits - 1) : infinity;
    const int target = exponent - 1023 + bias;
    int shift = 52 - mantissa_bits;
    std::uint64_t value = mantissa;
    if (target > 0) {
        value |= static_cast<std::uint64_t>(target) << 52;
    } else {
        if (exponent == 0) return 0;
        shift += 1 - target;
        if (shift > 54) return 0;
        value |= 1ull << 52;
    }
    const std::uint64_t half = 1ull << (shift - 1);
    const std::uint64_t rest = value & (2 * half - 1);
    std::uint64_t kept = value >> shift;
    if (rest > half || (rest == half && (kept & 1))) ++kept;
    return kept >= infinity ? infinity : static_cast<std::uint32_t>(kept);
}

double widen(std::uint32_t bits, int exponent_bits, int mantissa_bits) noexcept {
    const std::uint32_t all = (1u << exponent_bits) - 1;
    const std::uint32_t exponent = bits >> mantissa_bits & all;
    const double mantissa = bits & ((1u << mantissa_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    double value;
    if (exponent == all)
        value = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
        value = std::ldexp(mantissa, 1 - bias - mantissa_bits);
    else
        value = std::ldexp(mantissa + (1u << mantissa_bits), static_cast<int>(exponent) - bias - mantissa_bits);
    return bits >> (exponent_bits + mantissa_bits) ? -value : value;
}

std::uint16_t narrow_signed(double value, int exponent_bits, int mantissa_bits) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return static_cast<std::uint16_t>(bits >> 63 << 15 | narrow(bits & ~(1ull << 63), exponent_bits, mantissa_bits));
}

/// A number as an integer's bits. Out-of-range values saturate, so that results agree on every machine.
std::int64_t to_integer(double value, bool is_unsigned) noexcept {
    if (std::isnan(value)) return 0;
    if (is_unsigned && value >= 9223372036854775808.0)
        return value >= 18446744073709551616.0 ? -1 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
    if (value >= 9223372036854775808.0) return std::numeric_limits<std::int64_t>::max();
    if (value <= -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(value);
}

template <class T>
T load(const void* bytes) noexcept {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

}  // namespace

const DTypeInfo& info(DType dtype) {
    return dtype_infos[index_of(dtype)];
}

DType dtype_of_code(char code) {
    // The two of NumPy's integer types that have a twin of the same size here, each before its twin.
    constexpr std::string_view twins = long_is_wide ? "qlQL" : "liLI";
    for (std::size_t k = 0; k < twins.size(); k += 2)
        if (code == twins[k]) return dtype_of_code(twins[k + 1]);
    for (const DTypeInfo& row : dtype_infos)
        if (row.code == code) return row.dtype;
    throw std::invalid_argument(std::string("unknown element type code '") + code + "'");
}

const char* name_of(DType dtype) {
    return dtype == DType::Opaque ? "a structure" : dtype_names[index_of(dtype)];
}

DType real_part(DType dtype) {
    if (dtype == DType::Complex64) return DType::Float32;
    if (dtype == DType::Complex128) return DType::Float64;
    return dtype;
}

DType promote(DType a, DType b) {
    if (a == b) return a;
    return dtype_of_code(code_here(promotions[index_of(a)][index_of(b)]));
}

bool keeps_kind(DType from, DType to) {
    const DTypeKind a = info(from).kind, b = info(to).kind;
    if (b == DTypeKind::Signed || b == DTypeKind::Unsigned)
        return a == b || a == DTypeKind::Bool || (a == DTypeKind::Unsigned && b == DTypeKind::Signed);
    return a <= b;
}

DType floating_for(DType dtype) {
    const DTypeInfo& row = info(dtype);
    if (row.kind == DTypeKind::Floating || row.kind == DTypeKind::Complex) return dtype;
    return row.size == 1 ? DType::Float16 : row.size == 2 ? DType::Float32 : DType::Float64;
}

Scalar Scalar::typed(DType dtype, const void* bytes) {
    const auto whole = [&](auto value) {
        using T = decltype(value);
        return Scalar(dtype, false, static_cast<std::int64_t>(value), std::is_same_v<T, std::uint64_t>);
    };
    const auto number = [&](std::complex<double> value) { return Scalar(dtype, false, value); };
    switch (dtype) {
        case DType::Bool:
            return whole(load<std::uint8_t>(bytes) != 0);
        case DType::Int8:
            return whole(load<std::int8_t>(bytes));
        case DType::UInt8:
            return whole(load<std::uint8_t>(bytes));
        case DType::Int16:
            return whole(load<std::int16_t>(bytes));
        case DType::UInt16:
            return whole(load<std::uint16_t>(bytes));
        case DType::Int32:
            return whole(load<std::int32_t>(bytes));
        case DType::UInt32:
            return whole(load<std::uint32_t>(bytes));
        case DType::Int64:
            return whole(load<std::int64_t>(bytes));
        case DType::UInt64:
            return whole(load<std::uint64_t>(bytes));
        case DType::Float16:
            return number(float16_value(load<std::uint16_t>(bytes)));
        case DType::BFloat16:
            return number(bfloat16_value(load<std::uint16_t>(bytes)));
        case DType::Float32:
            return number(load<float>(bytes));
        case DType::Float64:
            return number(load<double>(bytes));
        case DType::Complex64:
            return number(load<std::complex<float>>(bytes));
        case DType::Complex128:
            return number(load<std::complex<double>>(bytes));
        case DType::Opaque:
            break;
    }
    throw std::invalid_argument("a scalar operand must be a number");
}

DType Scalar::result_type(DType array) const {
    if (!weak_) return promote(array, dtype_);
    const DTypeKind mine = info(dtype_).kind, theirs = info(array).kind;
    switch (mine) {
        case DTypeKind::Bool:
            return array;
        case DTypeKind::Signed:
        case DTypeKind::Unsigned:
            return theirs == DTypeKind::Bool ? DType::Int64 : array;
        case DTypeKind::Floating:
            return theirs == DTypeKind::Floating || theirs == DTypeKind::Complex ? array : DType::Float64;
        case DTypeKind::Complex:
            break;
    }
    if (theirs == DTypeKind::Complex) return array;
    return theirs == DTypeKind::Floating && array != DType::Float64 ? DType::Complex64 : DType::Complex128;
}

void Scalar::store(DType dtype, void* out) const noexcept {
    const std::complex<double> value = !whole_     ? number_
                                       : unsigned_ ? double(static_cast<std::uint64_t>(integer_))
                                                   : double(integer_);
    const std::int64_t bits = whole_ ? integer_ : to_integer(value.real(), dtype == DType::UInt64);
    switch (dtype) {
        case DType::Bool:
            return put(out, whole_ ? integer_ != 0 : value != 0.0);
        case DType::Int8:
        case DType::UInt8:
            return put(out, static_cast<std::uint8_t>(bits));
        case DType::Int16:
        case DType::UInt16:
            return put(out, static_cast<std::uint16_t>(bits));
        case DType::Int32:
        case DType::UInt32:
            return put(out, static_cast<std::uint32_t>(bits));
        case DType::Int64:
        case DType::UInt64:
            return put(out, bits);
        case DType::Float16:
            return put(out, float16_bits(value.real()));
        case DType::BFloat16:
            return put(out, bfloat16_bits(value.real()));
        case DType::Float32:
            return put(out, static_cast<float>(value.real()));
        case DType::Float64:
            return put(out, value.real());
        case DType::Complex64:
            return put(out, std::complex<float>(value));
        case DType::Complex128:
            return put(out, value);
        case DType::Opaque:
            break;
    }
}

bool Scalar::fits(DType dtype) const noexcept {
    const DTypeKind mine = dtype_infos[static_cast<std::size_t>(dtype_)].kind;
    if (dtype == DType::Opaque || (mine != DTypeKind::Signed && mine != DTypeKind::Unsigned)) return true;
    const DTypeInfo& row = dtype_infos[static_cast<std::size_t>(dtype)];
    if (!whole_) return row.kind != DTypeKind::Signed && row.kind != DTypeKind::Unsigned;  // weak_huge()
    const bool huge = unsigned_ && integer_ < 0;                                           // beyond int64
    const int bits = 8 * row.size;
    if (row.kind == DTypeKind::Unsigned) {
        if (huge) return bits == 64;
        return integer_ >= 0 && (bits == 64 || integer_ >> bits == 0);
    }
    if (row.kind != DTypeKind::Signed) return true;
    if (huge) return false;
    return bits == 64 || (integer_ >= -(1ll << (bits - 1)) && integer_ < 1ll << (bits - 1));
}

bool Scalar::stores_as_device(DType dtype) const noexcept {
    const DTypeKind to = info(dtype).kind;
    if (is_complex(dtype_) || to == DTypeKind::Complex) return false;
    if (!whole_) return to == DTypeKind::Floating && dtype != DType::BFloat16;  // device code converts through float
    constexpr std::int64_t exact = 1 << 24;  // exact in every floating type except 16-bit ones
    return to != DTypeKind::Floating || (integer_ >= -exact && integer_ <= exact);
}

bool Scalar::is_same(const Scalar& other) const noexcept {
    return dtype_ == other.dtype_ && weak_ == other.weak_ && whole_ == other.whole_ && unsigned_ == other.unsigned_ &&
           integer_ == other.integer_ && std::memcmp(&number_, &other.number_, sizeof number_) == 0;
}

std::uint16_t float16_bits(double value) noexcept {
    return narrow_signed(value, 5, 10);
}
double float16_value(std::uint16_t bits) noexcept {
    return widen(bits, 5, 10);
}
std::uint16_t bfloat16_bits(double value) noexcept {
    return narrow_signed(value, 8, 7);
}
double bfloat16_value(std::uint16_t bits) noexcept {
    return widen(bits, 8, 7);
}

}  // namespace pycuda::gpuarray
