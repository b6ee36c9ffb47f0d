// Fast Fourier transform, one row a block: Stockham's radix-2 form in dynamic shared memory, no bit reversal.

__device__ inline void unit_root(float turns, float* s, float* c) { sincospif(turns, s, c); }
__device__ inline void unit_root(double turns, double* s, double* c) { sincospi(turns, s, c); }

template <class Real, class Complex>
__device__ void transform_row(const Complex* in, Complex* out, Real sign) {
    extern __shared__ __align__(16) unsigned char dynamic[];
    const unsigned half = blockDim.x, t = threadIdx.x;  // two elements per thread
    Complex* from = reinterpret_cast<Complex*>(dynamic);
    Complex* to = from + 2 * half;
    in += 2 * half * blockIdx.x;
    out += 2 * half * blockIdx.x;
    from[t] = in[t];
    from[t + half] = in[t + half];
    __syncthreads();
    for (unsigned m = 1; m <= half; m *= 2) {
        const unsigned k = t & (m - 1);
        const Complex a = from[t], b = from[t + half];
        Real s, c;
        unit_root(sign * Real(k) / Real(m), &s, &c);
        Complex turned;
        turned.x = b.x * c - b.y * s;
        turned.y = b.x * s + b.y * c;
        Complex* at = to + 2 * t - k;
        at[0].x = a.x + turned.x;
        at[0].y = a.y + turned.y;
        at[m].x = a.x - turned.x;
        at[m].y = a.y - turned.y;
        __syncthreads();
        Complex* const swapped = from;
        from = to;
        to = swapped;
    }
    out[t] = from[t];
    out[t + half] = from[t + half];
}

extern "C" __global__ void fft_float(const float2* in, float2* out, float sign) { transform_row(in, out, sign); }
extern "C" __global__ void fft_double(const double2* in, double2* out, double sign) { transform_row(in, out, sign); }
