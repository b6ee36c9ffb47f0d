// Stencils: heat on a plane that is read through a texture, and a volume through tiles in shared memory.

// One step on a plane; the texture repeats the plane's edge outside of it. The factors are powers of two, so that every
// order of the sums gives the same.
extern "C" __global__ void heat(cudaTextureObject_t plane, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float fx = x + 0.5f, fy = y + 0.5f;
    const float middle = tex2D<float>(plane, fx, fy);
    const float around = tex2D<float>(plane, fx - 1, fy) + tex2D<float>(plane, fx + 1, fy) +
                         tex2D<float>(plane, fx, fy - 1) + tex2D<float>(plane, fx, fy + 1);
    out[y * width + x] = 0.5f * middle + 0.125f * around;
}

// Sobel's edges of a picture of bytes: the texture gives numbers from 0 to 1 and wraps around.
extern "C" __global__ void edges(cudaTextureObject_t picture, float2* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float v[3][3];
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx)
            v[dy + 1][dx + 1] = tex2D<float>(picture, (x + dx + 0.5f) / width, (y + dy + 0.5f) / height);
    out[y * width + x] = make_float2(v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0],
                                     v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2]);
}

// Twice the size, by linear filtering, straight into a surface.
extern "C" __global__ void enlarge(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) surf2Dwrite(tex2D<float4>(from, (x + 0.5f) / 2, (y + 0.5f) / 2), to, x * 16, y);
}

// Seven points of a volume; a block's tile has a halo. Sizes need not be multiples of the block's.
template <class T, int tile_x, int tile_y, int tile_z>
__device__ void seven_points(const T* in, T* out, int3 size) {
    __shared__ T tile[tile_z + 2][tile_y + 2][tile_x + 2];
    const int3 first = make_int3(blockIdx.x * tile_x - 1, blockIdx.y * tile_y - 1, blockIdx.z * tile_z - 1);
    const int rank = (threadIdx.z * tile_y + threadIdx.y) * tile_x + threadIdx.x;
    for (int k = rank; k < (tile_x + 2) * (tile_y + 2) * (tile_z + 2); k += tile_x * tile_y * tile_z) {
        const int dx = k % (tile_x + 2), dy = k / (tile_x + 2) % (tile_y + 2), dz = k / (tile_x + 2) / (tile_y + 2);
        const int x = first.x + dx, y = first.y + dy, z = first.z + dz;
        const bool inside = x >= 0 && y >= 0 && z >= 0 && x < size.x && y < size.y && z < size.z;
        tile[dz][dy][dx] = inside ? in[(z * size.y + y) * size.x + x] : T(0);
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1, z = threadIdx.z + 1;
    const int3 at = make_int3(first.x + x, first.y + y, first.z + z);
    if (at.x >= size.x || at.y >= size.y || at.z >= size.z) return;
    const T around = tile[z][y][x - 1] + tile[z][y][x + 1] + tile[z][y - 1][x] + tile[z][y + 1][x] +
                     tile[z - 1][y][x] + tile[z + 1][y][x];
    out[(at.z * size.y + at.y) * size.x + at.x] = T(0.25) * tile[z][y][x] + T(0.125) * around;
}
extern "C" __global__ void __launch_bounds__(8 * 4 * 4) volume_float(const float* in, float* out, int3 size) {
    seven_points<float, 8, 4, 4>(in, out, size);
}
extern "C" __global__ void volume_double(const double* in, double* out, int3 size) {
    seven_points<double, 16, 2, 3>(in, out, size);
}
