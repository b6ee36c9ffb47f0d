#include "pycuda/gpuarray/composed/comparing.hpp"

#include "gpuarray/composed/array_parts.hpp"

namespace pycuda::gpuarray {

Array isclose(Array a, Array b, double relative, double absolute, bool equal_nan, CUstream stream) {
    const DType common = promote(a.dtype(), b.dtype());
    const bool is_exact = info(common).kind < DTypeKind::Floating;
    const auto tolerance = [&](const double& number) {
        return is_exact ? Scalar::typed(DType::Float64, &number) : Scalar::weak(number);
    };
    return Calculation{stream}(equal_nan ? Op::is_close_or_nan : Op::is_close,
                               {&a, &b, tolerance(relative), tolerance(absolute)});
}

}  // namespace pycuda::gpuarray
