#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <variant>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda::gpuarray {

/// Thrown for matrices without a result: singular ones, ones that are not positive definite, and ones for which an
/// iteration does not converge.
class LinAlgError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// Linear algebra of matrices in the last two axes of an array, of any layout, by cuSOLVER if it is installed and
/// faster, else by kernels of one block per matrix. Results are new arrays in C order. Asynchronous on `stream`, except
/// for functions that check their results: LinAlgError. ArgumentTypeError for elements that are not float32, float64,
/// complex64 or complex128, std::invalid_argument for shapes that do not fit.
namespace linalg {

struct Two {
    Array first, second;
};
struct Three {
    Array first, second, third;
};

Array det(Array a, CUstream stream);
/// Signs (of complex ones, numbers of magnitude 1) and logarithms of the magnitudes of determinants; of singular
/// matrices 0 and -inf.
Two slogdet(Array a, CUstream stream);
/// x with a @ x = b, where b is a vector, for all matrices, or a stack of matrices. Waits.
Array solve(Array a, Array b, CUstream stream);
/// Waits.
Array inv(Array a, CUstream stream);
/// The identity for n = 0, powers of the inverse for n < 0, which waits.
Array matrix_power(Array a, std::int64_t n, CUstream stream);
/// L with a = L @ L^H, or, for `upper`, its adjoint. Reads the lower triangle. Waits.
Array cholesky(Array a, bool upper, CUstream stream);
/// Q with orthonormal columns (all of them if `complete`), and the upper triangular R.
Two qr(Array a, bool complete, CUstream stream);
/// U, the singular values, descending, and V^H; square ones for `full`. By cuSOLVER it waits.
Three svd(Array a, bool full, CUstream stream);
Array svdvals(Array a, CUstream stream);
/// Eigenvalues, ascending, and eigenvectors, as columns, of Hermitian matrices, of which the lower triangle is read. By
/// cuSOLVER it waits.
Two eigh(Array a, CUstream stream);
Array eigvalsh(Array a, CUstream stream);
/// Complex eigenvalues in any order, and eigenvectors of length 1, as columns. Waits.
Two eig(Array a, CUstream stream);
Array eigvals(Array a, CUstream stream);
/// The pseudo-inverses, and the ranks (int64). Singular values up to `rtol`, an array of the shape of the stack or
/// without axes, times the largest count as 0; by default, up to the longer side times the machine
/// epsilon.
Array pinv(Array a, std::optional<Array> rtol, CUstream stream);
Array matrix_rank(Array a, std::optional<Array> rtol, CUstream stream);

/// The p-norms of vectors along `axes` (a bit mask, see reduce): real. Infinities: the largest and the smallest
/// magnitude; 0: the number of nonzero elements.
Array vector_norm(Array a, double p, std::uint32_t axes, bool keepdims, CUstream stream);
/// A norm of matrices: Frobenius', the sum of the singular values, or by number: 2 and -2 the largest and the smallest
/// singular value, 1 and -1 the largest and the smallest sum of magnitudes of a column, infinite ones those of a row.
enum class NamedNorm { Frobenius, Nuclear };
Array matrix_norm(Array a, std::variant<NamedNorm, double> which, bool keepdims, CUstream stream);

}  // namespace linalg
}  // namespace pycuda::gpuarray
