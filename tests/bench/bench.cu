// The kernels of cpu_bench.
extern "C" {

__global__ void empty() {}

__global__ void saxpy(float a, const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += ta[y][j] * tb[j][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float s[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    s[t] = sum;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}

__global__ void mandelbrot(int* out, int width, int limit) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    const float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / width;
    float x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y < 4) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++n;
    }
    out[py * width + px] = n;
}

__global__ void collatz(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = i + 1;
    int steps = 0;
    while (v != 1) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        ++steps;
    }
    out[i] = steps;
}

__global__ void functions(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = sinf(data[i]) * expf(-data[i]) + sqrtf(data[i]) / (1 + logf(data[i] + 1));
}

__global__ void counter(unsigned* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(count, 1u);
}

__global__ void tickets(unsigned* count, unsigned mask, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[atomicAdd(count, 1u) & mask] = i;
}

__global__ void histogram(const unsigned* values, unsigned mask, unsigned* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i] & mask], 1u);
}

__global__ void histogram_shared(const unsigned* values, unsigned mask, unsigned* bins, int n) {
    __shared__ unsigned s[256];
    const int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[values[i] & mask], 1u);
    __syncthreads();
    atomicAdd(&bins[t], s[t]);
}

__global__ void add(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

__global__ void romberg(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double c = 1 + 1e-3 * i;
    double r[12] = {0.5 * (4 + 4 / (1 + c))}, h = 1;
#pragma unroll
    for (int level = 1; level < 12; ++level) {
        const int points = 1 << (level - 1);
        double sum = 0;
        h /= 2;
        for (int k = 0; k < points; ++k) {
            const double x = (2 * k + 1) * h;
            sum += 4 / (1 + c * x * x);
        }
        double previous = r[0], factor = 1;
        r[0] = 0.5 * r[0] + h * sum;
#pragma unroll
        for (int j = 1; j <= level; ++j) {
            const double older = r[j];
            factor *= 4;
            r[j] = r[j - 1] + (r[j - 1] - previous) / (factor - 1);
            previous = older;
        }
    }
    out[i] = static_cast<float>(r[11]);
}

}
