// Functions for the kernels of array operations: 16-bit floating-point types, and arithmetic that C leaves undefined or
// that differs from NumPy's. Kept small, because the first use of every operation parses it. For complex numbers,
// define PYCUDA_ARRAYS_COMPLEX and include pycuda-complex.hpp before it.
#pragma once

#ifdef PYCUDA_ARRAYS_COMPLEX
#include "pycuda-complex-inverse.hpp"
#endif

namespace pycuda {
namespace arrays {

/// IEEE binary16. Values are converted to float for arithmetic, and results are rounded once.
struct f16 {
    unsigned short bits;
    f16() = default;
    __device__ explicit f16(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
    __device__ explicit f16(double value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value)); }
    template <class T>
    __device__ explicit f16(T value) : f16(static_cast<float>(value)) {}
    __device__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
};

/// bfloat16: the upper half of a float.
struct bf16 {
    unsigned short bits;
    bf16() = default;
    template <class T>
    __device__ explicit bf16(T number) {
        const float value = static_cast<float>(number);
        const unsigned all = __float_as_uint(value);
        bits = value != value ? all >> 16 | 0x40 : (all + 0x7fff + (all >> 16 & 1)) >> 16;
    }
    __device__ operator float() const { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
};

/// An element of a bool array: true unless its byte is 0, as in NumPy. Masks of 0 and 255 viewed as bool are common,
/// and the compiler assumes 0 or 1 in a C++ bool.
struct b8 {
    unsigned char byte;
    b8() = default;
    __device__ b8(bool value) : byte(value) {}
    __device__ operator bool() const { return byte != 0; }
};

// ---- integers. Division by zero gives 0, as in NumPy.

// ptxas (13.0) widens a negation in 16 bits that is then used in 32, as if it could not overflow: -(-32768) was 32768.
// The compiler would narrow one in 32 bits that it can see.
template <class T>
__device__ T negative(T x) {
    if constexpr (sizeof(T) == 2) {
        int y;
        asm("neg.s32 %0, %1;" : "=r"(y) : "r"(static_cast<int>(x)));
        return static_cast<T>(y);
    } else {
        return -x;
    }
}

template <class T>
__device__ T quotient(T x, T y) {
    if (y == T(0)) return T(0);
    if (T(-1) < T(0) && y == T(-1)) return negative(x);
    return x / y;
}

template <class T>
__device__ T remainder(T x, T y) {
    if (y == T(0) || (T(-1) < T(0) && y == T(-1))) return T(0);
    return x % y;
}

template <class T>
__device__ T floor_div(T x, T y) {
    if (y == T(0)) return T(0);
    if (T(-1) < T(0) && y == T(-1)) return negative(x);
    const T q = x / y;  // a single division, because 64-bit divisions are slow
    return T(q * y) != x && (x < 0) != (y < 0) ? q - 1 : q;
}

template <class T>
__device__ T floor_mod(T x, T y) {
    const T r = remainder<T>(x, y);
    return r != 0 && (x < 0) != (y < 0) ? r + y : r;
}

/// Common powers of floating-point numbers are rounded once: pow() errs in the last place, even for x ** 1, and is
/// slow. Negative powers of integers are fractions, rounded to 0; only those of 1 and -1 are integers.
template <class T>
__device__ T power(T x, T y) {
    if constexpr (T(0.5) != T(0)) {
        if (y == T(0.5) && x > T(0)) return ::sqrt(x);
        return y == T(2) ? x * x : y == T(3) ? x * x * x : y == T(1) ? x : y == T(-1) ? T(1) / x : ::pow(x, y);
    } else {
        if (y < T(0)) return x == T(1) || (x == T(-1) && y % T(2) == T(0)) ? T(1) : x == T(-1) ? x : T(0);
        T result = T(1);
        for (; y != T(0); y = y / T(2)) {
            if (y % T(2) != T(0)) result = result * x;
            x = x * x;
        }
        return result;
    }
}

/// The magnitude of an integer; in 64 bits, so that it always fits.
template <class T>
__device__ unsigned long long magnitude(T x) {
    return x < T(0) ? 0ull - static_cast<unsigned long long>(x) : static_cast<unsigned long long>(x);
}

template <class T>
__device__ T gcd(T x, T y) {
    unsigned long long a = magnitude(x), b = magnitude(y);
    while (b != 0) {
        const unsigned long long rest = a % b;
        a = b;
        b = rest;
    }
    return static_cast<T>(a);
}

template <class T>
__device__ T lcm(T x, T y) {
    if (x == T(0) || y == T(0)) return T(0);
    const unsigned long long a = magnitude(x), b = magnitude(y), divisor = magnitude(gcd<T>(x, y));
    return static_cast<T>(a / divisor * b);
}

template <class T>
__device__ T shift_left(T x, T y) {
    return static_cast<unsigned long long>(y) < 8 * sizeof(T) ? T(x << y) : T(0);
}

template <class T>
__device__ T shift_right(T x, T y) {
    if (static_cast<unsigned long long>(y) < 8 * sizeof(T)) return x >> y;
    return x < T(0) ? T(-1) : T(0);
}

// ---- floating point

__device__ inline float fmod(float x, float y) {
    return ::fmodf(x, y);
}
__device__ inline double fmod(double x, double y) {
    return ::fmod(x, y);
}
__device__ inline float floor(float x) {
    return ::floorf(x);
}
__device__ inline double floor(double x) {
    return ::floor(x);
}
__device__ inline float copysign(float x, float y) {
    return ::copysignf(x, y);
}
__device__ inline double copysign(double x, double y) {
    return ::copysign(x, y);
}
__device__ inline float frexp(float x, int* exponent) {
    return ::frexpf(x, exponent);
}
__device__ inline double frexp(double x, int* exponent) {
    return ::frexp(x, exponent);
}

/// Python's //: (x - r) / y, where the remainder r has the sign of y.
template <class T>
__device__ T floor_div_real(T x, T y) {
    if (y == T(0)) return x / y;
    const T rest = arrays::fmod(x, y);
    T q = (x - rest) / y;
    if (rest != T(0) && (rest < T(0)) != (y < T(0))) q -= T(1);
    if (q == T(0)) return arrays::copysign(T(0), x / y);
    const T whole = arrays::floor(q);
    return q - whole > T(0.5) ? whole + T(1) : whole;
}

template <class T>
__device__ T floor_mod_real(T x, T y) {
    const T rest = arrays::fmod(x, y);
    if (y == T(0)) return rest;
    if (rest == T(0)) return arrays::copysign(T(0), y);
    return (rest < T(0)) != (y < T(0)) ? rest + y : rest;
}

__device__ inline float nextafter(float x, float y, float) {
    return ::nextafterf(x, y);
}
__device__ inline double nextafter(double x, double y, double) {
    return ::nextafter(x, y);
}
/// For 16-bit types: their bits, read as an integer, increase with the magnitude.
template <class S>
__device__ float nextafter(float x, float y, S) {
    S from(x), to(y);
    if (x != x || y != y) return x + y;
    if (float(from) == float(to)) return to;
    if (float(from) == 0) {
        from.bits = (to.bits & 0x8000) | 1;
        return from;
    }
    from.bits += (float(from) < float(to)) == (float(from) > 0) ? 1 : -1;
    return from;
}

template <class T>
__device__ bool is_infinite(T x) {
    return x == x && x - x != T(0);
}

template <class T>
__device__ T significand(T x) {
    int exponent;
    return arrays::frexp(x, &exponent);
}

template <class T>
__device__ T exponent(T x) {
    int exponent = 0;
    if (x - x == T(0)) arrays::frexp(x, &exponent);
    return static_cast<T>(exponent);
}

// ---- any type

/// Return -1, 0 or 1 if x is less than, equal to or greater than y, for a signed and an unsigned integer.
template <class A, class B>
__device__ int order(A x, B y) {
    if (x < A(0)) return -1;
    if (y < B(0)) return 1;
    const unsigned long long a = x, b = y;
    return (a > b) - (a < b);
}

template <class T>
__device__ bool is_true(T x) {
    return x != T(0);
}

/// The smaller and the larger number; NaN only if both are NaN.
template <class T>
__device__ T smaller(T x, T y) {
    return y < x ? y : x;
}
template <class T>
__device__ T larger(T x, T y) {
    return y > x ? y : x;
}
__device__ inline float smaller(float x, float y) {
    return ::fminf(x, y);
}
__device__ inline float larger(float x, float y) {
    return ::fmaxf(x, y);
}
__device__ inline double smaller(double x, double y) {
    return ::fmin(x, y);
}
__device__ inline double larger(double x, double y) {
    return ::fmax(x, y);
}

template <class T>
__device__ T clip(T x, T low, T high) {
    const T raised = x >= low || x != x ? x : low;
    return raised <= high || raised != raised ? raised : high;
}

/// A product that is rounded before another number is added to it.
__device__ inline float rounded_product(float x, float y) {
    return __fmul_rn(x, y);
}
__device__ inline double rounded_product(double x, double y) {
    return __dmul_rn(x, y);
}

/// NumPy's isclose() for the magnitudes of x - y and y, rounded to S, the type of elements, after each step.
template <class T, class S>
__device__ bool is_within(T difference, T magnitude, T relative, T absolute, S) {
    const T share = T(S(rounded_product(T(S(relative)), magnitude)));
    return T(S(difference)) <= T(S(T(S(absolute)) + share)) && magnitude - magnitude == 0;
}
template <class S>
__device__ bool is_close(float x, float y, float relative, float absolute, S s) {
    return x == y || is_within(::fabsf(x - y), ::fabsf(y), relative, absolute, s);
}
__device__ inline bool is_close(double x, double y, double relative, double absolute, double s) {
    return x == y || is_within(::fabs(x - y), ::fabs(y), relative, absolute, s);
}

#ifdef PYCUDA_ARRAYS_COMPLEX
template <class T, class S>
__device__ bool is_close(const pycuda::complex<T>& x, const pycuda::complex<T>& y, const pycuda::complex<T>& relative,
                         const pycuda::complex<T>& absolute, S) {
    return x == y || is_within(pycuda::abs(x - y), pycuda::abs(y), relative.real(), absolute.real(), T());
}

/// NumPy's order of complex numbers: by real part, then by imaginary part; false if either number has a NaN part.
template <class T>
__device__ bool less(const pycuda::complex<T>& x, const pycuda::complex<T>& y) {
    if (x.real() == y.real()) return x.imag() < y.imag();
    return x.real() < y.real() && x.imag() == x.imag() && y.imag() == y.imag();
}
#endif

// ---- between threads

/// A bool padded to the alignment of the preceding value: a structure of both has no unwritten bytes.
template <unsigned long alignment>
struct FlagBeside {
    typedef unsigned long long Type;
};
template <>
struct FlagBeside<1> {
    typedef unsigned char Type;
};
template <>
struct FlagBeside<2> {
    typedef unsigned short Type;
};
template <>
struct FlagBeside<4> {
    typedef unsigned Type;
};

/// Shared memory for a value of any type. Its constructor does not run: shared variables must not have one.
template <class T>
struct alignas(alignof(T)) Room {
    char bytes[sizeof(T)];
    __device__ void put(const T& value) { *reinterpret_cast<T*>(bytes) = value; }
    __device__ T get() const { return *reinterpret_cast<const T*>(bytes); }
};

/// A value as 32-bit words, which volatile accesses can move.
template <class T>
union Words {
    static constexpr int count = (sizeof(T) + 3) / 4;
    int word[count];
    T value;
    __device__ Words() { word[count - 1] = 0; }
    __device__ Words(const T& other) {
        word[count - 1] = 0;
        value = other;
    }
};

/// Sleep for about this many nanoseconds; a no-op before compute capability 7.0.
__device__ inline void rest(unsigned nanoseconds) {
#if __CUDA_ARCH__ >= 700
    __nanosleep(nanoseconds);
#endif
}

/// One message from each block to later blocks, in memory that is 0 at the start. Each 64-bit word holds 32 bits of the
/// value, and a flag that they are present. It is read and written atomically, so no slow memory fence has to order the
/// value before its flag.
template <class T>
struct Announcements {
    volatile unsigned long long* words;  // in global memory; volatile accesses bypass the multiprocessor's own caches

    __device__ explicit Announcements(char* memory) : words(reinterpret_cast<volatile unsigned long long*>(memory)) {}

    __device__ void tell(unsigned long long block, const T& value) {
        const Words<T> parts(value);
        for (int k = 0; k < Words<T>::count; ++k)
            words[block * Words<T>::count + k] = 1ull << 32 | static_cast<unsigned>(parts.word[k]);
    }
    /// Wait for the message of `block`, polling every `pause` nanoseconds.
    __device__ T hear(unsigned long long block, unsigned pause) {
        Words<T> parts;
        for (int k = 0; k < Words<T>::count; ++k) {
            unsigned long long word;
            while (((word = words[block * Words<T>::count + k]) >> 32) == 0) rest(pause);
            parts.word[k] = static_cast<int>(word);
        }
        return parts.value;
    }
};

// ---- indices

/// Division of numbers below 2^31 by a divisor that is known before the launch: a multiplication and a shift.
struct Divisor {
    unsigned size, factor, shift;
    __device__ unsigned divide(unsigned n) const { return (__umulhi(n, factor) + n) >> shift; }
};

/// The same for numbers below 2^63.
struct WideDivisor {
    unsigned long long size, factor, shift;
    __device__ unsigned long long divide(unsigned long long n) const { return (__umul64hi(n, factor) + n) >> shift; }
};

}  // namespace arrays
}  // namespace pycuda
