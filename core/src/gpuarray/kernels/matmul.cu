// Matrix products, of single matrices and of stacks.
//$ preface
$includes$typedef $a$ A;
typedef $b$ B;
typedef $value$ V;
typedef $out$ R;

struct Space {
    pycuda::arrays::WideDivisor tiles, across;  // tiles of a matrix, and in a row of them; in the small kernel, elements
    pycuda::arrays::WideDivisor axis[$size$];
    long long stride[3][$size$];
    long long m, n, k;
    long long out_row, out_column, a_row, a_column, b_row, b_column;
    int a_by_column, b_by_column;  // true if elements of a column are closer in memory than those of a row
};
//$ to_matrix
    {
        unsigned long long rest = matrix;
#pragma unroll
        for (int axis = $rank$ - 1; axis >= 0; --axis) {
            const unsigned long long next = space.axis[axis].divide(rest);
            const long long at = rest - next * space.axis[axis].size;
            rest = next;
            out += at * space.stride[0][axis];
            a += at * space.stride[1][axis];
            b += at * space.stride[2][axis];
        }
    }
//$ small_kernel
//$     One thread per element of the result.

extern "C" __global__ void __launch_bounds__(128) $name$(char* out, const char* a, const char* b, const Space space,
    unsigned long long n)
{
    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
    if (i >= n) return;
    const unsigned long long matrix = space.tiles.divide(i), tile = i - matrix * space.tiles.size;
    const long long row = space.across.divide(tile), column = tile - row * space.across.size;
$to_matrix$    a += row * space.a_row;
    b += column * space.b_column;
    V sum = V(0);
#pragma unroll 4
    for (long long k = 0; k < space.k; ++k) {
        V x, y;
        {
            const A& element = *reinterpret_cast<const A*>(a + k * space.a_column);
            x = $from_a$;
        }
        {
            const B& element = *reinterpret_cast<const B*>(b + k * space.b_row);
            y = $from_b$;
        }
        sum = static_cast<V>(sum + x * y);
    }
    *reinterpret_cast<R*>(out + row * space.out_row + column * space.out_column) = $result$;
}
//$ tiled_kernel

/// 16 x 16 threads compute a tile of 64 x 64 elements. Each has 4 x 4, 16 apart, so that adjacent threads have adjacent elements.
extern "C" __global__ void __launch_bounds__(256) $name$(char* out, const char* a, const char* b, const Space space)
{
    __shared__ pycuda::arrays::Room<V> as[16][65], bs[16][65];
    const unsigned long long matrix = space.tiles.divide(blockIdx.x), tile = blockIdx.x - matrix * space.tiles.size;
    const long long down = space.across.divide(tile), row0 = down * 64,
                    column0 = (tile - down * space.across.size) * 64;
$to_matrix$    const unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    // The order of the copies is chosen before the loop; otherwise the compiler emits the loop once per case.
    const unsigned ar = space.a_by_column ? tx : ty, ak = space.a_by_column ? ty : tx;
    const unsigned bc = space.b_by_column ? ty : tx, bk = space.b_by_column ? tx : ty;
    a += (row0 + ar) * space.a_row + ak * space.a_column;
    b += (column0 + bc) * space.b_column + bk * space.b_row;
    const long long a_step = 16 * space.a_row, b_step = 16 * space.b_column;
    V sums[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] = V(0);
    for (long long k0 = 0; k0 < space.k; k0 += 16, a += 16 * space.a_column, b += 16 * space.b_row) {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            V x = V(0), y = V(0);
            if (row0 + ar + 16 * part < space.m && k0 + ak < space.k) {
                const A& element = *reinterpret_cast<const A*>(a + part * a_step);
                x = $from_a$;
            }
            if (column0 + bc + 16 * part < space.n && k0 + bk < space.k) {
                const B& element = *reinterpret_cast<const B*>(b + part * b_step);
                y = $from_b$;
            }
            as[ak][ar + 16 * part].put(x);
            bs[bk][bc + 16 * part].put(y);
        }
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 16; ++k) {
            V x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) x[i] = as[k][ty + 16 * i].get();
#pragma unroll
            for (int j = 0; j < 4; ++j) y[j] = bs[k][tx + 16 * j].get();
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] = static_cast<V>(sums[i][j] + x[i] * y[j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const long long row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;
            if (row < space.m && column < space.n)
                *reinterpret_cast<R*>(out + row * space.out_row + column * space.out_column) = $result$;
        }
}
