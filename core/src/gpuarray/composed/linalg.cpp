#include "pycuda/gpuarray/composed/linalg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gpuarray/composed/cusolver.hpp"
#include "gpuarray/composed/decompositions.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"

namespace pycuda::gpuarray::linalg {
namespace {

void check_elements(const char* name, const Array& array) {
    const DType dtype = array.dtype();
    if (dtype == DType::Float32 || dtype == DType::Float64 || (dtype != DType::Opaque && is_complex(dtype))) return;
    throw ArgumentTypeError(std::string(name) +
                            ": expected an array of float32, float64, complex64 or complex128, given " +
                            name_of(dtype) + "; convert it with astype");
}

void check_matrices(const char* name, const Array& array, bool are_square = false) {
    check_elements(name, array);
    const auto shape = array.layout().shape();
    if (shape.size() < 2)
        throw std::invalid_argument(std::string(name) + ": expected matrices in the last two axes, given shape " +
                                    shape_text(shape));
    if (are_square && rows_of(array) != columns_of(array))
        throw std::invalid_argument(std::string(name) + ": expected square matrices, given " +
                                    std::to_string(rows_of(array)) + " x " + std::to_string(columns_of(array)) +
                                    " matrices in an array of shape " + shape_text(shape));
}

/// The axes before the last two.
Lengths outer_shape(const Array& array) {
    const Lengths shape = shape_of(array);
    return {shape.begin(), shape.end() - 2};
}

Lengths joined(Lengths outer, std::initializer_list<std::int64_t> inner) {
    outer.insert(outer.end(), inner);
    return outer;
}

/// All matrices along one axis: a view if the strides allow it, otherwise a copy.
Array as_stack(const Array& array, CUstream stream) {
    if (array.layout().ndim() == 3) return array;
    std::int64_t count = 1;
    for (const std::int64_t length : outer_shape(array)) count *= length;
    const std::int64_t shape[] = {count, rows_of(array), columns_of(array)};
    return with_shape(array, shape, stream);
}

/// Results for a stack, with the outer axes of `like` again: `inner` for each matrix, in C order.
Array unstacked(const Array& result, const Array& like, std::initializer_list<std::int64_t> inner, CUstream stream) {
    return in_c_order(result, stream).reshaped(joined(outer_shape(like), inner));
}

/// Throw LinAlgError if a matrix failed: its element of `failed` is not 0.
void refuse(const char* name, const Array& failed, const char* what, CUstream stream) {
    const std::int64_t count = count_nonzero(failed, stream), size = failed.layout().size();
    if (count == 0) return;
    throw LinAlgError(
        std::string(name) + ": " +
        (size > 1 ? std::to_string(count) + " of " + std::to_string(size) + " matrices are " : "the matrix is ") +
        what);
}
constexpr const char *is_singular = "singular",
                     *not_found =
                         "not decomposable: the iteration did not converge; check for NaN or infinite elements";

Determinants determinants(const char* name, const Array& a, CUstream stream) {
    check_matrices(name, a, true);
    const Array stack = as_stack(a, stream);
    Determinants made =
        cusolver::takes(stack) ? cusolver::determinants(stack, stream) : own::determinants(stack, stream);
    const std::int64_t n = rows_of(a);
    return {unstacked(made.pivots, a, {n}, stream), unstacked(made.sign, a, {}, stream)};
}

std::uint32_t last_axis(const Array& array) {
    return std::uint32_t{1} << (array.layout().ndim() - 1);
}

Singular values_of_nothing(const Array& a, Vectors vectors, CUstream stream) {
    const std::int64_t count = count_of_matrices(a), columns = columns_of(a), rows = rows_of(a);
    Singular made{new_stack(a, real_part(a.dtype()), {count, columns}, stream), {}, {}, {}};
    if (vectors == Vectors::None) return made;
    made.u = units(a, {count, rows, vectors == Vectors::All ? rows : columns}, a.dtype(), stream);
    made.vh = units(a, {count, columns, columns}, a.dtype(), stream);
    return made;
}

/// Throw LinAlgError if the iteration did not converge for a matrix.
template <class Values>
Values found(const char* name, Values made, CUstream stream) {
    if (made.failed) refuse(name, *made.failed, not_found, stream);
    return made;
}

/// For matrices with at least as many rows as columns.
Singular singular(const char* name, const Array& a, Vectors vectors, CUstream stream) {
    const Array stack = as_stack(a, stream);
    if (stack.layout().size() == 0) return values_of_nothing(stack, vectors, stream);
    const auto decompose = cusolver::takes(stack) ? cusolver::singular : own::singular;
    return found(name, decompose(stack, vectors, stream), stream);
}

enum class Matrices { Hermitian, General };

Eigen eigen(const char* name, const Array& a, Matrices which, bool vectors, CUstream stream) {
    check_matrices(name, a, true);
    const Array stack = as_stack(a, stream);
    const bool is_hermitian = which == Matrices::Hermitian;
    if (stack.layout().size() == 0) {
        const DType dtype = is_hermitian ? a.dtype() : promote(a.dtype(), DType::Complex64);
        const DType of_values = is_hermitian ? real_part(dtype) : dtype;
        return {new_stack(a, of_values, {count_of_matrices(stack), rows_of(stack)}, stream),
                as_type(stack, dtype, stream),
                {}};
    }
    const auto decompose = !is_hermitian ? own::general : cusolver::takes(stack) ? cusolver::hermitian : own::hermitian;
    return found(name, decompose(stack, vectors, stream), stream);
}

Array eigenvalues(const char* name, const Array& a, Matrices which, CUstream stream) {
    return unstacked(eigen(name, a, which, false, stream).values, a, {rows_of(a)}, stream);
}

Two values_and_vectors(const char* name, const Array& a, Matrices which, CUstream stream) {
    const Eigen made = eigen(name, a, which, true, stream);
    return {unstacked(made.values, a, {rows_of(a)}, stream),
            unstacked(*made.vectors, a, {rows_of(a), rows_of(a)}, stream)};
}

/// True for singular values that are small enough to count as 0.
Array are_none(const Array& a, const Array& values, const std::optional<Array>& rtol, CUstream stream) {
    const Calculation calculate{stream};
    const int axis = values.layout().ndim() - 1;
    const Array largest = part_of(values, axis, 0, 1);
    const auto bound = [&] {
        if (rtol) {
            const Array given = as_type(*rtol, values.dtype(), stream);
            const std::vector<IndexPart> parts{{IndexPart::Kind::Rest}, {IndexPart::Kind::NewAxis}};
            const views::View column = views::index(given.layout(), parts);
            const Array each = given.view(column.layout, column.offset);
            return calculate(Op::mul, {&largest, &each});
        }
        const double epsilon = values.dtype() == DType::Float32 ? std::numeric_limits<float>::epsilon()
                                                                : std::numeric_limits<double>::epsilon();
        const auto longer = static_cast<double>(std::max(rows_of(a), columns_of(a)));
        return calculate(Op::mul, {&largest, Scalar::weak(longer * epsilon)});
    }();
    return calculate(Op::le, {&values, &bound}, DType::Bool);
}

Array solution(const char* name, const Array& a, const Array& b, CUstream stream) {
    check_matrices(name, a, true);
    check_elements(name, b);
    if (b.layout().ndim() != 1) check_matrices(name, b);
    const std::int64_t n = rows_of(a);
    const bool is_vector = b.layout().ndim() == 1;
    if (b.layout().shape()[is_vector ? 0 : b.layout().shape().size() - 2] != n)
        throw std::invalid_argument(std::string(name) + ": expected right-hand sides of " + std::to_string(n) +
                                    " rows, as the matrices have, given shape " + shape_text(b.layout().shape()));
    const DType dtype = common_dtype(a, b);
    Array columns = as_type(b, dtype, stream);
    if (is_vector) {
        const std::int64_t column[] = {n, 1};
        columns = in_c_order(columns, stream).reshaped(column);
    }
    const Lengths outer = common_shape(outer_shape(a), outer_shape(columns));
    const Array left = as_type(a, dtype, stream);
    const Array matrices = left.view(left.layout().broadcast_to(joined(outer, {n, n})));
    const std::int64_t width = columns_of(columns);
    const Array right = columns.view(columns.layout().broadcast_to(joined(outer, {n, width})));
    const Array stack = as_stack(matrices, stream), sides = as_stack(right, stream);
    const Checked made = cusolver::takes(stack) && sides.layout().size() ? cusolver::solve(stack, sides, stream)
                                                                         : own::solve(stack, sides, stream);
    refuse(name, made.failed, is_singular, stream);
    return is_vector ? unstacked(made.value, matrices, {n}, stream)
                     : unstacked(made.value, matrices, {n, width}, stream);
}

Array inverse(const char* name, const Array& a, CUstream stream) {
    check_matrices(name, a, true);
    const Array stack = as_stack(a, stream);
    const std::int64_t n = rows_of(a);
    if (cusolver::takes(stack)) return solution(name, a, units(a, {n, n}, a.dtype(), stream), stream);
    const Checked made = own::inverse(stack, stream);
    refuse(name, made.failed, is_singular, stream);
    return unstacked(made.value, a, {n, n}, stream);
}

/// The largest magnitude along axes; 0 if there are no elements.
Array largest_of(const Array& magnitudes, std::uint32_t axes, bool keepdims, CUstream stream) {
    const Reduction op = magnitudes.layout().size() ? Reduction::max : Reduction::sum;
    return Calculation{stream}.reduce(op, magnitudes, axes, keepdims);
}

Array with_kept_axes(const Array& norms, CUstream stream) {
    Lengths shape = shape_of(norms);
    shape.insert(shape.end(), {1, 1});
    return in_c_order(norms, stream).reshaped(shape);
}

}  // namespace

Array det(Array a, CUstream stream) {
    const Calculation calculate{stream};
    const Determinants made = determinants("det", a, stream);
    const Array product = calculate.reduce(Reduction::prod, made.pivots, last_axis(made.pivots));
    return calculate(Op::mul, {&product, &made.sign});
}

Two slogdet(Array a, CUstream stream) {
    const Calculation calculate{stream};
    const Determinants made = determinants("slogdet", a, stream);
    const Array directions = direction_of(made.pivots, stream), lengths = calculate(Op::abs, {&made.pivots});
    const Array product = calculate.reduce(Reduction::prod, directions, last_axis(made.pivots));
    const Array logarithms = calculate(Op::log, {&lengths});
    return {calculate(Op::mul, {&product, &made.sign}),
            calculate.reduce(Reduction::sum, logarithms, last_axis(made.pivots))};
}

Array solve(Array a, Array b, CUstream stream) {
    return solution("solve", a, b, stream);
}

Array inv(Array a, CUstream stream) {
    return inverse("inv", a, stream);
}

Array matrix_power(Array a, std::int64_t n, CUstream stream) {
    check_matrices("matrix_power", a, true);
    if (n == 0) {
        const Array one = units(a, {rows_of(a), rows_of(a)}, a.dtype(), stream);
        return copy_of(one.view(one.layout().broadcast_to(a.layout().shape())), stream);
    }
    Array base = n < 0 ? inverse("matrix_power", a, stream) : a;
    std::optional<Array> result;
    // Not -n, which overflows for the least integer.
    for (std::uint64_t left = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); left;
         left /= 2) {
        if (left % 2) result = result ? matmul(*result, base, stream) : base;
        if (left > 1) base = matmul(base, base, stream);
    }
    return n == 1 ? copy_of(*result, stream) : *result;
}

Array cholesky(Array a, bool upper, CUstream stream) {
    check_matrices("cholesky", a, true);
    const Array stack = as_stack(a, stream);
    const Checked made = cusolver::takes(stack) ? cusolver::cholesky(stack, stream) : own::cholesky(stack, stream);
    refuse("cholesky", made.failed, "not positive definite", stream);
    const Array lower = unstacked(made.value, a, {rows_of(a), rows_of(a)}, stream);
    return upper ? in_c_order(adjoint(lower, stream), stream) : lower;
}

Two qr(Array a, bool complete, CUstream stream) {
    check_matrices("qr", a);
    const std::int64_t rows = rows_of(a), columns = columns_of(a);
    const std::int64_t width = complete ? rows : std::min(rows, columns);
    const Array stack = as_stack(a, stream);
    const QR made = cusolver::takes(stack) ? cusolver::qr(stack, width, stream) : own::qr(stack, width, stream);
    return {unstacked(made.q, a, {rows, width}, stream), unstacked(made.r, a, {width, columns}, stream)};
}

Three svd(Array a, bool full, CUstream stream) {
    check_matrices("svd", a);
    const std::int64_t rows = rows_of(a), columns = columns_of(a);
    if (rows < columns) {
        Three turned = svd(adjoint(a, stream), full, stream);
        return {in_c_order(adjoint(turned.third, stream), stream), std::move(turned.second),
                in_c_order(adjoint(turned.first, stream), stream)};
    }
    const Singular made = singular("svd", a, full ? Vectors::All : Vectors::Some, stream);
    return {unstacked(*made.u, a, {rows, full ? rows : columns}, stream), unstacked(made.values, a, {columns}, stream),
            unstacked(*made.vh, a, {columns, columns}, stream)};
}

Array svdvals(Array a, CUstream stream) {
    check_matrices("svdvals", a);
    const Array tall = rows_of(a) < columns_of(a) ? transposed(a) : a;
    return unstacked(singular("svdvals", tall, Vectors::None, stream).values, a, {columns_of(tall)}, stream);
}

Two eigh(Array a, CUstream stream) {
    return values_and_vectors("eigh", a, Matrices::Hermitian, stream);
}

Array eigvalsh(Array a, CUstream stream) {
    return eigenvalues("eigvalsh", a, Matrices::Hermitian, stream);
}

Two eig(Array a, CUstream stream) {
    return values_and_vectors("eig", a, Matrices::General, stream);
}

Array eigvals(Array a, CUstream stream) {
    return eigenvalues("eigvals", a, Matrices::General, stream);
}

Array pinv(Array a, std::optional<Array> rtol, CUstream stream) {
    check_matrices("pinv", a);
    const Calculation calculate{stream};
    if (a.layout().size() == 0)
        return new_beside(a, a.dtype(), joined(outer_shape(a), {columns_of(a), rows_of(a)}), stream);
    const Three parts = svd(a, false, stream);
    const Array are_zero = are_none(a, parts.second, rtol, stream);
    const Array divisors = calculate(Op::where, {&are_zero, Scalar::weak(1.0), &parts.second}, parts.second.dtype());
    const Array reciprocals = calculate(Op::reciprocal, {&divisors});
    const Array inverse = calculate(Op::where, {&are_zero, Scalar::weak(0.0), &reciprocals}, a.dtype());
    Lengths row = shape_of(inverse);
    row.insert(row.end() - 1, 1);
    const Array factors = inverse.reshaped(row), v = adjoint(parts.third, stream);
    return matmul(calculate(Op::mul, {&v, &factors}), adjoint(parts.first, stream), stream);
}

Array matrix_rank(Array a, std::optional<Array> rtol, CUstream stream) {
    check_matrices("matrix_rank", a);
    const Calculation calculate{stream};
    if (a.layout().size() == 0) {
        const Array none = new_beside(a, DType::Int64, outer_shape(a), stream);
        fill(none, Scalar::weak(false), stream);
        return none;
    }
    const Array values = svdvals(a, stream), are_zero = are_none(a, values, rtol, stream);
    const Array count = calculate(Op::logical_not, {&are_zero}, DType::Bool);
    return calculate.reduce(Reduction::count_nonzero, count, last_axis(count), false, DType::Int64);
}

Array vector_norm(Array a, double p, std::uint32_t axes, bool keepdims, CUstream stream) {
    check_elements("vector_norm", a);
    const Calculation calculate{stream};
    if (p == 2 && is_floating(a.dtype())) {
        const Array* const squares[] = {&a, &a};
        return calculate(Op::sqrt, {&*reduced(Reduction::dot, squares, axes, keepdims, std::nullopt, stream)});
    }
    const Array magnitudes = calculate(Op::abs, {&a});
    if (std::isinf(p))
        return p > 0 ? largest_of(magnitudes, axes, keepdims, stream)
                     : calculate.reduce(Reduction::min, magnitudes, axes, keepdims);
    if (p == 0) {
        const Array count = calculate.reduce(Reduction::count_nonzero, a, axes, keepdims, DType::Int64);
        return as_type(count, magnitudes.dtype(), stream);
    }
    if (p == 1) return calculate.reduce(Reduction::sum, magnitudes, axes, keepdims);
    const Array powers =
        p == 2 ? calculate(Op::mul, {&magnitudes, &magnitudes}) : calculate(Op::pow, {&magnitudes, Scalar::weak(p)});
    const Array sums = calculate.reduce(Reduction::sum, powers, axes, keepdims);
    return p == 2 ? calculate(Op::sqrt, {&sums}) : calculate(Op::pow, {&sums, Scalar::weak(1 / p)});
}

Array matrix_norm(Array a, std::variant<NamedNorm, double> which, bool keepdims, CUstream stream) {
    check_matrices("matrix_norm", a);
    const Calculation calculate{stream};
    const std::uint32_t columns = last_axis(a), rows = columns >> 1;
    const NamedNorm* const named = std::get_if<NamedNorm>(&which);
    if (named && *named == NamedNorm::Frobenius) return vector_norm(a, 2, rows | columns, keepdims, stream);
    const double p = named ? 0 : std::get<double>(which), magnitude = std::abs(p);
    std::optional<Array> lines;
    if (named || magnitude == 2) {
        lines = svdvals(a, stream);
    } else if (magnitude == 1 || std::isinf(p)) {
        const Array sizes = calculate(Op::abs, {&a});
        lines = calculate.reduce(Reduction::sum, sizes, magnitude == 1 ? rows : columns);
    } else {
        throw std::invalid_argument("matrix_norm: expected ord 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, given " +
                                    std::to_string(p));
    }
    const std::uint32_t axis = last_axis(*lines);
    const Array norms = named   ? calculate.reduce(Reduction::sum, *lines, axis)
                        : p > 0 ? largest_of(*lines, axis, false, stream)
                                : calculate.reduce(Reduction::min, *lines, axis);
    return keepdims ? with_kept_axes(norms, stream) : norms;
}

}  // namespace pycuda::gpuarray::linalg
