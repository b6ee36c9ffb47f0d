#include "gpuarray/libraries/cublas.hpp"

#include <climits>
#include <optional>
#include <utility>

#include "gpuarray/libraries/vendor_library.hpp"

namespace pycuda::gpuarray {
namespace {

/// At this size (matrices of 1024 by 1024), cuBLAS takes half the time of our kernel on an H100; at an eighth of it,
/// twice the time.
constexpr double many_products = 1 << 30;

/// cublasOperation_t.
enum BlasOperation : int { AsItLies = 0, Transposed = 1 };

using Gemm = int (*)(void* handle, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                     const void* b, int ldb, const void* beta, void* c, int ldc);

/// Functions of cuBLAS, declared here because cublas_v2.h may be missing when this is built. All return a status, 0 for
/// success.
struct Cublas : VendorLibrary {
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*set_stream)(void*, CUstream) = nullptr;
    Gemm float32 = nullptr, float64 = nullptr, complex64 = nullptr, complex128 = nullptr;

    Cublas() : VendorLibrary("cuBLAS", "libcublas.so", "PYCUDA_CUBLAS") {
        find("cublasCreate_v2", create);
        find("cublasDestroy_v2", destroy);
        find("cublasSetStream_v2", set_stream);
        find("cublasSgemm_v2", float32);
        find("cublasDgemm_v2", float64);
        find("cublasCgemm_v2", complex64);
        find("cublasZgemm_v2", complex128);
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

Gemm gemm_for(const Cublas& library, DType dtype) {
    switch (dtype) {
        case DType::Float32:
            return library.float32;
        case DType::Float64:
            return library.float64;
        case DType::Complex64:
            return library.complex64;
        case DType::Complex128:
            return library.complex128;
        default:
            return nullptr;
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

bool multiply_with_cublas(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, CUstream stream) {
    if (a.dtype != out.dtype || b.dtype != out.dtype) return false;
    const double products = static_cast<double>(out.layout->size()) * static_cast<double>(a.layout->shape().back());
    if (!cublas().is_there() || (products < many_products && !cublas().is_demanded())) return false;
    const Gemm gemm = gemm_for(cublas(), out.dtype);
    if (!gemm) return false;
    const std::optional<Lying> result = lying(out);
    std::optional<Lying> left = lying(a), right = lying(b);
    if (!result || !left || !right) return false;
    // cuBLAS writes columns. A result stored by rows is computed as the transposed product, b.T @ a.T, by columns.
    int m = int_length(out, 2), n = int_length(out, 1);
    const int k = int_length(a, 1);
    DevicePtr left_at = a.address, right_at = b.address;
    if (!result->by_columns) {
        std::swap(m, n);
        std::swap(left, right);
        std::swap(left_at, right_at);
    }
    const auto operation = [&](const Lying& operand) {
        return operand.by_columns == result->by_columns ? AsItLies : Transposed;
    };
    // In the layout of any of the types.
    const double real[2] = {1, 0}, zero[2] = {0, 0};
    const float real_float[2] = {1, 0};
    const bool is_double = out.dtype == DType::Float64 || out.dtype == DType::Complex128;
    const void* const one = is_double ? static_cast<const void*>(real) : real_float;
    const int status = Context::current()->attachment<VendorHandle<CublasApi>>()->with(stream, [&](void* handle) {
        return gemm(handle, operation(*left), operation(*right), m, n, k, one, reinterpret_cast<const void*>(left_at),
                    left->step, reinterpret_cast<const void*>(right_at), right->step, zero,
                    reinterpret_cast<void*>(out.address), result->step);
    });
    if (cublas().is_demanded()) cublas().check(status, "cublasGemm");
    return status == 0;
}

}  // namespace pycuda::gpuarray
