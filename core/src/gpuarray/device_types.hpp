#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// The type name of `dtype` elements in memory, in internal kernels: the same as in users' kernels, except that 16-bit
/// floating types use a small header of ours instead of a large one of the toolkit, and that any byte but 0 of a bool
/// reads as true.
std::string storage_type(DType dtype);
/// The type in which values of `dtype` are computed: float for 16-bit floating types, else the type itself.
DType arithmetic_dtype(DType dtype);
std::string arithmetic_type(DType dtype);
/// The alignment in bytes of an element, or a scalar parameter, of `dtype` in device code.
std::size_t alignment_of(DType dtype);

/// The #include lines of a kernel that works on these types.
std::string includes_for(std::initializer_list<DType> dtypes);
/// `text` after the #include lines that it needs: often none, because headers cost compile time.
std::string with_includes(const std::string& text, bool complex = false);

/// Rejects a weak number that cannot become an element of this type: integers beyond its range, and as in Python, NaN
/// and larger numbers for integer types, and complex numbers for real ones.
void check_assigned(const Scalar& number, DType dtype);

/// Throws std::invalid_argument if the memory of `array` is not aligned to its elements.
void check_alignment(const ArrayRef& array);

/// `expression` with '@' replaced by the suffix of C's functions for `compute`: "f" for float.
std::string with_suffix(const char* expression, DType compute);

/// C text that converts `expression`, of type `from`, to the storage type of `to`. Real types receive the real part of
/// complex values; for bool, any nonzero value is true.
std::string converted(const std::string& expression, DType from, DType to);

/// The types of an operation on `inputs`. A weak integer outside the range of the other operand's type makes a
/// comparison wider. Choices only need a weak number to fit into the elements, of type `written`, that they are written
/// to. Raises as result_type() does.
Signature types_of(Op op, std::span<const Input> inputs, std::optional<DType> written = std::nullopt);

/// The type in which a kernel receives a scalar, operand `operand` of an operation that writes elements of type `out`.
/// The operands of a choice are converted to the result's type one by one, so that an operand of another type leaves
/// those of the result's type as they are.
DType passed_dtype(Op op, const Signature& types, DType out, const Scalar& scalar, int operand);

}  // namespace pycuda::gpuarray
