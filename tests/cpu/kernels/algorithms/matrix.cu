// Dense matrices: products by tiles in shared memory and in registers, and transposition.

template <class T, int tile>
__device__ void product(const T* a, const T* b, T* c, int rows, int inner, int columns) {
    __shared__ T as[tile][tile + 1], bs[tile][tile + 1];
    const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    T sum = 0;
    for (int first = 0; first < inner; first += tile) {
        const int k = first + threadIdx.x, l = first + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : T(0);
        bs[threadIdx.y][threadIdx.x] = column < columns && l < inner ? b[l * columns + column] : T(0);
        __syncthreads();
#pragma unroll
        for (int m = 0; m < tile; ++m) sum += as[threadIdx.y][m] * bs[m][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
extern "C" __global__ void __launch_bounds__(256) product_float(const float* a, const float* b, float* c, int rows,
                                                                int inner, int columns) {
    product<float, 16>(a, b, c, rows, inner, columns);
}
extern "C" __global__ void product_double(const double* a, const double* b, double* c, int rows, int inner,
                                          int columns) {
    product<double, 8>(a, b, c, rows, inner, columns);
}
extern "C" __global__ void product_long(const long long* a, const long long* b, long long* c, int rows, int inner,
                                        int columns) {
    product<long long, 8>(a, b, c, rows, inner, columns);
}

// Four by four results a thread; a block of 64 threads makes 32 by 32. Sizes are multiples of 32.
extern "C" __global__ void product_in_registers(const float* a, const float* b, float* c, int inner, int columns) {
    __shared__ float as[8][32], bs[8][32];
    const int t = threadIdx.x, row = blockIdx.y * 32, column = blockIdx.x * 32;
    float sums[4][4] = {};
    for (int first = 0; first < inner; first += 8) {
        for (int k = t; k < 256; k += 64) {
            as[k % 8][k / 8] = a[(row + k / 8) * inner + first + k % 8];
            bs[k / 32][k % 32] = b[(first + k / 32) * columns + column + k % 32];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            const float4 x = *reinterpret_cast<float4*>(&as[k][t / 8 * 4]);
            const float4 y = *reinterpret_cast<float4*>(&bs[k][t % 8 * 4]);
            const float xs[] = {x.x, x.y, x.z, x.w}, ys[] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) sums[i][j] += xs[i] * ys[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(&c[(row + t / 8 * 4 + i) * columns + column + t % 8 * 4]) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

// Whole strips in dynamic shared memory: more than 48 kilobytes for 16 rows of 2000.
extern "C" __global__ void transpose(const short2* in, short2* out, int rows, int columns) {
    extern __shared__ short2 strip[];
    const int first = blockIdx.x * 16, height = min(16, rows - first);
    for (int k = threadIdx.x; k < height * columns; k += blockDim.x) strip[k] = in[first * columns + k];
    __syncthreads();
    for (int k = threadIdx.x; k < height * columns; k += blockDim.x) {
        const int row = k % height, column = k / height;
        out[column * rows + first + row] = strip[row * columns + column];
    }
}
