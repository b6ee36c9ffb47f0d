// Complex numbers for device code: pycuda::complex<float> and pycuda::complex<double>.
//
// Layout: real part, then imaginary part, as in NumPy. Trivially copyable, so it may be a kernel parameter and live in
// shared memory; the default constructor leaves it uninitialised for that reason. Operands may be volatile. Mixed
// operands give the wider precision; integers take the precision of the complex operand. May be included inside extern
// "C".
#pragma once

extern "C++" {

namespace pycuda {

template <class T>
class complex;

namespace complex_detail {

template <bool condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
    typedef T type;
};

/// The precision that a real operand requires. Integers require none, which float stands for.
template <class T>
struct precision {};
#define PYCUDA_PRECISION(real, required) \
    template <>                          \
    struct precision<real> {             \
        typedef required type;           \
    };
PYCUDA_PRECISION(bool, float)
PYCUDA_PRECISION(char, float)
PYCUDA_PRECISION(signed char, float)
PYCUDA_PRECISION(unsigned char, float)
PYCUDA_PRECISION(short, float)
PYCUDA_PRECISION(unsigned short, float)
PYCUDA_PRECISION(int, float)
PYCUDA_PRECISION(unsigned, float)
PYCUDA_PRECISION(long, float)
PYCUDA_PRECISION(unsigned long, float)
PYCUDA_PRECISION(long long, float)
PYCUDA_PRECISION(unsigned long long, float)
PYCUDA_PRECISION(float, float)
PYCUDA_PRECISION(double, double)
#undef PYCUDA_PRECISION

template <class A, class B>
struct wider {
    typedef double type;
};
template <>
struct wider<float, float> {
    typedef float type;
};

template <class T>
struct always_void {
    typedef void type;
};

/// The result type of an operation on complex<T> and the real type R; no member `type` if R is not a real type.
template <class T, class R, class = void>
struct mixed {};
template <class T, class R>
struct mixed<T, R, typename always_void<typename precision<R>::type>::type> {
    typedef complex<typename wider<T, typename precision<R>::type>::type> type;
};

// The C library's functions for both precisions, because its C++ overloads are not available everywhere.
#define PYCUDA_MATH1(name)                    \
    __device__ inline float name(float x) {   \
        return ::name##f(x);                  \
    }                                         \
    __device__ inline double name(double x) { \
        return ::name(x);                     \
    }
#define PYCUDA_MATH2(name)                              \
    __device__ inline float name(float x, float y) {    \
        return ::name##f(x, y);                         \
    }                                                   \
    __device__ inline double name(double x, double y) { \
        return ::name(x, y);                            \
    }
PYCUDA_MATH1(fabs)
PYCUDA_MATH1(sqrt)
PYCUDA_MATH1(exp)
PYCUDA_MATH1(log)
PYCUDA_MATH1(expm1)
PYCUDA_MATH1(log1p)
PYCUDA_MATH1(rint)
PYCUDA_MATH1(sin)
PYCUDA_MATH1(cos)
PYCUDA_MATH1(sinh)
PYCUDA_MATH1(cosh)
PYCUDA_MATH1(tanh)
PYCUDA_MATH1(asin)
PYCUDA_MATH1(acos)
PYCUDA_MATH2(hypot)
PYCUDA_MATH2(atan2)
PYCUDA_MATH2(pow)
PYCUDA_MATH2(copysign)
#undef PYCUDA_MATH1
#undef PYCUDA_MATH2
__device__ inline float fma(float x, float y, float z) {
    return ::fmaf(x, y, z);
}
__device__ inline double fma(double x, double y, double z) {
    return ::fma(x, y, z);
}

/// hypot(x, y) of finite numbers where the C library's result is infinite, perhaps because that errs by a unit in the
/// last place: the root of the sum of squares less its error (C. Borges, "An improved algorithm for hypot(a, b)").
template <class T>
__device__ T large_hypot(T x, T y) {
    const T scale = sizeof(T) == 4 ? T(1.2676506002282294e30) : T(4.1495155688809930e180);  // 2^100, 2^600
    x = fabs(x) / scale, y = fabs(y) / scale;
    const T a = x > y ? x : y, b = x > y ? y : x;
    const T h = sqrt(fma(a, a, b * b));
    const bool is_steep = h > 2 * b;
    const T delta = is_steep ? h - a : h - b;
    const T first = is_steep ? 2 * delta * (a - 2 * b) : a * (2 * delta - a);
    const T second = is_steep ? (4 * delta - b) * b + delta * delta : (delta - 2 * (a - b)) * delta;
    return (h - (first + second) / (2 * h)) * scale;
}

}  // namespace complex_detail

template <class T>
class complex {
public:
    typedef T value_type;

    T _M_re, _M_im;

    complex() = default;
    __device__ complex(T re, T im = T()) : _M_re(re), _M_im(im) {}

    // Conversions between precisions, explicit if they narrow, and from volatile objects. They are templates so that
    // the class stays trivially copyable.
    template <class U, class = typename complex_detail::enable_if<(sizeof(U) <= sizeof(T))>::type>
    __device__ complex(const complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}
    template <class U, class = typename complex_detail::enable_if<(sizeof(U) <= sizeof(T))>::type>
    __device__ complex(const volatile complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}
    template <class U, class = typename complex_detail::enable_if<(sizeof(U) > sizeof(T))>::type, class = void>
    __device__ explicit complex(const complex<U>& z) : _M_re(static_cast<T>(z._M_re)), _M_im(static_cast<T>(z._M_im)) {}
    template <class U, class = typename complex_detail::enable_if<(sizeof(U) > sizeof(T))>::type, class = void>
    __device__ explicit complex(const volatile complex<U>& z)
        : _M_re(static_cast<T>(z._M_re)), _M_im(static_cast<T>(z._M_im)) {}

    __device__ T real() const { return _M_re; }
    __device__ T imag() const { return _M_im; }
    __device__ T real() const volatile { return _M_re; }
    __device__ T imag() const volatile { return _M_im; }

// Assignment to a volatile object returns nothing, because using the returned reference would read the object again.
#define PYCUDA_ASSIGNMENTS(volatility, result, give)                       \
    __device__ result operator=(T re) volatility {                         \
        _M_re = re;                                                        \
        _M_im = T();                                                       \
        give;                                                              \
    }                                                                      \
    template <class U>                                                     \
    __device__ result operator=(const complex<U>& z) volatility {          \
        _M_re = static_cast<T>(z._M_re);                                   \
        _M_im = static_cast<T>(z._M_im);                                   \
        give;                                                              \
    }                                                                      \
    template <class U>                                                     \
    __device__ result operator=(const volatile complex<U>& z) volatility { \
        _M_re = static_cast<T>(z._M_re);                                   \
        _M_im = static_cast<T>(z._M_im);                                   \
        give;                                                              \
    }                                                                      \
    template <class Z>                                                     \
    __device__ result operator+=(const Z& z) volatility {                  \
        *this = complex(*this) + z;                                        \
        give;                                                              \
    }                                                                      \
    template <class Z>                                                     \
    __device__ result operator-=(const Z& z) volatility {                  \
        *this = complex(*this) - z;                                        \
        give;                                                              \
    }                                                                      \
    template <class Z>                                                     \
    __device__ result operator*=(const Z& z) volatility {                  \
        *this = complex(*this) * z;                                        \
        give;                                                              \
    }                                                                      \
    template <class Z>                                                     \
    __device__ result operator/=(const Z& z) volatility {                  \
        *this = complex(*this) / z;                                        \
        give;                                                              \
    }
    PYCUDA_ASSIGNMENTS(, complex&, return *this)
    PYCUDA_ASSIGNMENTS(volatile, void, return)
#undef PYCUDA_ASSIGNMENTS
};

namespace complex_detail {

template <class T>
__device__ inline complex<T> add(complex<T> a, complex<T> b) {
    return complex<T>(a._M_re + b._M_re, a._M_im + b._M_im);
}
template <class T>
__device__ inline complex<T> subtract(complex<T> a, complex<T> b) {
    return complex<T>(a._M_re - b._M_re, a._M_im - b._M_im);
}
template <class T>
__device__ inline complex<T> multiply(complex<T> a, complex<T> b) {
    return complex<T>(a._M_re * b._M_re - a._M_im * b._M_im, a._M_re * b._M_im + a._M_im * b._M_re);
}
// A product that the compiler cannot fuse with an addition. So equal terms cancel, as in NumPy, and z / z is 1.
#ifdef __CUDA_ARCH__
__device__ inline float product(float a, float b) {
    return __fmul_rn(a, b);
}
__device__ inline double product(double a, double b) {
    return __dmul_rn(a, b);
}
#else
template <class T>
__device__ inline T product(T a, T b) {
    return a * b;
}
#endif
/// Smith's method: scale by the larger part of the divisor, so that its square neither overflows nor underflows.
/// Division by zero divides each part by +0, as in NumPy.
template <class T>
__device__ inline complex<T> divide(complex<T> a, complex<T> b) {
    if (fabs(b._M_re) >= fabs(b._M_im)) {
        if (b._M_re == T()) return complex<T>(a._M_re / fabs(b._M_re), a._M_im / fabs(b._M_re));
        const T ratio = b._M_im / b._M_re, scale = b._M_re + product(b._M_im, ratio);
        return complex<T>((a._M_re + product(a._M_im, ratio)) / scale, (a._M_im - product(a._M_re, ratio)) / scale);
    }
    const T ratio = b._M_re / b._M_im, scale = product(b._M_re, ratio) + b._M_im;
    return complex<T>((product(a._M_re, ratio) + a._M_im) / scale, (product(a._M_im, ratio) - a._M_re) / scale);
}
// A real operand is not extended by an imaginary 0: inf * 1 must not give inf * 0 = NaN in the other part.
template <class T>
__device__ inline complex<T> add(complex<T> a, T b) {
    return complex<T>(a._M_re + b, a._M_im);
}
template <class T>
__device__ inline complex<T> add(T a, complex<T> b) {
    return complex<T>(a + b._M_re, b._M_im);
}
template <class T>
__device__ inline complex<T> subtract(complex<T> a, T b) {
    return complex<T>(a._M_re - b, a._M_im);
}
template <class T>
__device__ inline complex<T> subtract(T a, complex<T> b) {
    return complex<T>(a - b._M_re, -b._M_im);
}
template <class T>
__device__ inline complex<T> multiply(complex<T> a, T b) {
    return complex<T>(a._M_re * b, a._M_im * b);
}
template <class T>
__device__ inline complex<T> multiply(T a, complex<T> b) {
    return complex<T>(a * b._M_re, a * b._M_im);
}
template <class T>
__device__ inline complex<T> divide(complex<T> a, T b) {
    return complex<T>(a._M_re / b, a._M_im / b);
}
template <class T>
__device__ inline complex<T> divide(T a, complex<T> b) {
    return divide(complex<T>(a), b);
}

}  // namespace complex_detail

#define PYCUDA_OPERATOR(symbol, function)                                                                 \
    template <class A, class B>                                                                           \
    __device__ inline complex<typename complex_detail::wider<A, B>::type> operator symbol(complex<A> a,   \
                                                                                          complex<B> b) { \
        typedef complex<typename complex_detail::wider<A, B>::type> Z;                                    \
        return complex_detail::function(Z(a), Z(b));                                                      \
    }                                                                                                     \
    template <class A, class R>                                                                           \
    __device__ inline typename complex_detail::mixed<A, R>::type operator symbol(complex<A> a, R b) {     \
        typedef typename complex_detail::mixed<A, R>::type Z;                                             \
        return complex_detail::function(Z(a), static_cast<typename Z::value_type>(b));                    \
    }                                                                                                     \
    template <class R, class B>                                                                           \
    __device__ inline typename complex_detail::mixed<B, R>::type operator symbol(R a, complex<B> b) {     \
        typedef typename complex_detail::mixed<B, R>::type Z;                                             \
        return complex_detail::function(static_cast<typename Z::value_type>(a), Z(b));                    \
    }
PYCUDA_OPERATOR(+, add)
PYCUDA_OPERATOR(-, subtract)
PYCUDA_OPERATOR(*, multiply)
PYCUDA_OPERATOR(/, divide)
#undef PYCUDA_OPERATOR

template <class T>
__device__ inline complex<T> operator+(complex<T> z) {
    return z;
}
template <class T>
__device__ inline complex<T> operator-(complex<T> z) {
    return complex<T>(-z._M_re, -z._M_im);
}

template <class A, class B>
__device__ inline bool operator==(complex<A> a, complex<B> b) {
    return a._M_re == b._M_re && a._M_im == b._M_im;
}
template <class A, class B>
__device__ inline bool operator!=(complex<A> a, complex<B> b) {
    return !(a == b);
}
#define PYCUDA_COMPARISON(symbol)                                                    \
    template <class A, class R, class = typename complex_detail::precision<R>::type> \
    __device__ inline bool operator symbol(complex<A> a, R b) {                      \
        return a symbol typename complex_detail::mixed<A, R>::type(b);               \
    }                                                                                \
    template <class R, class B, class = typename complex_detail::precision<R>::type> \
    __device__ inline bool operator symbol(R a, complex<B> b) {                      \
        return typename complex_detail::mixed<B, R>::type(a) symbol b;               \
    }
PYCUDA_COMPARISON(==)
PYCUDA_COMPARISON(!=)
#undef PYCUDA_COMPARISON

template <class T>
__device__ inline T real(complex<T> z) {
    return z._M_re;
}
template <class T>
__device__ inline T imag(complex<T> z) {
    return z._M_im;
}
template <class T>
__device__ inline T abs(complex<T> z) {
    const T magnitude = complex_detail::hypot(z._M_re, z._M_im);
    const bool overflows = magnitude - magnitude != 0 && z._M_re - z._M_re == 0 && z._M_im - z._M_im == 0;
    return overflows ? complex_detail::large_hypot(z._M_re, z._M_im) : magnitude;
}
template <class T>
__device__ inline T arg(complex<T> z) {
    return complex_detail::atan2(z._M_im, z._M_re);
}
/// The square of the absolute value.
template <class T>
__device__ inline T norm(complex<T> z) {
    return z._M_re * z._M_re + z._M_im * z._M_im;
}
template <class T>
__device__ inline complex<T> conj(complex<T> z) {
    return complex<T>(z._M_re, -z._M_im);
}
template <class T>
__device__ inline complex<T> polar(T radius, T angle = T()) {
    return complex<T>(radius * complex_detail::cos(angle), radius * complex_detail::sin(angle));
}

}  // namespace pycuda

}  // extern "C++"

#include "pycuda-complex-functions.hpp"
