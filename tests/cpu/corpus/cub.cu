#include <cub/cub.cuh>
__global__ void red(const int* in, int* out, int n) {
    typedef cub::BlockReduce<int, 128> R;
    __shared__ typename R::TempStorage t;
    int s = R(t).Sum(in[threadIdx.x]);
    if (!threadIdx.x) *out = s;
}
__global__ void scan(int* d) {
    typedef cub::BlockScan<int, 128> R;
    __shared__ typename R::TempStorage t;
    int v = d[threadIdx.x];
    R(t).ExclusiveSum(v, v);
    d[threadIdx.x] = v;
}
__global__ void sort(int* d) {
    typedef cub::BlockRadixSort<int, 128, 4> R;
    __shared__ typename R::TempStorage t;
    int k[4];
    for (int i = 0; i < 4; i++) k[i] = d[threadIdx.x * 4 + i];
    R(t).Sort(k);
    for (int i = 0; i < 4; i++) d[threadIdx.x * 4 + i] = k[i];
}
__global__ void hist(unsigned char* d, unsigned* o) {
    typedef cub::BlockHistogram<unsigned char, 128, 4, 256> R;
    __shared__ typename R::TempStorage t;
    __shared__ unsigned h[256];
    unsigned char k[4];
    for (int i = 0; i < 4; i++) k[i] = d[threadIdx.x * 4 + i];
    R(t).Histogram(k, h);
    __syncthreads();
    o[threadIdx.x] = h[threadIdx.x];
}
__global__ void wr(float* d) {
    typedef cub::WarpReduce<float> R;
    __shared__ typename R::TempStorage t;
    d[0] = R(t).Reduce(d[threadIdx.x], cuda::maximum<>{});
    typedef cub::WarpScan<double> W;
}
int main() {
    int* a = 0;
    size_t n = 0;
    cub::DeviceReduce::Sum((void*)0, n, a, a, 10);
    cub::DeviceScan::InclusiveSum((void*)0, n, a, a, 10);
    cub::DeviceRadixSort::SortKeys((void*)0, n, a, a, 10);
    cub::DeviceSelect::Flagged((void*)0, n, a, a, a, a, 10);
}
