#include "gpuarray/composed/cusolver.hpp"

#include <algorithm>
#include <climits>

#include "gpuarray/libraries/vendor_library.hpp"
#include "gpuarray/scratch.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"

namespace pycuda::gpuarray::cusolver {
namespace {

// cublasOperation_t, cublasFillMode_t, cusolverEigMode_t
constexpr int as_it_lies = 0, lower = 0;

/// cuSOLVER's functions for one element type, declared here because cusolverDn.h may be missing when this is built. All
/// return a status, 0 for success; `info` is in device memory.
struct Routines {
    int (*getrf_size)(void* handle, int m, int n, void* a, int lda, int* size) = nullptr;
    int (*getrf)(void* handle, int m, int n, void* a, int lda, void* work, int* pivots, int* info) = nullptr;
    int (*getrs)(void* handle, int operation, int n, int columns, const void* a, int lda, const int* pivots, void* b,
                 int ldb, int* info) = nullptr;
    int (*potrf_size)(void* handle, int part, int n, void* a, int lda, int* size) = nullptr;
    int (*potrf)(void* handle, int part, int n, void* a, int lda, void* work, int size, int* info) = nullptr;
    int (*geqrf_size)(void* handle, int m, int n, void* a, int lda, int* size) = nullptr;
    int (*geqrf)(void* handle, int m, int n, void* a, int lda, void* tau, void* work, int size, int* info) = nullptr;
    int (*orgqr_size)(void* handle, int m, int n, int k, const void* a, int lda, const void* tau, int* size) = nullptr;
    int (*orgqr)(void* handle, int m, int n, int k, void* a, int lda, const void* tau, void* work, int size,
                 int* info) = nullptr;
    int (*gesvd_size)(void* handle, int m, int n, int* size) = nullptr;
    int (*gesvd)(void* handle, signed char of_u, signed char of_vh, int m, int n, void* a, int lda, void* s, void* u,
                 int ldu, void* vh, int ldvh, void* work, int size, void* real_work, int* info) = nullptr;
    int (*syevd_size)(void* handle, int vectors, int part, int n, const void* a, int lda, const void* w,
                      int* size) = nullptr;
    int (*syevd)(void* handle, int vectors, int part, int n, void* a, int lda, void* w, void* work, int size,
                 int* info) = nullptr;
};

struct Cusolver : VendorLibrary {
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*set_stream)(void*, CUstream) = nullptr;
    Routines float32, float64, complex64, complex128;

    Cusolver() : VendorLibrary("cuSOLVER", "cusolver", "PYCUDA_CUSOLVER") {
        find("cusolverDnCreate", create);
        find("cusolverDnDestroy", destroy);
        find("cusolverDnSetStream", set_stream);
        find_all(float32, "cusolverDnS", "orgqr", "syevd");
        find_all(float64, "cusolverDnD", "orgqr", "syevd");
        find_all(complex64, "cusolverDnC", "ungqr", "heevd");
        find_all(complex128, "cusolverDnZ", "ungqr", "heevd");
    }

    const Routines& of(DType dtype) const {
        return dtype == DType::Float32     ? float32
               : dtype == DType::Float64   ? float64
               : dtype == DType::Complex64 ? complex64
                                           : complex128;
    }

private:
    template <class Size, class Function>
    void find_both(const std::string& name, Size& size, Function& function) {
        find(name + "_bufferSize", size);
        find(name, function);
    }
    void find_all(Routines& r, const std::string& prefix, const std::string& orthogonal, const std::string& hermitian) {
        find_both(prefix + "getrf", r.getrf_size, r.getrf);
        find(prefix + "getrs", r.getrs);
        find_both(prefix + "potrf", r.potrf_size, r.potrf);
        find_both(prefix + "geqrf", r.geqrf_size, r.geqrf);
        find_both(prefix + orthogonal, r.orgqr_size, r.orgqr);
        find_both(prefix + "gesvd", r.gesvd_size, r.gesvd);
        find_both(prefix + hermitian, r.syevd_size, r.syevd);
    }
};

const Cusolver& library() {
    static const auto* const loaded = new Cusolver;
    return *loaded;
}

struct Api {
    static int create(void** handle) { return library().create(handle); }
    static int destroy(void* handle) { return library().destroy(handle); }
    static int set_stream(void* handle, CUstream stream) { return library().set_stream(handle, stream); }
};

void check(int status, const char* function) {
    library().check(status, function);
}

/// Calls for the matrices of stacks, on one stream. Matrices are stored by columns.
class Session {
public:
    Session(DType dtype, CUstream stream) : routines(library().of(dtype)), dtype_(dtype), stream_(stream) {}

    /// Calls query(handle, &size), and then, for each of `count` matrices, queue(handle, k, work, size), with device
    /// memory for `size` elements. Both return a status.
    template <class Query, class Queue>
    void run(const char* name, std::int64_t count, const Query& query, const Queue& queue) const {
        const int status = Context::current()->attachment<VendorHandle<Api>>()->with(stream_, [&](void* handle) {
            int size = 0;
            check(query(handle, &size), name);
            const Scratch work(static_cast<std::size_t>(std::max(size, 1)) * info(dtype_).size, stream_);
            const WaitScope unlocked;
            for (std::int64_t k = 0; k < count; ++k)
                check(queue(handle, k, reinterpret_cast<void*>(work.pointer()), size), name);
            return 0;
        });
        check(status, "cusolverDnCreate");
    }

    const Routines& routines;

private:
    const DType dtype_;
    const CUstream stream_;
};

/// The items of an array in C order along its first axis.
class Items {
public:
    Items(const Array& array, CUstream stream) : address_(array.ref(stream).address) {
        step_ = array.layout().itemsize();
        for (std::size_t axis = 1; axis < array.layout().shape().size(); ++axis) step_ *= array.layout().shape()[axis];
    }
    template <class T = void>
    T* at(std::int64_t k) const {
        return reinterpret_cast<T*>(address_ + static_cast<DevicePtr>(k * step_));
    }

private:
    DevicePtr address_;
    std::int64_t step_;
};

int size_of(std::int64_t length) {
    return static_cast<int>(length);  // takes() rejects larger ones
}

/// A copy stored by columns that may be overwritten: the transpose in C order.
Array by_columns(const Array& stack, CUstream stream) {
    return copy_of(transposed(stack), stream);
}
/// The matrices in C order, from ones stored by columns.
Array by_rows(const Array& columns, CUstream stream) {
    return in_c_order(transposed(columns), stream);
}

struct Factors {
    Array columns, pivots, info;
};

Factors factored(const Array& a, CUstream stream) {
    const std::int64_t count = count_of_matrices(a);
    const int n = size_of(rows_of(a));
    Factors made{by_columns(a, stream), new_stack(a, DType::Int32, {count, n}, stream),
                 new_stack(a, DType::Int32, {count}, stream)};
    const Items matrices(made.columns, stream), pivots(made.pivots, stream), info(made.info, stream);
    const Session session(a.dtype(), stream);
    session.run(
        "cusolverDnXgetrf", count,
        [&](void* handle, int* size) { return session.routines.getrf_size(handle, n, n, matrices.at(0), n, size); },
        [&](void* handle, std::int64_t k, void* work, int) {
            return session.routines.getrf(handle, n, n, matrices.at(k), n, work, pivots.at<int>(k), info.at<int>(k));
        });
    return made;
}

}  // namespace

bool takes(const Array& stack) {
    // On an H100 the library takes 0.3 to 0.9 of the time for a matrix of 64 rows (svd of 96: 1.1). For a stack of
    // (n / 64)^2 matrices of n rows both take about as long.
    constexpr std::int64_t few = 64;
    const std::int64_t longest = std::max(rows_of(stack), columns_of(stack)), count = count_of_matrices(stack);
    if (stack.layout().size() == 0 || longest > INT_MAX || !library().is_there()) return false;
    // Many small matrices: our own kernels process them all at once.
    if (!library().is_demanded() && (longest < few || count > longest * longest / (few * few))) return false;
    const int status = Context::current()->attachment<VendorHandle<Api>>()->open();
    if (library().is_demanded()) check(status, "cusolverDnCreate");
    return status == 0;
}

Determinants determinants(const Array& a, CUstream stream) {
    const Calculation calculate{stream};
    const Factors factors = factored(a, stream);
    const Array rows = new_stack(a, DType::Int32, {rows_of(a)}, stream);
    const Input from_one[] = {Scalar::weak(std::int64_t{1}), Scalar::weak(std::int64_t{1})};
    elementwise(*current_kernels(), Op::arange, rows.ref(stream), from_one, stream);
    const Array exchanged = calculate(Op::ne, {&factors.pivots, &rows}, DType::Bool);
    const Array signs =
        calculate(Op::where, {&exchanged, Scalar::weak(std::int64_t{-1}), Scalar::weak(std::int64_t{1})}, a.dtype());
    return {diagonal(factors.columns, 0), calculate.reduce(Reduction::prod, signs, 2)};
}

Checked solve(const Array& a, const Array& b, CUstream stream) {
    const Factors factors = factored(a, stream);
    const Array solutions = by_columns(b, stream), status = new_stack(a, DType::Int32, {1}, stream);
    const Items matrices(factors.columns, stream), pivots(factors.pivots, stream), right(solutions, stream);
    const Items info(status, stream);
    const int n = size_of(rows_of(a)), columns = size_of(columns_of(b));
    const Session session(a.dtype(), stream);
    session.run(
        "cusolverDnXgetrs", columns == 0 ? 0 : count_of_matrices(a), [](void*, int*) { return 0; },
        [&](void* handle, std::int64_t k, void*, int) {
            return session.routines.getrs(handle, as_it_lies, n, columns, matrices.at(k), n, pivots.at<int>(k),
                                          right.at(k), n, info.at<int>(0));
        });
    return {by_rows(solutions, stream), factors.info};
}

Checked cholesky(const Array& a, CUstream stream) {
    const std::int64_t count = count_of_matrices(a);
    const int n = size_of(rows_of(a));
    const Array columns = by_columns(a, stream), failed = new_stack(a, DType::Int32, {count}, stream);
    const Items matrices(columns, stream), info(failed, stream);
    const Session session(a.dtype(), stream);
    session.run(
        "cusolverDnXpotrf", count,
        [&](void* handle, int* size) { return session.routines.potrf_size(handle, lower, n, matrices.at(0), n, size); },
        [&](void* handle, std::int64_t k, void* work, int size) {
            return session.routines.potrf(handle, lower, n, matrices.at(k), n, work, size, info.at<int>(k));
        });
    return {triangle(transposed(columns), 0, false, stream), failed};
}

QR qr(const Array& a, std::int64_t width, CUstream stream) {
    const std::int64_t count = count_of_matrices(a), shorter = std::min(rows_of(a), columns_of(a));
    const int m = size_of(rows_of(a)), n = size_of(columns_of(a)), k = size_of(shorter), w = size_of(width);
    const Array columns = by_columns(a, stream), tau = new_stack(a, a.dtype(), {count, k}, stream);
    const Array info = new_stack(a, DType::Int32, {1}, stream);
    const Items matrices(columns, stream), reflectors(tau, stream), ignored(info, stream);
    const Session session(a.dtype(), stream);
    session.run(
        "cusolverDnXgeqrf", count,
        [&](void* handle, int* size) { return session.routines.geqrf_size(handle, m, n, matrices.at(0), m, size); },
        [&](void* handle, std::int64_t i, void* work, int size) {
            return session.routines.geqrf(handle, m, n, matrices.at(i), m, reflectors.at(i), work, size,
                                          ignored.at<int>(0));
        });
    const Array q = new_stack(a, a.dtype(), {count, width, m}, stream);
    if (width > shorter) fill(part_of(q, 1, shorter, width), Scalar::weak(false), stream);
    assign(part_of(q, 1, 0, shorter), part_of(columns, 1, 0, shorter), stream);
    const Items of_q(q, stream);
    session.run(
        "cusolverDnXorgqr", count,
        [&](void* handle, int* size) {
            return session.routines.orgqr_size(handle, m, w, k, of_q.at(0), m, reflectors.at(0), size);
        },
        [&](void* handle, std::int64_t i, void* work, int size) {
            return session.routines.orgqr(handle, m, w, k, of_q.at(i), m, reflectors.at(i), work, size,
                                          ignored.at<int>(0));
        });
    return {by_rows(q, stream), triangle(part_of(transposed(columns), 1, 0, width), 0, true, stream)};
}

Singular singular(const Array& a, Vectors vectors, CUstream stream) {
    const std::int64_t count = count_of_matrices(a);
    const int m = size_of(rows_of(a)), n = size_of(columns_of(a));
    const int width = vectors == Vectors::All ? m : n;
    const DType real = real_part(a.dtype());
    const Array columns = by_columns(a, stream), failed = new_stack(a, DType::Int32, {count}, stream);
    const Array real_work = new_stack(a, real, {n}, stream);
    Singular made{new_stack(a, real, {count, n}, stream), {}, {}, failed};
    const Items matrices(columns, stream), s(made.values, stream), info(failed, stream), spare(real_work, stream);
    std::optional<Items> u, vh;
    if (vectors != Vectors::None) {
        made.u = new_stack(a, a.dtype(), {count, width, m}, stream);
        made.vh = new_stack(a, a.dtype(), {count, n, n}, stream);
        u.emplace(*made.u, stream);
        vh.emplace(*made.vh, stream);
    }
    const auto job = static_cast<signed char>(vectors == Vectors::None ? 'N' : vectors == Vectors::All ? 'A' : 'S');
    const Session session(a.dtype(), stream);
    session.run(
        "cusolverDnXgesvd", count,
        [&](void* handle, int* size) { return session.routines.gesvd_size(handle, m, n, size); },
        [&](void* handle, std::int64_t k, void* work, int size) {
            return session.routines.gesvd(handle, job, job, m, n, matrices.at(k), m, s.at(k), u ? u->at(k) : nullptr, m,
                                          vh ? vh->at(k) : nullptr, n, work, size, spare.at(0), info.at<int>(k));
        });
    if (made.u) made.u = by_rows(*made.u, stream);
    if (made.vh) made.vh = by_rows(*made.vh, stream);
    return made;
}

Eigen hermitian(const Array& a, bool vectors, CUstream stream) {
    const std::int64_t count = count_of_matrices(a);
    const int n = size_of(rows_of(a)), mode = vectors ? 1 : 0;
    const Array columns = by_columns(a, stream), failed = new_stack(a, DType::Int32, {count}, stream);
    Eigen made{new_stack(a, real_part(a.dtype()), {count, n}, stream), {}, failed};
    const Items matrices(columns, stream), values(made.values, stream), info(failed, stream);
    const Session session(a.dtype(), stream);
    session.run(
        "cusolverDnXsyevd", count,
        [&](void* handle, int* size) {
            return session.routines.syevd_size(handle, mode, lower, n, matrices.at(0), n, values.at(0), size);
        },
        [&](void* handle, std::int64_t k, void* work, int size) {
            return session.routines.syevd(handle, mode, lower, n, matrices.at(k), n, values.at(k), work, size,
                                          info.at<int>(k));
        });
    if (vectors) made.vectors = by_rows(columns, stream);
    return made;
}

}  // namespace pycuda::gpuarray::cusolver
