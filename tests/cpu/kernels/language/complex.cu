// Complex numbers of pycuda-complex.hpp.
#include <pycuda-complex.hpp>

template <class Real>
__device__ void arithmetic(const pycuda::complex<Real>* a, const pycuda::complex<Real>* b, pycuda::complex<Real>* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const pycuda::complex<Real> x = a[i], y = b[i];
    out += 8 * i;
    out[0] = x + y * Real(2);
    out[1] = x * y;
    out[2] = x / y;
    out[3] = conj(x) - y;
    out[4] = Real(1) / x;
    out[5] = pycuda::complex<Real>(abs(x), arg(y));
    out[6] = pycuda::complex<Real>(norm(x), x == y);
    out[7] = -x;
    out[7] += y;
    out[7] *= pycuda::complex<Real>(0, 1);
}
extern "C" __global__ void arithmetic_float(const pycuda::complex<float>* a, const pycuda::complex<float>* b,
                                            pycuda::complex<float>* out) {
    arithmetic(a, b, out);
}
extern "C" __global__ void arithmetic_double(const pycuda::complex<double>* a, const pycuda::complex<double>* b,
                                             pycuda::complex<double>* out) {
    arithmetic(a, b, out);
}

extern "C" __global__ void functions(const pycuda::complex<double>* a, pycuda::complex<double>* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const pycuda::complex<double> x = a[i];
    out += 8 * i;
    out[0] = sqrt(x);
    out[1] = exp(x);
    out[2] = log(x);
    out[3] = sin(x);
    out[4] = cos(x);
    out[5] = tanh(x);
    out[6] = pow(x, pycuda::complex<double>(0.5, 1));
    out[7] = pow(x, 3);
}

// The Mandelbrot set: how many steps a point stays within the circle of radius 2.
extern "C" __global__ void mandelbrot(int* steps, int width, int height, int most) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    const pycuda::complex<double> c(column * (3.0 / 64) - 2, row * (2.5 / 64) - 1.25);
    pycuda::complex<double> z(0, 0);
    int k = 0;
    while (k < most && norm(z) <= 4) {
        z = z * z + c;
        ++k;
    }
    steps[row * width + column] = k;
}
