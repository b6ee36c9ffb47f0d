#include "cublas.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "compiler/toolchain_search.hpp"
#include "pycuda/context.hpp"
#include "pycuda/driver.hpp"
#include "pycuda/waiting.hpp"

namespace pycuda::gpuarray {
namespace {

/// cublasOperation_t.
enum BlasOperation : int { AsItLies = 0, Transposed = 1 };

using Gemm = int (*)(void* handle, int of_a, int of_b, int m, int n, int k, const void* alpha, const void* a, int lda,
                     const void* b, int ldb, const void* beta, void* c, int ldc);

/// Functions of cuBLAS, declared here because cublas_v2.h need not be there when this is built. All give a status, 0
/// for success.
struct Cublas {
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*set_stream)(void*, CUstream) = nullptr;
    Gemm float32 = nullptr, float64 = nullptr, complex64 = nullptr, complex128 = nullptr;
};

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

std::optional<Cublas> open_cublas() {
    const char* wanted = std::getenv("PYCUDA_CUBLAS");
    if ((wanted && std::string(wanted) == "0") || driver_info().is_cpu_device) return std::nullopt;
    const std::string path = find_library("libcublas.so");
    void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    Cublas found;
    if (library && find_function(library, "cublasCreate_v2", found.create) &&
        find_function(library, "cublasDestroy_v2", found.destroy) &&
        find_function(library, "cublasSetStream_v2", found.set_stream) &&
        find_function(library, "cublasSgemm_v2", found.float32) &&
        find_function(library, "cublasDgemm_v2", found.float64) &&
        find_function(library, "cublasCgemm_v2", found.complex64) &&
        find_function(library, "cublasZgemm_v2", found.complex128))
        return found;
    return std::nullopt;
}

/// Null if not installed. Never unloaded.
const Cublas* cublas_or_null() {
    static const auto* const loaded = new std::optional<Cublas>(open_cublas());
    return loaded->has_value() ? &**loaded : nullptr;
}

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

/// A context's handle. It queues one product at a time, because the stream is a property of the handle.
class CublasHandle : public ContextAttachment {
public:
    void context_ends(bool reachable) noexcept override {
        const auto lock = lock_over_calls(mutex_);
        if (handle_ && reachable) cublas_or_null()->destroy(handle_);
        handle_ = nullptr;
        gone_ = true;
    }

    /// Call `queue` with the handle, set to `stream`. False if there is no handle, or if `queue` returns a status other
    /// than 0.
    template <class Queue>
    bool with(const Cublas& library, CUstream stream, const Queue& queue) {
        const auto lock = lock_over_calls(mutex_);
        if (!handle_ && !gone_ && library.create(&handle_) != 0) {
            handle_ = nullptr;
            gone_ = true;  // another try would take long
        }
        return handle_ && library.set_stream(handle_, stream) == 0 && queue(handle_) == 0;
    }

private:
    std::mutex mutex_;
    void* handle_ = nullptr;
    bool gone_ = false;
};

/// A matrix in memory as in Fortran: columns of adjacent elements, `step` elements apart.
struct Lying {
    bool by_columns;  ///< otherwise the transposed matrix is stored so
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
    const Cublas* const cublas = cublas_or_null();
    const Gemm gemm = cublas ? gemm_for(*cublas, out.dtype) : nullptr;
    if (!gemm) return false;
    const std::optional<Lying> result = lying(out);
    std::optional<Lying> left = lying(a), right = lying(b);
    if (!result || !left || !right) return false;
    // cuBLAS writes columns. A result stored by rows is the transposed product, b.T @ a.T, by columns.
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
    // Of any of the types.
    const double real[2] = {1, 0}, zero[2] = {0, 0};
    const float real_float[2] = {1, 0};
    const bool is_double = out.dtype == DType::Float64 || out.dtype == DType::Complex128;
    const void* const one = is_double ? static_cast<const void*>(real) : real_float;
    return Context::current()->attachment<CublasHandle>()->with(*cublas, stream, [&](void* handle) {
        return gemm(handle, operation(*left), operation(*right), m, n, k, one, reinterpret_cast<const void*>(left_at),
                    left->step, reinterpret_cast<const void*>(right_at), right->step, zero,
                    reinterpret_cast<void*>(out.address), result->step);
    });
}

}  // namespace pycuda::gpuarray
