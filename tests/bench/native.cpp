#include "native.hpp"

#include <math.h>  // not <cmath>: no inline function may be shared between the two builds

namespace {

void saxpy(float a, const float* x, float* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void add(const float* a, const float* b, float* out, int n) {
    for (int i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

void matmul(const float* a, const float* b, float* c, int n) {
    for (int row = 0; row < n; ++row)
        for (int column = 0; column < n; ++column) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
}

constexpr int tile = 16;

void load_tile(float (&to)[tile][tile], const float* from, int n) {
    for (int y = 0; y < tile; ++y)
        for (int x = 0; x < tile; ++x) to[y][x] = from[y * n + x];
}

void matmul_tiled(const float* a, const float* b, float* c, int n) {
    for (int row = 0; row < n; row += tile)
        for (int column = 0; column < n; column += tile) {
            float ta[tile][tile], tb[tile][tile], sum[tile][tile] = {};
            for (int k = 0; k < n; k += tile) {
                load_tile(ta, a + row * n + k, n);
                load_tile(tb, b + k * n + column, n);
                for (int y = 0; y < tile; ++y)
                    for (int j = 0; j < tile; ++j)
                        for (int x = 0; x < tile; ++x) sum[y][x] += ta[y][j] * tb[j][x];
            }
            for (int y = 0; y < tile; ++y)
                for (int x = 0; x < tile; ++x) c[(row + y) * n + column + x] = sum[y][x];
        }
}

void reduce(const float* in, float* out, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[i];
    *out += sum;
}

void mandelbrot(int* out, int width, int limit) {
    for (int py = 0; py < width; ++py)
        for (int px = 0; px < width; ++px) {
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
}

void collatz(int* out, int n) {
    for (int i = 0; i < n; ++i) {
        unsigned v = static_cast<unsigned>(i) + 1;
        int steps = 0;
        while (v != 1) {
            v = v % 2 ? 3 * v + 1 : v / 2;
            ++steps;
        }
        out[i] = steps;
    }
}

void functions(float* data, int n) {
    for (int i = 0; i < n; ++i) data[i] = sinf(data[i]) * expf(-data[i]) + sqrtf(data[i]) / (1 + logf(data[i] + 1));
}

/// In one thread, but atomic: otherwise the compiler would combine all additions into one.
double romberg(int i) {
    const double c = 1 + 1e-3 * i;
    double r[12] = {0.5 * (4 + 4 / (1 + c))}, h = 1;
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
        for (int j = 1; j <= level; ++j) {
            const double older = r[j];
            factor *= 4;
            r[j] = r[j - 1] + (r[j - 1] - previous) / (factor - 1);
            previous = older;
        }
    }
    return r[11];
}

void romberg(float* out, int n) {
    for (int i = 0; i < n; ++i) out[i] = static_cast<float>(romberg(i));
}

void counter(unsigned* count, int n) {
    for (int i = 0; i < n; ++i) __atomic_fetch_add(count, 1u, __ATOMIC_RELAXED);
}

void tickets(unsigned* count, unsigned mask, int* out, int n) {
    for (int i = 0; i < n; ++i) out[(*count)++ & mask] = i;
}

void histogram(const unsigned* values, unsigned mask, unsigned* bins, int n) {
    for (int i = 0; i < n; ++i) ++bins[values[i] & mask];
}

}  // namespace

Native NATIVE() {
    return {NATIVE_NAME, saxpy,     add,     matmul,  matmul_tiled, reduce,   mandelbrot,
            collatz,     functions, romberg, counter, tickets,      histogram};
}
