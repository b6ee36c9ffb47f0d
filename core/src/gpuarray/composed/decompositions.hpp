// Decompositions of stacks of matrices: arrays of three axes of float32, float64, complex64 or complex128, in any
// layout. The operands are not changed; results are new arrays.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "gpuarray/composed/array_parts.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"

namespace pycuda::gpuarray {

/// A result, and a flag for each matrix: nonzero if there is no result.
struct Checked {
    Array value, failed;
};

/// The diagonals of U in P A = L U, and the determinants of P, in the matrices' type: unspecified for singular
/// matrices.
struct Determinants {
    Array pivots, sign;
};

struct QR {
    Array q, r;
};

/// Which columns of U and rows of V^H a singular value decomposition computes: none, as many as there are singular
/// values, or all.
enum class Vectors { None, Some, All };
struct Singular {
    Array values;
    std::optional<Array> u, vh, failed;
};

struct Eigen {
    Array values;
    std::optional<Array> vectors, failed;
};

inline std::int64_t rows_of(const Array& stack) {
    return stack.layout().shape()[stack.layout().shape().size() - 2];
}
inline std::int64_t columns_of(const Array& stack) {
    return stack.layout().shape()[stack.layout().shape().size() - 1];
}
inline std::int64_t count_of_matrices(const Array& stack) {
    return stack.layout().shape()[0];
}

/// A view with the last two axes exchanged.
inline Array transposed(const Array& stack) {
    return stack.view(views::matrix_transpose(stack.layout()));
}

/// A copy that may be overwritten, in C order.
inline Array copy_of(const Array& stack, CUstream stream) {
    return converted(stack, stack.dtype(), Order::C, stream);
}

/// x / |x|, or 0 where x is 0.
inline Array direction_of(const Array& x, CUstream stream) {
    const Calculation calculate{stream};
    if (!is_complex(x.dtype())) return calculate(Op::sign, {&x});
    const Array lengths = calculate(Op::abs, {&x});
    const Array is_none = calculate(Op::eq, {&lengths, Scalar::weak(0.0)}, DType::Bool);
    const Array divisor = calculate(Op::where, {&is_none, Scalar::weak(1.0), &lengths}, x.dtype());
    return calculate(Op::div, {&x, &divisor});
}

inline Array adjoint(const Array& stack, CUstream stream) {
    return Calculation{stream}.conjugate(transposed(stack));
}

/// Not initialised.
inline Array new_stack(const Array& like, DType dtype, std::initializer_list<std::int64_t> shape, CUstream stream) {
    return new_beside(like, dtype, {shape.begin(), shape.size()}, stream);
}

/// Matrices with 1 on the diagonal and 0 elsewhere.
inline Array units(const Array& like, std::initializer_list<std::int64_t> shape, DType dtype, CUstream stream) {
    const Array made = new_stack(like, dtype, shape, stream);
    fill(made, Scalar::weak(false), stream);
    fill(diagonal(made, 0), Scalar::weak(true), stream);
    return made;
}

/// The kernels of pycuda-linalg.hpp: one block for each matrix, or a few lanes for a small one.
namespace own {

Determinants determinants(const Array& a, CUstream stream);
Checked solve(const Array& a, const Array& b, CUstream stream);
Checked inverse(const Array& a, CUstream stream);
/// The lower triangular factors.
Checked cholesky(const Array& a, CUstream stream);
/// The first `width` columns of Q, and the first `width` rows of R: at least as many as the shorter side has.
QR qr(const Array& a, std::int64_t width, CUstream stream);
/// For matrices with at least one row, and at least as many rows as columns; values descending.
Singular singular(const Array& a, Vectors vectors, CUstream stream);
/// For non-empty Hermitian matrices, whose lower triangle is read; values ascending.
Eigen hermitian(const Array& a, bool vectors, CUstream stream);

/// For non-empty square matrices: complex values in any order, vectors of length 1.
Eigen general(const Array& a, bool vectors, CUstream stream);

}  // namespace own
}  // namespace pycuda::gpuarray
