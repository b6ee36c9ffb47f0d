#pragma once

/// The kernels of bench.cu as plain C++ for one thread, as one would write them without a GPU.
struct Native {
    const char* name;  ///< the instruction set that it is built for
    void (*saxpy)(float a, const float* x, float* y, int n);
    void (*add)(const float* a, const float* b, float* out, int n);
    void (*matmul)(const float* a, const float* b, float* c, int n);
    void (*matmul_tiled)(const float* a, const float* b, float* c, int n);
    void (*reduce)(const float* in, float* out, int n);
    void (*mandelbrot)(int* out, int width, int limit);
    void (*collatz)(int* out, int n);
    void (*functions)(float* data, int n);
    void (*romberg)(float* out, int n);
    void (*counter)(unsigned* count, int n);
    void (*tickets)(unsigned* count, unsigned mask, int* out, int n);
    void (*histogram)(const unsigned* values, unsigned mask, unsigned* bins, int n);
};

// native.cpp, built once for each.
Native native_baseline();
Native native_v3();
