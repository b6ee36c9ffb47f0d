#include "gpuarray/composed/decompositions.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "gpuarray/composed/routines.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"

namespace pycuda::gpuarray::own {
namespace {

namespace texts = kernel_files::linalg;

constexpr Routine routine(unsigned number, const char* name, const char* header, const char* text) {
    return {Family::Linear, number, name, texts::preface, header, text};
}
constexpr const char *plain = "pycuda-linalg.hpp", *orthogonal = "pycuda-linalg-orthogonal.hpp",
                     *triangular = "pycuda-linalg-schur.hpp";
constexpr Routine lu = routine(0, "lu", plain, texts::lu), solve_factored = routine(1, "solve_lu", plain, texts::solve),
                  factor_cholesky = routine(2, "cholesky", plain, texts::cholesky),
                  factor_qr = routine(3, "qr", orthogonal, texts::qr),
                  form_q = routine(4, "form_q", orthogonal, texts::form_q),
                  rotate_rows = routine(5, "rotate_rows", orthogonal, texts::rotate_rows),
                  order_rows = routine(6, "order_rows", orthogonal, texts::order_rows),
                  to_schur = routine(7, "schur", triangular, texts::schur),
                  eigenvectors = routine(8, "eigenvectors", triangular, texts::eigenvectors);

/// Queue a kernel with a block for each matrix, with threads for `size` rows or columns.
template <class... Values>
void run(const Routine& routine, DType dtype, std::int64_t blocks, std::int64_t size, CUstream stream,
         const Values&... values) {
    launch(routine, dtype, blocks, size <= 32 ? 32 : 256, stream, values...);
}

struct LU {
    Array factors, pivots, parity;  ///< parity: 0 for singular matrices
};

LU factored(const Array& a, CUstream stream) {
    const std::int64_t count = count_of_matrices(a), n = rows_of(a);
    LU made{copy_of(a, stream), new_stack(a, DType::Int32, {count, n}, stream),
            new_stack(a, DType::Int32, {count}, stream)};
    run(lu, a.dtype(), count, n, stream, made.factors.ref(stream).address, made.pivots.ref(stream).address,
        made.parity.ref(stream).address, n);
    return made;
}

/// The kernel that solves equations with matrices of `rows` rows and as many right-hand sides as it has `columns`.
KernelSource small_solver_source(DType dtype, std::int64_t rows, std::int64_t columns) {
    KernelSource source;
    const std::string size = std::to_string(rows) + "x" + std::to_string(columns);
    source.name = "solve_small_" + size + "_" + info(dtype).short_name;
    source.text =
        fill_in(texts::preface, {{"header", "pycuda-linalg-small.hpp"}, {"type", storage_type(dtype)}}) +
        fill_in(texts::solve_small,
                {{"name", source.name}, {"rows", std::to_string(rows)}, {"columns", std::to_string(columns)}});
    source.compute = source.result = dtype;
    return source;
}

/// Whether solve_small takes equations with these matrices and so many right-hand sides.
bool are_small(const Array& a, std::int64_t columns) {
    constexpr std::int64_t max_rows = 16, max_bytes = 512;  // of the registers of a lane
    return rows_of(a) >= 1 && rows_of(a) <= max_rows && columns >= 1 && columns <= max_rows &&
           (rows_of(a) + columns) * info(a.dtype()).size <= max_bytes;
}

/// solve() by one kernel, with a few lanes for each matrix; without `b`, inverses.
Checked solve_small(const Array& a, const Array* b, CUstream stream) {
    constexpr unsigned number = 9, threads = 128;  // the number is behind those of the routines above
    const std::int64_t count = count_of_matrices(a), n = rows_of(a), columns = b ? columns_of(*b) : n;
    const DType dtype = a.dtype();
    const Array matrices = in_c_order(a, stream), right = b ? in_c_order(*b, stream) : matrices;
    Checked made{new_stack(a, dtype, {count, n, columns}, stream), new_stack(a, DType::Int32, {count}, stream)};
    const std::int64_t in_a_block = threads / static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
    launch(
        KernelFields(Family::Linear).field<4>(number).field(dtype).field<5>(n).field<5>(columns),
        [&] { return small_solver_source(dtype, n, columns); }, (count + in_a_block - 1) / in_a_block, threads, stream,
        matrices.ref(stream).address, b ? right.ref(stream).address : DevicePtr{0}, made.value.ref(stream).address,
        made.failed.ref(stream).address, count);
    return made;
}

/// Whether the kernel's flag for each matrix is 0.
Array is_zero(const Array& flags, CUstream stream) {
    return Calculation{stream}(Op::logical_not, {&flags}, DType::Bool);
}

struct Rows {
    Array norms, order;
    std::optional<Array> w, v;
};

Array ordered(const Array& rows, const Array& order, CUstream stream) {
    const Array out = new_beside(rows, rows.dtype(), rows.layout().shape(), stream);
    const std::int64_t count = rows_of(rows), length = columns_of(rows);
    run(order_rows, rows.dtype(), count_of_matrices(rows), count * length, stream, rows.ref(stream).address,
        order.ref(stream).address, out.ref(stream).address, count, length);
    return out;
}

/// Rotates the rows of the matrices w until they are orthogonal, and those of v, if given, likewise; both are
/// overwritten. Returns the norms of the rows of w, descending, and the rows of w and v in that order, if there is a v.
Rows orthogonal_rows(const Array& w, const Array* v, CUstream stream) {
    const std::int64_t stack = count_of_matrices(w), count = rows_of(w), length = columns_of(w);
    const DType real = real_part(w.dtype());
    prepare({rotate_rows, order_rows}, w.dtype());
    const Array unsorted = new_stack(w, real, {stack, count}, stream);
    Rows made{new_stack(w, real, {stack, count}, stream), new_stack(w, DType::Int32, {stack, count}, stream), {}, {}};
    run(rotate_rows, w.dtype(), stack, std::max(count, length), stream, w.ref(stream).address,
        (v ? *v : w).ref(stream).address, unsorted.ref(stream).address, made.norms.ref(stream).address,
        made.order.ref(stream).address, count, length, v ? columns_of(*v) : std::int64_t{0});
    if (!v) return made;
    made.w = ordered(w, made.order, stream);
    made.v = ordered(*v, made.order, stream);
    return made;
}

struct Scaled {
    Array matrices, scale;
};

/// The stack divided by `scale`, of shape (count, 1, 1), so that no element is above 1. For zeros the scale is 1.
Scaled scaled(const Array& a, CUstream stream) {
    const Calculation calculate{stream};
    const auto magnitude = [&] {
        if (!is_complex(a.dtype())) return calculate(Op::abs, {&a});
        const Array re = calculate(Op::real, {&a}), im = calculate(Op::imag, {&a});
        const Array across = calculate(Op::abs, {&re}), up = calculate(Op::abs, {&im});
        return calculate(Op::maximum, {&across, &up});
    }();
    const Array largest = calculate.reduce(Reduction::max, magnitude, 6, true);
    const Array is_none = calculate(Op::eq, {&largest, Scalar::weak(std::int64_t{0})}, DType::Bool);
    Array scale = calculate(Op::where, {&is_none, Scalar::weak(1.0), &largest}, largest.dtype());
    const Array divisor = as_type(scale, a.dtype(), stream);
    return {calculate(Op::div, {&a, &divisor}), std::move(scale)};
}

/// values * scale, where the shapes are (count, n) and (count, 1, 1).
Array times(const Array& values, const Array& scale, CUstream stream) {
    const std::int64_t column[] = {count_of_matrices(values), 1};
    const Array factor = scale.reshaped(column);
    return Calculation{stream}(Op::mul, {&values, &factor});
}

Array with_axis(const Array& rows, CUstream stream) {
    const std::int64_t shape[] = {rows.layout().shape()[0], 1, rows.layout().shape()[1]};
    return in_c_order(rows, stream).reshaped(shape);
}

struct Shifted {
    Array matrices, bound, scale;
};

/// Positive semidefinite matrices with the eigenvectors of `a`: the lower triangles are divided by `scale`, and `bound`
/// is added to each eigenvalue.
Shifted shifted(const Array& a, CUstream stream) {
    const Calculation calculate{stream};
    const Scaled small = scaled(triangle(a, 0, false, stream), stream);
    const Array below = triangle(small.matrices, -1, false, stream), above = adjoint(below, stream);
    Array hermitian = calculate(Op::add, {&below, &above});
    const Array diagonals = diagonal(small.matrices, 0);
    const Array real = calculate(Op::real, {&diagonals});
    assign(diagonal(hermitian, 0), real, stream);
    const Array magnitudes = calculate(Op::abs, {&hermitian});
    const Array sums = calculate.reduce(Reduction::sum, magnitudes, 4, true);
    Array bound = calculate.reduce(Reduction::max, sums, 2, true);
    const std::int64_t column[] = {count_of_matrices(a), 1};
    const Array more = as_type(bound, a.dtype(), stream).reshaped(column), raised = diagonal(hermitian, 0);
    calculate.into(raised, Op::add, {&raised, &more}, a.dtype());
    return {std::move(hermitian), std::move(bound), small.scale};
}

/// A view with the elements of an axis in the opposite order.
Array reversed(const Array& array, int axis) {
    std::vector<IndexPart> parts(static_cast<std::size_t>(axis) + 1);
    parts.back() = {IndexPart::Kind::Range, false, false, 0, 0, -1};
    const views::View turned = views::index(array.layout(), parts);
    return array.view(turned.layout, turned.offset);
}

}  // namespace

Determinants determinants(const Array& a, CUstream stream) {
    const LU made = factored(a, stream);
    return {diagonal(made.factors, 0), as_type(made.parity, a.dtype(), stream)};
}

Checked solve(const Array& a, const Array& b, CUstream stream) {
    if (are_small(a, columns_of(b))) return solve_small(a, &b, stream);
    constexpr std::int64_t width = 32;  // number of columns that a block solves for
    prepare({lu, solve_factored}, a.dtype());
    const LU made = factored(a, stream);
    const Array solutions = copy_of(b, stream);
    const std::int64_t n = rows_of(a), columns = columns_of(b);
    run(solve_factored, a.dtype(), count_of_matrices(a) * ((columns + width - 1) / width), n, stream,
        made.factors.ref(stream).address, made.pivots.ref(stream).address, solutions.ref(stream).address, n, columns,
        width);
    return {solutions, is_zero(made.parity, stream)};
}

Checked inverse(const Array& a, CUstream stream) {
    const std::int64_t n = rows_of(a), shape[] = {count_of_matrices(a), n, n};
    if (are_small(a, n)) return solve_small(a, nullptr, stream);
    const Array unit = units(a, {n, n}, a.dtype(), stream);
    return solve(a, unit.view(unit.layout().broadcast_to(shape)), stream);
}

Checked cholesky(const Array& a, CUstream stream) {
    const std::int64_t n = rows_of(a);
    const Array factors = copy_of(a, stream), is_definite = new_stack(a, DType::Int32, {count_of_matrices(a)}, stream);
    run(factor_cholesky, a.dtype(), count_of_matrices(a), n, stream, factors.ref(stream).address,
        is_definite.ref(stream).address, n);
    return {factors, is_zero(is_definite, stream)};
}

QR qr(const Array& a, std::int64_t width, CUstream stream) {
    prepare({factor_qr, form_q}, a.dtype());
    const std::int64_t count = count_of_matrices(a), rows = rows_of(a), columns = columns_of(a);
    const Array factors = copy_of(a, stream), q = new_stack(a, a.dtype(), {count, rows, width}, stream);
    const Array tau = new_stack(a, a.dtype(), {count, std::min(rows, columns)}, stream);
    const DevicePtr at = factors.ref(stream).address, reflectors = tau.ref(stream).address;
    run(factor_qr, a.dtype(), count, std::max(rows, columns), stream, at, reflectors, rows, columns);
    run(form_q, a.dtype(), count, std::max(rows, columns), stream, at, reflectors, q.ref(stream).address, rows, columns,
        width);
    return {q, triangle(part_of(factors, 1, 0, width), 0, true, stream)};
}

Singular singular(const Array& a, Vectors vectors, CUstream stream) {
    const Calculation calculate{stream};
    const Scaled small = scaled(a, stream);
    const Array w = copy_of(transposed(small.matrices), stream);
    if (vectors == Vectors::None)
        return {times(orthogonal_rows(w, nullptr, stream).norms, small.scale, stream), {}, {}, {}};
    const std::int64_t rows = rows_of(a), columns = columns_of(a);
    const Array v = units(a, {count_of_matrices(a), columns, columns}, a.dtype(), stream);
    // The rows of w become the columns of A V, and the rows of v the columns of V.
    const Rows found = orthogonal_rows(w, &v, stream);
    // R is diagonal, and holds the singular values up to their signs.
    const QR factors = qr(transposed(*found.w), vectors == Vectors::All ? rows : columns, stream);
    const Array signs = direction_of(diagonal(factors.r, 0), stream);
    const Array is_none = calculate(Op::eq, {&signs, Scalar::weak(std::int64_t{0})}, DType::Bool);
    const Array chosen = calculate(Op::where, {&is_none, Scalar::weak(1.0), &signs}, a.dtype());
    const Array by = with_axis(chosen, stream), turned = part_of(factors.q, 2, 0, columns);
    calculate.into(turned, Op::mul, {&turned, &by}, a.dtype());
    return {times(found.norms, small.scale, stream), factors.q, calculate.conjugate(*found.v), {}};
}

Eigen hermitian(const Array& a, bool vectors, CUstream stream) {
    const Calculation calculate{stream};
    const Shifted positive = shifted(a, stream);
    const Array w = copy_of(transposed(positive.matrices), stream);
    std::optional<Array> v;
    if (vectors) v = units(a, {count_of_matrices(a), rows_of(a), rows_of(a)}, a.dtype(), stream);
    const Rows found = orthogonal_rows(w, v ? &*v : nullptr, stream);
    const std::int64_t column[] = {count_of_matrices(a), 1};
    const Array ascending = reversed(found.norms, 1), bound = positive.bound.reshaped(column);
    const Array values = calculate(Op::sub, {&ascending, &bound});
    Eigen made{times(values, positive.scale, stream), {}, {}};
    if (vectors) made.vectors = in_c_order(transposed(reversed(*found.v, 1)), stream);
    return made;
}

Eigen general(const Array& a, bool vectors, CUstream stream) {
    const Calculation calculate{stream};
    const DType dtype = real_part(a.dtype()) == DType::Float32 ? DType::Complex64 : DType::Complex128;
    const std::int64_t n = rows_of(a), count = count_of_matrices(a);
    const Scaled small = scaled(a, stream);
    const Array reduced = converted(small.matrices, dtype, Order::C, stream);
    const Array z = units(a, {count, n, n}, dtype, stream), converged = new_stack(a, DType::Int32, {count}, stream);
    const DevicePtr from = reduced.ref(stream).address;
    prepare({to_schur, eigenvectors}, dtype);
    run(to_schur, dtype, count, n, stream, from, z.ref(stream).address, converged.ref(stream).address, n);
    const Array scale = as_type(small.scale, dtype, stream);
    Eigen made{times(diagonal(reduced, 0), scale, stream), {}, is_zero(converged, stream)};
    if (!vectors) return made;
    const Array of_triangular = new_stack(a, dtype, {count, n, n}, stream);
    const DevicePtr to = of_triangular.ref(stream).address;
    if (dtype == DType::Complex64)
        run(eigenvectors, dtype, count, n, stream, from, to, n, std::numeric_limits<float>::epsilon());
    else
        run(eigenvectors, dtype, count, n, stream, from, to, n, std::numeric_limits<double>::epsilon());
    const Array directions = matmul(z, of_triangular, stream), lengths = calculate(Op::abs, {&directions});
    const Array squares = calculate(Op::mul, {&lengths, &lengths});
    const Array sums = calculate.reduce(Reduction::sum, squares, 2, true), norms = calculate(Op::sqrt, {&sums});
    const Array divisor = as_type(norms, dtype, stream);
    made.vectors = calculate(Op::div, {&directions, &divisor});
    return made;
}

}  // namespace pycuda::gpuarray::own
