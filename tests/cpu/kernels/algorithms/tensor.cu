// Products of matrices by tensor cores: through nvcuda::wmma, and through ldmatrix and mma.sync as libraries have them.
#include <mma.h>

using namespace nvcuda;

__device__ constexpr bool in_rows(const wmma::row_major*) {
    return true;
}
__device__ constexpr bool in_rows(const wmma::col_major*) {
    return false;
}

// One warp a tile of C, which it starts from.
template <class Element, class Sum, class Order, int M, int N, int K, class Stored>
__device__ void product(const Stored* a, const Stored* b, const Sum* c, Sum* d, int columns, int inner) {
    const int row = blockIdx.y * M, column = blockIdx.x * N;
    wmma::fragment<wmma::matrix_a, M, N, K, Element, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Element, Order> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(sum, c + row * columns + column, columns, wmma::mem_row_major);
    for (int k = 0; k < inner; k += K) {
        wmma::load_matrix_sync(fa, a + row * inner + k, inner);
        const bool by_rows = in_rows(static_cast<Order*>(nullptr));
        wmma::load_matrix_sync(fb, by_rows ? b + k * columns + column : b + column * inner + k, by_rows ? columns : inner);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(d + row * columns + column, sum, columns, wmma::mem_row_major);
}

#define PRODUCT(name, Element, Stored, Sum, Order, M, N, K)                                                      \
    extern "C" __global__ void name(const Stored* a, const Stored* b, const Sum* c, Sum* d, int columns, int inner) { \
        product<Element, Sum, wmma::Order, M, N, K>(a, b, c, d, columns, inner);                                 \
    }
PRODUCT(half_float, half, half, float, row_major, 16, 16, 16)
PRODUCT(half_half, half, half, half, col_major, 16, 16, 16)
PRODUCT(half_wide, half, half, float, col_major, 8, 32, 16)
PRODUCT(bfloat_tall, __nv_bfloat16, __nv_bfloat16, float, row_major, 32, 8, 16)
PRODUCT(tf32_float, wmma::precision::tf32, float, float, row_major, 16, 16, 8)
PRODUCT(double_double, double, double, double, col_major, 8, 8, 4)
PRODUCT(char_int, signed char, signed char, int, row_major, 16, 16, 16)
PRODUCT(byte_int, unsigned char, unsigned char, int, col_major, 32, 8, 16)

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Four warps a tile of 32 × 32; A and B are in rows of halves, tiles of 16 along K go through shared memory.
extern "C" __global__ void through_ldmatrix(const half* a, const half* b, float* d, int columns, int inner) {
    __shared__ __align__(16) half ta[32][16], tb[16][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / 2 * 16, column = warp % 2 * 16;
    float sum[2][4] = {};
    for (int k = 0; k < inner; k += 16) {
        for (int n = threadIdx.x; n < 32 * 16; n += blockDim.x) {
            ta[n / 16][n % 16] = a[(blockIdx.y * 32 + n / 16) * inner + k + n % 16];
            tb[n / 32][n % 32] = b[(k + n / 32) * columns + blockIdx.x * 32 + n % 32];
        }
        __syncthreads();
        unsigned fa[4], fb[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"(shared_address(&ta[row + lane % 16][lane / 16 * 8]))
                     : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                     : "r"(shared_address(&tb[lane % 16][column + lane / 16 * 8]))
                     : "memory");
        for (int n = 0; n < 2; ++n)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                         "{%0, %1, %2, %3};"
                         : "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * n]), "r"(fb[2 * n + 1]));
        __syncthreads();
    }
    for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 4; ++i) {
            const int r = blockIdx.y * 32 + row + lane / 4 + i / 2 * 8;
            d[r * columns + blockIdx.x * 32 + column + n * 8 + lane % 4 * 2 + i % 2] = sum[n][i];
        }
}

// Lanes come to the instruction by different ways.
extern "C" __global__ void after_branches(const half* a, const half* b, float* d) {
    unsigned fa[4], fb[2];
    float sum[4];
    if (threadIdx.x % 3 == 0)
        for (int i = 0; i < 4; ++i) sum[i] = threadIdx.x + i;
    else
        for (int i = 0; i < 4; ++i) sum[i] = threadIdx.x * i;
    for (unsigned i = 0; i < threadIdx.x % 5; ++i) sum[i % 4] += i;
    for (int i = 0; i < 4; ++i) fa[i] = reinterpret_cast<const unsigned*>(a)[4 * threadIdx.x + i];
    for (int i = 0; i < 2; ++i) fb[i] = reinterpret_cast<const unsigned*>(b)[2 * threadIdx.x + i];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; ++i) d[4 * threadIdx.x + i] = sum[i];
}
