// Linear algebra for stacks of matrices with the functions of pycuda-linalg*.hpp: one block per matrix, if nothing else is said. Element (b, i, j) of a stack is at
// (b * rows + i) * columns + j.
//$ preface
#include <$header$>
using namespace pycuda::linalg;
typedef $type$ T;
typedef real_of<T>::type R;

//$ lu
extern "C" __global__ void $name$(T* a, int* pivots, int* parity, index n)
{
    factor_lu(a + blockIdx.x * n * n, n, pivots + blockIdx.x * n, parity + blockIdx.x);
}
//$ solve
//$     One block for every `width` columns of a matrix.
extern "C" __global__ void $name$(const T* lu, const int* pivots, T* b, index n, index columns, index width)
{
    const index groups = (columns + width - 1) / width, matrix = blockIdx.x / groups;
    const index first = blockIdx.x % groups * width;
    solve_lu(lu + matrix * n * n, n, pivots + matrix * n, b + matrix * n * columns, columns, first,
        min(first + width, columns));
}
//$ solve_small
//$     A few lanes for each matrix.
extern "C" __global__ void __launch_bounds__(128) $name$(const T* a, const T* b, T* x, int* is_singular, index count)
{
    solve_small<T, $rows$, $columns$>(a, b, x, is_singular, count);
}
//$ cholesky
extern "C" __global__ void $name$(T* a, int* is_definite, index n)
{
    factor_cholesky(a + blockIdx.x * n * n, n, is_definite + blockIdx.x);
}
//$ qr
extern "C" __global__ void $name$(T* a, T* tau, index rows, index columns)
{
    factor_qr(a + blockIdx.x * rows * columns, rows, columns, tau + blockIdx.x * min(rows, columns));
}
//$ form_q
extern "C" __global__ void $name$(const T* a, const T* tau, T* q, index rows, index columns, index width)
{
    form_q(a + blockIdx.x * rows * columns, rows, columns, tau + blockIdx.x * min(rows, columns),
        q + blockIdx.x * rows * width, width);
}
//$ rotate_rows
extern "C" __global__ void $name$(T* w, T* v, R* unsorted, R* norms, int* order, index count, index length,
    index v_length)
{
    w += blockIdx.x * count * length;
    orthogonalise(w, count, length, v + blockIdx.x * count * v_length, v_length);
    sorted_norms(w, count, length, unsorted + blockIdx.x * count, norms + blockIdx.x * count,
        order + blockIdx.x * count);
}
//$ order_rows
extern "C" __global__ void $name$(const T* from, const int* order, T* to, index count, index length)
{
    order_rows(from + blockIdx.x * count * length, order + blockIdx.x * count, to + blockIdx.x * count * length, count,
        length);
}
//$ schur
extern "C" __global__ void $name$(T* a, T* z, int* converged, index n)
{
    schur(a + blockIdx.x * n * n, z + blockIdx.x * n * n, n, converged + blockIdx.x);
}
//$ eigenvectors
extern "C" __global__ void $name$(const T* t, T* x, index n, R smallest)
{
    triangular_eigenvectors(t + blockIdx.x * n * n, x + blockIdx.x * n * n, n, smallest);
}
