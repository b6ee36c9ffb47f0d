// Inverse trigonometric and hyperbolic functions of complex numbers, as accurate as those of
// pycuda-complex-functions.hpp. Include pycuda-complex.hpp before it.
#pragma once

extern "C++" {

namespace pycuda {

namespace complex_detail {

/// The parts of asin and acos of a number whose parts are not negative. The imaginary parts differ in sign only.
template <class T>
struct inverse_parts {
    T asin, acos, imag;
};

/// The algorithm of Hull, Fairgrieve and Tang: 2a is the sum of the distances from -1 and 1, and a - 1 and a - x are
/// computed from terms of the same sign, so nothing cancels. No part may be NaN.
template <class T>
__device__ inline inverse_parts<T> inverse_of_quadrant(T x, T y) {
    const T less = x - 1, more = x + 1;
    if (x > T(1e9) || y > T(1e9)) return {atan2(x, y), atan2(y, x), log_abs(x, y) + T(0.69314718055994530942)};
    if (y < range<T>::epsilon() * fabs(less)) {  // real to working precision
        const T root = sqrt(fabs(less) * more);
        if (less < T()) return {asin(x), acos(x), y / root};
        return {T(1.57079632679489661923), y / root, log1p(less + root)};
    }
    const T from_left = hypot(more, y), from_right = hypot(less, y), a = (from_left + from_right) / 2;
    const T left = y / (from_left + more) * y;  // from_left - more
    // from_right - less and from_right + less
    const T right = less > T() ? y / (from_right + less) * y : from_right - less;
    const T right_too = less < T() ? y / (from_right - less) * y : from_right + less;
    const T beyond = left + right_too;  // 2a - 2, because a - 1 could underflow
    const T imag = a < T(1.5) ? log1p(beyond / 2 + sqrt(beyond * (a + 1) / 2)) : log(a + sqrt(a * a - 1));
    const T sine = x / a;
    if (sine < T(0.64)) return {asin(sine), acos(sine), imag};
    const T opposite = sqrt((a + x) * (left + right) / 2);  // sqrt(a * a - x * x)
    return {atan2(x, opposite), atan2(opposite, x), imag};
}

template <class T>
__device__ inline bool has_nan(complex<T> z) {
    return z._M_re != z._M_re || z._M_im != z._M_im;
}
/// The imaginary part of asin if a part is NaN: infinite if the other part is.
template <class T>
__device__ inline T imag_beside_nan(complex<T> z) {
    const T sum = fabs(z._M_re) + fabs(z._M_im);
    if (is_infinite(z._M_re)) return fabs(z._M_re);
    return is_infinite(z._M_im) ? z._M_im : sum;
}

}  // namespace complex_detail

template <class T>
__device__ inline complex<T> asin(complex<T> z) {
    namespace detail = complex_detail;
    if (detail::has_nan(z)) {
        const T imag = detail::imag_beside_nan(z);
        return complex<T>(z._M_re == T() ? z._M_re : z._M_re + z._M_im, imag);
    }
    const detail::inverse_parts<T> parts = detail::inverse_of_quadrant(detail::fabs(z._M_re), detail::fabs(z._M_im));
    return complex<T>(detail::copysign(parts.asin, z._M_re), detail::copysign(parts.imag, z._M_im));
}

template <class T>
__device__ inline complex<T> acos(complex<T> z) {
    namespace detail = complex_detail;
    if (detail::has_nan(z)) {
        const T imag = detail::imag_beside_nan(z);
        return complex<T>(z._M_re == T() ? T(1.57079632679489661923) : z._M_re + z._M_im, -imag);
    }
    const detail::inverse_parts<T> parts = detail::inverse_of_quadrant(detail::fabs(z._M_re), detail::fabs(z._M_im));
    return complex<T>(z._M_re < T() ? T(3.14159265358979323846) - parts.acos : parts.acos,
                      -detail::copysign(parts.imag, z._M_im));
}

template <class T>
__device__ inline complex<T> acosh(complex<T> z) {
    const complex<T> angle = acos(z);
    return complex<T>(complex_detail::fabs(angle._M_im), complex_detail::copysign(angle._M_re, z._M_im));
}

/// Half the logarithm of the ratio of the distances from -1 and 1, and half the angle between the two.
template <class T>
__device__ inline complex<T> atanh(complex<T> z) {
    namespace detail = complex_detail;
    const T x = detail::fabs(z._M_re), y = detail::fabs(z._M_im), right_angle = T(1.57079632679489661923);
    T re, im;
    if (detail::is_infinite(x) || detail::is_infinite(y)) {
        re = T();
        im = y == y ? right_angle : y;
    } else if (detail::has_nan(z)) {
        re = x == T() ? x : x + y;
        im = x + y;
    } else if (x > T(1e9) || y > T(1e9)) {  // about 1 / z, computed from halves so that no sum overflows
        const T larger = x > y ? x : y, quotient = (x > y ? y : x) / larger;
        re = (x > y ? T(1) : quotient) / 2 / (larger / 2 + larger / 2 * quotient * quotient);
        im = right_angle;
    } else {
        const T rest = 1 - x;
        const bool at_pole = rest == T() && y < detail::range<T>::epsilon();  // the square of y could underflow
        re = at_pole ? (T(0.69314718055994530942) - detail::log(y)) / 2
                     : detail::log1p(4 * x / (rest * rest + y * y)) / 4;
        im = detail::atan2(2 * y, rest * (1 + x) - y * y) / 2;
    }
    return complex<T>(detail::copysign(re, z._M_re), detail::copysign(im, z._M_im));
}

// asinh z = -i asin(iz), atan z = -i atanh(iz).
template <class T>
__device__ inline complex<T> asinh(complex<T> z) {
    const complex<T> turned = asin(complex<T>(-z._M_im, z._M_re));
    return complex<T>(turned._M_im, -turned._M_re);
}
template <class T>
__device__ inline complex<T> atan(complex<T> z) {
    const complex<T> turned = atanh(complex<T>(-z._M_im, z._M_re));
    return complex<T>(turned._M_im, -turned._M_re);
}

}  // namespace pycuda

}  // extern "C++"
