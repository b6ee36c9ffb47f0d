#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

namespace pycuda::gpuarray {

/// Element types of arrays. The values are stable: tables are indexed by them, and languages use them as codes.
enum class DType : std::uint8_t {
#define X(name, code, c_name, short_name, kind, size) name,
#include "pycuda/gpuarray/dtypes.def"
#undef X
    Opaque,  ///< a structure, of which only the size is known: copied, gathered, filled, but not computed with
};
inline constexpr int dtype_count = 15;  ///< of the numeric types; Opaque comes after them

enum class DTypeKind : std::uint8_t { Bool, Signed, Unsigned, Floating, Complex };

/// The properties of one numeric type.
struct DTypeInfo {
    DType dtype;
    char code;               ///< NumPy's character; 'E' for bfloat16
    const char* c_name;      ///< in kernels
    const char* short_name;  ///< in names of kernels: "f32"
    DTypeKind kind;
    std::uint8_t size;  ///< bytes
};

/// std::invalid_argument for Opaque.
const DTypeInfo& info(DType dtype);
/// The type of NumPy's character: 'q' has 64 bits, 'l' as many as C's long, 'E' is bfloat16. std::invalid_argument if
/// there is none.
DType dtype_of_code(char code);
/// "float32", as NumPy writes it.
const char* name_of(DType dtype);

inline bool is_integer(DType dtype) {
    return info(dtype).kind == DTypeKind::Signed || info(dtype).kind == DTypeKind::Unsigned;
}
inline bool is_complex(DType dtype) {
    return dtype == DType::Complex64 || dtype == DType::Complex128;
}
inline bool is_floating(DType dtype) {
    return info(dtype).kind == DTypeKind::Floating;
}
/// The type of a complex number's parts; other types are their own.
DType real_part(DType dtype);

/// NumPy's promotion of two array types: the smallest that holds both (numpy.promote_types). bfloat16 with 8-bit
/// integers stays bfloat16, with float16 and 16-bit integers it becomes float32, with wider integers float64.
DType promote(DType a, DType b);
/// NumPy's casting rule "same_kind": every value of `from` keeps its kind and sign as a `to`, if not all of its digits.
bool keeps_kind(DType from, DType to);
/// The floating type in which mathematical functions of `dtype` compute and return: floating and
/// complex types stay, 8-bit integers and bool give float16, 16-bit ones float32, wider ones float64 (NumPy's rule).
DType floating_for(DType dtype);

/// The value of a scalar operand and the weight of its type. Only the kind of a weak scalar counts (a number of
/// the language, not of NumPy): 2.0 with float32 is float32 (NEP 50).
class Scalar {
public:
    static Scalar weak(bool value) { return {DType::Bool, true, value ? 1 : 0, false}; }
    static Scalar weak(std::int64_t value) { return {DType::Int64, true, value, false}; }
    static Scalar weak(double value) { return {DType::Float64, true, value}; }
    static Scalar weak(std::complex<double> value) { return {DType::Complex128, true, value}; }
    /// An integer beyond int64; weak.
    static Scalar weak_unsigned(std::uint64_t value) {
        return {DType::UInt64, true, static_cast<std::int64_t>(value), true};
    }
    /// An integer beyond uint64 or below int64, rounded; weak. It fits no integer type.
    static Scalar weak_huge(double value) { return {DType::Int64, true, std::complex<double>(value)}; }
    /// A typed scalar: one element at `bytes`.
    static Scalar typed(DType dtype, const void* bytes);
    /// The same value as an argument of the function that is being traced (trace.hpp).
    Scalar as_argument(int number) const noexcept {
        Scalar scalar = *this;
        scalar.argument_ = static_cast<std::int8_t>(number);
        return scalar;
    }
    /// The number of that argument; -1: the value is a constant.
    int argument() const noexcept { return argument_; }

    DType dtype() const noexcept { return dtype_; }
    bool is_weak() const noexcept { return weak_; }
    /// The type in which this scalar and an array of type `array` compute.
    DType result_type(DType array) const;

    /// Write the value as one element of `dtype` to `out` (at most 16 bytes), converted as C does; integers wrap, a
    /// complex value gives its real part to a real type.
    void store(DType dtype, void* out) const noexcept;
    /// Whether an integer value lies in the range of the integer type `dtype`. True for other values and types.
    bool fits(DType dtype) const noexcept;
    /// Whether types and values are the same, bit for bit.
    bool is_same(const Scalar& other) const noexcept;
    bool is_negative_integer() const noexcept { return whole_ && !unsigned_ && integer_ < 0; }
    /// Whether store() writes the same bits as a conversion on the device, with at most one rounding: real numbers
    /// to floating types, integers to integers, and exactly representable integers to floating types.
    bool stores_as_device(DType dtype) const noexcept;

private:
    Scalar(DType dtype, bool weak, std::int64_t value, bool is_unsigned)
        : dtype_(dtype), weak_(weak), whole_(true), unsigned_(is_unsigned), integer_(value) {}
    Scalar(DType dtype, bool weak, std::complex<double> value)
        : dtype_(dtype), weak_(weak), whole_(false), unsigned_(false), number_(value) {}

    DType dtype_;
    bool weak_, whole_, unsigned_;
    std::int8_t argument_ = -1;
    std::int64_t integer_ = 0;         ///< of an integer; the bits of an unsigned one
    std::complex<double> number_ = 0;  ///< of other numbers
};

/// IEEE binary16 and bfloat16 as bits, rounded to nearest even from double.
std::uint16_t float16_bits(double value) noexcept;
double float16_value(std::uint16_t bits) noexcept;
std::uint16_t bfloat16_bits(double value) noexcept;
double bfloat16_value(std::uint16_t bits) noexcept;

}  // namespace pycuda::gpuarray
