#include "gpuarray/device_types.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray {

std::string storage_type(DType dtype) {
    if (dtype == DType::Float16) return "pycuda::arrays::f16";
    if (dtype == DType::BFloat16) return "pycuda::arrays::bf16";
    if (dtype == DType::Bool) return "pycuda::arrays::b8";
    return info(dtype).c_name;
}

DType arithmetic_dtype(DType dtype) {
    return dtype == DType::Float16 || dtype == DType::BFloat16 ? DType::Float32 : dtype;
}

std::string arithmetic_type(DType dtype) {
    return info(arithmetic_dtype(dtype)).c_name;
}

std::size_t alignment_of(DType dtype) {
    return info(real_part(dtype)).size;
}

void check_alignment(const ArrayRef& array) {
    const std::size_t alignment = alignment_of(array.dtype);
    std::uint64_t bits = array.address;
    for (const std::int64_t stride : array.layout->strides()) bits |= static_cast<std::uint64_t>(stride);
    if (bits % alignment != 0) [[unlikely]]
        throw std::invalid_argument(std::string("an array of ") + name_of(array.dtype) + " must be aligned to " +
                                    std::to_string(alignment) + " bytes");
}

void check_assigned(const Scalar& number, DType dtype) {
    if (!number.is_weak()) return;
    const auto element = [dtype] { return std::string("an element of ") + name_of(dtype); };
    if (!number.fits(dtype)) throw OutOfBounds("the number is out of bounds for " + element());
    if (is_complex(number.dtype()) && !is_complex(dtype) && dtype != DType::Bool)
        throw ArgumentTypeError("a complex number cannot become " + element());
    if (!is_floating(number.dtype()) || !is_integer(dtype)) return;
    double value;
    number.store(DType::Float64, &value);
    if (std::isnan(value)) throw std::invalid_argument("NaN cannot become " + element());
    const bool is_signed = info(dtype).kind == DTypeKind::Signed;
    const double end = std::ldexp(1, 8 * info(dtype).size - (is_signed ? 1 : 0)), whole = std::trunc(value);
    if (whole < (is_signed ? -end : 0) || whole >= end)
        throw OutOfBounds("the number is out of bounds for " + element());
}

namespace {

std::string include_lines(bool complex) {
    const std::string arrays = "#include <pycuda-arrays.hpp>\n\n";
    return complex ? "#define PYCUDA_ARRAYS_COMPLEX\n#include <pycuda-complex.hpp>\n" + arrays : arrays;
}

}  // namespace

std::string includes_for(std::initializer_list<DType> dtypes) {
    return include_lines(std::any_of(dtypes.begin(), dtypes.end(), is_complex));
}

std::string with_includes(const std::string& text, bool complex) {
    const bool needed = complex || text.find("pycuda::") != text.npos;
    return needed ? include_lines(complex) + text : text;
}

std::string with_suffix(const char* expression, DType compute) {
    std::string text;
    for (const char* c = expression; *c; ++c) {
        if (*c != '@')
            text += *c;
        else if (arithmetic_dtype(compute) == DType::Float32)
            text += 'f';
    }
    return text;
}

std::string converted(const std::string& expression, DType from, DType to) {
    if (is_complex(from) && to == DType::Bool) return "(" + expression + ") != " + storage_type(from) + "(0)";
    if (is_complex(from) && !is_complex(to))
        return "static_cast<" + storage_type(to) + ">((" + expression + ").real())";
    return "static_cast<" + (to == DType::Bool ? "bool" : storage_type(to)) + ">(" + expression + ")";
}

}  // namespace pycuda::gpuarray
