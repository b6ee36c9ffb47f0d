#include "gpuarray/libraries/cublas.hpp"

#include <climits>
#include <optional>
#include <utility>

#include "gpuarray/libraries/vendor_library.hpp"

namespace pycuda::gpuarray {
namespace {

/// cublasOperation_t.
enum BlasOperation : int { AsItLies = 0, Transposed = 1 };

/// Functions of cuBLAS, declared here because cublas_v2.h may be missing when this is built. All return a status, 0 for
/// success.
struct Cublas : VendorLibrary {
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*set_stream)(void*, CUstream) = nullptr;
    int (*multiply)(void* handle, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a,
                    int type_of_a, int lda, long long next_a, const void* b, int type_of_b, int ldb, long long next_b,
                    const void* beta, void* c, int type_of_c, int ldc, long long next_c, int count, int compute,
                    int algorithm) = nullptr;

    Cublas() : VendorLibrary("cuBLAS", "cublas", "PYCUDA_CUBLAS") {
        find("cublasCreate_v2", create);
        find("cublasDestroy_v2", destroy);
        find("cublasSetStream_v2", set_stream);
        find("cublasGemmStridedBatchedEx", multiply);
    }
};

const Cublas& cublas() {
    static const auto* const loaded = new Cublas;
    return *loaded;
}

struct CublasApi {
    static int create(void** handle) { return cublas().create(handle); }
    static int destroy(void* handle) { return cublas().destroy(handle); }
    static int set_stream(void* handle, CUstream stream) { return cublas().set_stream(handle, stream); }
};

/// A type of elements as cudaDataType, and the type of sums as cublasComputeType_t, without rounding of operands.
struct BlasType {
    int elements, sums;
};
constexpr int sums_in_float32 = 68, sums_in_float64 = 70, default_algorithm = -1;

std::optional<BlasType> blas_type(DType dtype) {
    switch (dtype) {
        case DType::Float16:
            return BlasType{2, sums_in_float32};
        case DType::BFloat16:
            return BlasType{14, sums_in_float32};
        case DType::Float32:
            return BlasType{0, sums_in_float32};
        case DType::Float64:
            return BlasType{1, sums_in_float64};
        case DType::Complex64:
            return BlasType{4, sums_in_float32};
        case DType::Complex128:
            return BlasType{5, sums_in_float64};
        default:
            return std::nullopt;
    }
}

/// A matrix's layout from Fortran's point of view: columns of adjacent elements, `step` elements apart.
struct Lying {
    bool by_columns;  ///< otherwise the transposed matrix has this layout
    int step;
};

std::optional<Lying> lying(const ArrayRef& matrix) {
    const auto last = static_cast<std::size_t>(matrix.layout->ndim()) - 1;
    const std::int64_t size = matrix.layout->itemsize();
    const std::int64_t rows = matrix.layout->shape()[last - 1], columns = matrix.layout->shape()[last];
    const std::int64_t down = matrix.layout->strides()[last - 1], across = matrix.layout->strides()[last];
    const auto fits = [&](std::int64_t adjacent, std::int64_t step, std::int64_t length) {
        return adjacent == size && step % size == 0 && step / size >= length && step / size <= INT_MAX;
    };
    if (rows > INT_MAX || columns > INT_MAX) return std::nullopt;
    if (fits(across, down, columns)) return Lying{false, static_cast<int>(down / size)};
    if (fits(down, across, rows)) return Lying{true, static_cast<int>(across / size)};
    return std::nullopt;
}

int int_length(const ArrayRef& matrix, int from_the_end) {
    return static_cast<int>(matrix.layout->shape()[static_cast<std::size_t>(matrix.layout->ndim() - from_the_end)]);
}

}  // namespace

bool multiply_with_cublas(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, const CollapsedLayouts& stack,
                          bool is_faster, CUstream stream) {
    if (a.dtype != out.dtype || b.dtype != out.dtype || stack.ndim > 1 || stack.size > INT_MAX) return false;
    if (!cublas().is_there() || (!is_faster && !cublas().is_demanded())) return false;
    const std::optional<BlasType> type = blas_type(out.dtype);
    const std::optional<Lying> result = lying(out);
    std::optional<Lying> left = lying(a), right = lying(b);
    if (!type || !result || !left || !right) return false;
    long long next[3] = {};  // from one matrix of the stack to the next
    for (int k = 0; k < 3 && stack.ndim == 1; ++k) {
        if (stack.strides[k][0] < 0 || stack.strides[k][0] % out.layout->itemsize() != 0) return false;
        next[k] = stack.strides[k][0] / out.layout->itemsize();
    }
    // cuBLAS writes columns. A result stored by rows is computed as the transposed product, b.T @ a.T, by columns.
    int m = int_length(out, 2), n = int_length(out, 1);
    const int k = int_length(a, 1);
    const auto address = [&](const ArrayRef& array, int operand) {
        return reinterpret_cast<void*>(array.address + static_cast<std::uint64_t>(stack.offset[operand]));
    };
    const void *left_at = address(a, 1), *right_at = address(b, 2);
    if (!result->by_columns) {
        std::swap(m, n);
        std::swap(left, right);
        std::swap(left_at, right_at);
        std::swap(next[1], next[2]);
    }
    const auto operation = [&](const Lying& operand) {
        return operand.by_columns == result->by_columns ? AsItLies : Transposed;
    };
    // In the layout of any of the types.
    const double real[2] = {1, 0}, zero[2] = {0, 0};
    const float real_float[2] = {1, 0};
    const void* const one = type->sums == sums_in_float64 ? static_cast<const void*>(real) : real_float;
    const int status = Context::current()->attachment<VendorHandle<CublasApi>>()->with(stream, [&](void* handle) {
        return cublas().multiply(handle, operation(*left), operation(*right), m, n, k, one, left_at, type->elements,
                                 left->step, next[1], right_at, type->elements, right->step, next[2], zero,
                                 address(out, 0), type->elements, result->step, next[0], static_cast<int>(stack.size),
                                 type->sums, default_algorithm);
    });
    if (cublas().is_demanded()) cublas().check(status, "cublasGemmStridedBatchedEx");
    return status == 0;
}

}  // namespace pycuda::gpuarray
