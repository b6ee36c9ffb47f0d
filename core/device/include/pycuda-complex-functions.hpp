// Functions of complex numbers; pycuda-complex.hpp includes them. The error of each part of a result is at most 8 units
// in the last place wherever NumPy's is, and special values follow C99's Annex G.
#pragma once

extern "C++" {

namespace pycuda {

namespace complex_detail {

/// Magnitudes beyond which intermediate results overflow or lose digits.
template <class T>
struct range {};
template <>
struct range<float> {
    __device__ static float huge() { return 8.5e37f; }  // a quarter of the largest number
    __device__ static float tiny() { return 1e-30f; }
    __device__ static float epsilon() { return 5.9604645e-8f; }
    __device__ static float exponent() { return 80; }  // its exponential does not overflow
    __device__ static float exponential() { return 5.5406223843935098e34f; }
};
template <>
struct range<double> {
    __device__ static double huge() { return 4.4e307; }
    __device__ static double tiny() { return 1e-290; }
    __device__ static double epsilon() { return 1.1102230246251565e-16; }
    __device__ static double exponent() { return 700; }
    __device__ static double exponential() { return 1.0142320547350045e304; }
};

/// 2^54 scales numbers below range::tiny() to normal numbers, which have full precision. Its root is a power of two,
/// too.
template <class T>
__device__ inline T scale_up() {
    return T(18014398509481984.0);
}

template <class T>
__device__ inline bool is_finite(T x) {
    return x - x == T();
}
template <class T>
__device__ inline bool is_infinite(T x) {
    return x == x && x - x != T();
}
template <class T>
__device__ inline bool has_sign(T x) {
    return copysign(T(1), x) < T();
}

/// e^x * (c + si) / divisor, even if e^x alone overflows.
template <class T>
__device__ inline complex<T> exp_times(T x, T c, T s, T divisor = T(1)) {
    for (int k = 0; k < 2 && x > range<T>::exponent(); ++k) {
        x -= range<T>::exponent();
        c *= range<T>::exponential();
        s *= range<T>::exponential();
    }
    const T factor = exp(x) / divisor;
    return complex<T>(factor * c, factor * s);
}

/// x * x + y * y + more without cancellation. The square of a float is exact in double.
__device__ inline float squares_and(float more, float x, float y) {
    const double wide_x = x, wide_y = y;
    return static_cast<float>(wide_x * wide_x + more + wide_y * wide_y);
}
/// The rounding error of `sum`, which is a + b.
__device__ inline double lost_in_sum(double a, double b, double sum) {
    const double b_seen = sum - a;
    return (a - (sum - b_seen)) + (b - b_seen);
}
__device__ inline double squares_and(double more, double x, double y) {
    const double xx = product(x, x), yy = product(y, y);
    const double some = xx + more, sum = some + yy;
    const double lost = lost_in_sum(xx, more, some) + lost_in_sum(some, yy, sum);
    return sum + (lost + ::fma(x, x, -xx) + ::fma(y, y, -yy));
}

/// Whether the square of a number of this magnitude, and of a smaller one, less 1 is precise enough for log1p.
template <class T>
__device__ inline bool is_near_one(T larger) {
    return larger > T(0.35) && larger < T(2);
}

/// log |x + yi|.
template <class T>
__device__ inline T log_abs(T x, T y) {
    x = fabs(x);
    y = fabs(y);
    const T larger = x > y ? x : y;
    if (is_near_one(larger)) return log1p(squares_and(T(-1), larger, x > y ? y : x)) / 2;
    if (larger > range<T>::huge()) return log(hypot(x / 4, y / 4)) + T(1.3862943611198906188);
    if (larger < range<T>::tiny()) return log(hypot(x * scale_up<T>(), y * scale_up<T>())) - T(37.429947750237046707);
    return log(hypot(x, y));
}

/// The square root if a part is infinite or NaN.
template <class T>
__device__ inline complex<T> special_sqrt(T x, T y) {
    if (is_infinite(y)) return complex<T>(fabs(y), y);
    if (!is_infinite(x)) return complex<T>(x + y, x + y);
    if (x > T()) return complex<T>(x, y == y ? copysign(T(), y) : y);
    return complex<T>(y == y ? T() : y, copysign(x, y));
}

}  // namespace complex_detail

/// The square root whose real part is not negative.
template <class T>
__device__ inline complex<T> sqrt(complex<T> z) {
    namespace detail = complex_detail;
    T x = detail::fabs(z._M_re), y = detail::fabs(z._M_im), back = T(1);
    if (!detail::is_finite(x) || !detail::is_finite(y)) return detail::special_sqrt(z._M_re, z._M_im);
    if (x == T() && y == T()) return complex<T>(T(), z._M_im);
    if (x > detail::range<T>::huge() || y > detail::range<T>::huge()) {
        x /= 4;
        y /= 4;
        back = T(2);
    } else if (x < detail::range<T>::tiny() && y < detail::range<T>::tiny()) {
        x *= detail::scale_up<T>();
        y *= detail::scale_up<T>();
        back = T(7.450580596923828125e-9);
    }
    // The part that is a sum of two terms of the same sign is computed directly; the other follows from re * im =
    // z.im / 2. So nothing cancels.
    const T larger = detail::sqrt((detail::hypot(x, y) + x) / 2);
    const T smaller = back * (y / (2 * larger));
    return z._M_re >= T() ? complex<T>(back * larger, detail::copysign(smaller, z._M_im))
                          : complex<T>(smaller, detail::copysign(back * larger, z._M_im));
}

template <class T>
__device__ inline complex<T> exp(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im;
    if (y == T()) return complex<T>(detail::exp(x), y);
    if (detail::is_infinite(x) && !detail::is_finite(y))
        return x < T() ? complex<T>(T(), detail::copysign(T(), y)) : complex<T>(x, y - y);
    return detail::exp_times(x, detail::cos(y), detail::sin(y));
}

template <class T>
__device__ inline complex<T> exp2(complex<T> z) {
    return exp(z * T(0.69314718055994530942));
}

template <class T>
__device__ inline complex<T> log(complex<T> z) {
    return complex<T>(complex_detail::log_abs(z._M_re, z._M_im), arg(z));
}
template <class T>
__device__ inline complex<T> log10(complex<T> z) {
    return log(z) * T(0.43429448190325182765);
}

template <class T>
__device__ inline complex<T> log2(complex<T> z) {
    return log(z) * T(1.44269504088896340736);
}
/// log(1 + z), without the rounding of that sum.
template <class T>
__device__ inline complex<T> log1p(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im, sum = 1 + x;
    const T across = detail::fabs(sum), up = detail::fabs(y);
    const T length = detail::is_near_one(across > up ? across : up)
                         ? detail::log1p(detail::squares_and(2 * x, x, y)) / 2
                         : detail::log_abs(sum, y);
    return complex<T>(length, detail::atan2(y, sum));
}
/// exp(z) - 1: e^x cos y - 1 is (e^x - 1) cos y - (1 - cos y).
template <class T>
__device__ inline complex<T> expm1(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im;
    if (y == T()) return complex<T>(detail::expm1(x), y);
    if (x > T(20) || detail::is_infinite(x)) return exp(z) - T(1);
    const T half = detail::sin(y / 2);
    // The difference is rounded once, even in kernels without contraction.
    return complex<T>(detail::fma(detail::expm1(x), detail::cos(y), -2 * half * half), detail::exp(x) * detail::sin(y));
}
template <class T>
__device__ inline complex<T> rint(complex<T> z) {
    return complex<T>(complex_detail::rint(z._M_re), complex_detail::rint(z._M_im));
}
/// The number of magnitude 1 in the same direction; 0 for 0.
template <class T>
__device__ inline complex<T> sign(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im;
    const bool x_is_limit = detail::is_infinite(x), y_is_limit = detail::is_infinite(y);
    if (x_is_limit || y_is_limit) {
        const T none = x_is_limit && y_is_limit ? x - x : T();
        return complex<T>(x_is_limit ? detail::copysign(T(1), x) + none : none,
                          y_is_limit ? detail::copysign(T(1), y) + none : none);
    }
    const T length = detail::hypot(x, y);
    if (length != length) return complex<T>(length, length);
    return length == T() ? complex<T>(T()) : complex<T>(x / length, y / length);
}

/// By repeated squaring: exact if all products are.
template <class T>
__device__ inline complex<T> pow(complex<T> z, int exponent) {
    unsigned n = exponent < 0 ? 0u - static_cast<unsigned>(exponent) : static_cast<unsigned>(exponent);
    if (n == 0) return complex<T>(T(1));
    for (; (n & 1u) == 0; n >>= 1) z *= z;
    complex<T> result(z);
    while ((n >>= 1) != 0) {
        z *= z;
        if (n & 1u) result *= z;
    }
    return exponent < 0 ? complex<T>(T(1)) / result : result;
}
/// As in NumPy: integer exponents between -100 and 100 multiply. 0 to an exponent other than 0 is NaN, unless the real
/// part of the exponent is positive.
template <class T>
__device__ inline complex<T> pow(complex<T> z, complex<T> exponent) {
    const T re = exponent._M_re;
    if (exponent == T()) return complex<T>(T(1));
    if (z == T()) return re > T() ? complex<T>(T()) : complex<T>(z._M_re / z._M_re, z._M_im / z._M_im);
    if (exponent._M_im == T() && complex_detail::fabs(re) < T(100) && re == T(static_cast<int>(re)))
        return pow(z, static_cast<int>(re));
    if (exponent == T(0.5)) return sqrt(z);
    return exp(exponent * log(z));
}
template <class T>
__device__ inline complex<T> pow(complex<T> z, T exponent) {
    if (z._M_im == T() && z._M_re > T()) return complex<T>(complex_detail::pow(z._M_re, exponent));
    return pow(z, complex<T>(exponent));
}
template <class T>
__device__ inline complex<T> pow(T base, complex<T> exponent) {
    if (base > T()) return exp(exponent * complex_detail::log(base));
    return pow(complex<T>(base), exponent);
}

template <class T>
__device__ inline complex<T> sinh(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im;
    if (y == T()) return complex<T>(detail::sinh(x), y);
    const T s = detail::sin(y), c = detail::cos(y);
    if (x == T()) return complex<T>(s == s ? x * c : x, s);
    if (!(detail::fabs(x) > T(22))) return complex<T>(detail::sinh(x) * c, detail::cosh(x) * s);
    // For larger |x|, sinh and cosh are half an exponential.
    if (s != s && detail::is_infinite(x)) return complex<T>(x, s);
    const complex<T> half = detail::exp_times(detail::fabs(x), c, s, T(2));
    return complex<T>(x < T() ? -half._M_re : half._M_re, half._M_im);
}
template <class T>
__device__ inline complex<T> cosh(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im;
    if (y == T()) return complex<T>(detail::cosh(x), detail::has_sign(x) ? -y : y);
    const T s = detail::sin(y), c = detail::cos(y);
    if (x == T()) return complex<T>(c, s == s ? x * s : x);
    if (!(detail::fabs(x) > T(22))) return complex<T>(detail::cosh(x) * c, detail::sinh(x) * s);
    if (s != s && detail::is_infinite(x)) return complex<T>(detail::fabs(x), s);
    const complex<T> half = detail::exp_times(detail::fabs(x), c, s, T(2));
    return complex<T>(half._M_re, x < T() ? -half._M_im : half._M_im);
}
template <class T>
__device__ inline complex<T> tanh(complex<T> z) {
    namespace detail = complex_detail;
    const T x = z._M_re, y = z._M_im;
    if (y == T()) return complex<T>(detail::tanh(x), y);
    const T s = detail::sin(y), c = detail::cos(y);
    if (s != s) {
        if (detail::is_infinite(x)) return complex<T>(detail::copysign(T(1), x), detail::copysign(T(), y));
        return complex<T>(x == T() ? x : s, s);
    }
    // sinh(2x) / (cosh(2x) + cos(2y)) in a form that does not overflow.
    if (detail::fabs(x) > T(20))
        return complex<T>(detail::copysign(T(1), x), 4 * s * c * detail::exp(-2 * detail::fabs(x)));
    const T sh = detail::sinh(x), ch = detail::cosh(x);
    const T scale = sh * sh + c * c;
    return complex<T>(sh * ch / scale, s * c / scale);
}

// sin z = -i sinh(iz), cos z = cosh(iz), tan z = -i tanh(iz).
template <class T>
__device__ inline complex<T> sin(complex<T> z) {
    const complex<T> turned = sinh(complex<T>(-z._M_im, z._M_re));
    return complex<T>(turned._M_im, -turned._M_re);
}
template <class T>
__device__ inline complex<T> cos(complex<T> z) {
    return cosh(complex<T>(-z._M_im, z._M_re));
}
template <class T>
__device__ inline complex<T> tan(complex<T> z) {
    const complex<T> turned = tanh(complex<T>(-z._M_im, z._M_re));
    return complex<T>(turned._M_im, -turned._M_re);
}

}  // namespace pycuda

}  // extern "C++"
