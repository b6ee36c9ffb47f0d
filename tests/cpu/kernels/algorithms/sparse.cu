// Sparse matrix times vector: compressed rows with a thread or a warp per row, and the ELLPACK layout.

template <class Real>
struct Rows {
    const unsigned* starts;
    const unsigned* columns;
    const Real* values;
    unsigned count;
};

extern "C" __global__ void csr_thread_per_row(Rows<float> rows, const float* x, float* y) {
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows.count) return;
    float sum = 0;
    for (unsigned k = rows.starts[row]; k < rows.starts[row + 1]; ++k) sum += rows.values[k] * x[rows.columns[k]];
    y[row] = sum;
}

extern "C" __global__ void csr_warp_per_row(Rows<double> rows, const double* __restrict__ x, double* y) {
    const unsigned lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows.count) return;
    double sum = 0;
    for (unsigned k = rows.starts[row] + lane; k < rows.starts[row + 1]; k += 32)
        sum += rows.values[k] * __ldg(&x[rows.columns[k]]);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

// `width` entries a row, column after column; a column of ~0 is padding.
extern "C" __global__ void ellpack(const unsigned* columns, const float* values, unsigned width, unsigned count,
                                   const float* x, float* y) {
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count) return;
    float sum = 0;
    for (unsigned k = 0; k < width; ++k) {
        const unsigned column = columns[k * count + row];
        if (column != ~0u) sum = fmaf(values[k * count + row], x[column], sum);
    }
    y[row] = sum;
}
