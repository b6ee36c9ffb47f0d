#include "pycuda/gpuarray/composed/fourier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "gpuarray/composed/array_parts.hpp"
#include "gpuarray/composed/routines.hpp"
#include "gpuarray/libraries/cufft.hpp"
#include "kernel_files.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"

namespace pycuda::gpuarray {
namespace {

namespace fourier_texts = kernel_files::fourier;

constexpr Routine step(unsigned number, const char* name, const char* text) {
    return {Family::Fourier, number, name, fourier_texts::preface, "", text};
}
constexpr Routine stage = step(0, "fft_stage", fourier_texts::stage),
                  modulate_step = step(1, "fft_modulate", fourier_texts::modulate),
                  conjugate_chirp = step(2, "fft_chirp", fourier_texts::conjugate_chirp),
                  multiply_step = step(3, "fft_multiply", fourier_texts::multiply),
                  gather_step = step(4, "fft_gather", fourier_texts::gather),
                  mirror_step = step(5, "fft_mirror", fourier_texts::mirror);

/// Queue a kernel with a thread for each of `count` elements.
template <class... Values>
void run_step(const Routine& step, DType dtype, std::int64_t count, CUstream stream, const Values&... values) {
    constexpr std::int64_t threads = 256;
    launch(step, dtype, (count + threads - 1) / threads, threads, stream, count, values...);
}

Array new_rows(const Array& like, DType dtype, std::int64_t count, std::int64_t length, CUstream stream) {
    const std::int64_t shape[] = {count, length};
    return new_beside(like, dtype, shape, stream);
}

DevicePtr address_of(const Array& array, CUstream stream) {
    return array.ref(stream).address;
}

// ---- transforms of complex rows: arrays (count, n) in C order, which are not changed

Array stockham(const Array& rows, std::int32_t sign, CUstream stream) {
    const std::int64_t count = rows.layout().shape()[0], n = rows.layout().shape()[1];
    Array source = rows, spare = new_rows(rows, rows.dtype(), count, n, stream);
    for (std::int64_t half = 1; half < n; half *= 2) {
        run_step(stage, rows.dtype(), count * (n / 2), stream, address_of(source, stream), address_of(spare, stream), n,
                 half, sign);
        std::swap(source, spare);
        if (half == 1 && n > 2) spare = new_rows(rows, rows.dtype(), count, n, stream);
    }
    return source;
}

Array bluestein(const Array& rows, std::int32_t sign, CUstream stream) {
    const DType dtype = rows.dtype();
    prepare({stage, modulate_step, conjugate_chirp, multiply_step, gather_step}, dtype);
    const std::int64_t count = rows.layout().shape()[0], n = rows.layout().shape()[1];
    const auto m = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
    const Array wide = new_rows(rows, dtype, count, m, stream), by = new_rows(rows, dtype, 1, m, stream);
    run_step(modulate_step, dtype, count * m, stream, address_of(rows, stream), address_of(wide, stream), n, m, sign);
    run_step(conjugate_chirp, dtype, m, stream, address_of(by, stream), n, m, sign);
    const Array product = stockham(wide, -1, stream), factors = stockham(by, -1, stream);
    const double scale = 1 / static_cast<double>(m);
    if (dtype == DType::Complex64)
        run_step(multiply_step, dtype, count * m, stream, address_of(product, stream), address_of(factors, stream), m,
                 static_cast<float>(scale));
    else
        run_step(multiply_step, dtype, count * m, stream, address_of(product, stream), address_of(factors, stream), m,
                 scale);
    const Array back = stockham(product, 1, stream), out = new_rows(rows, dtype, count, n, stream);
    run_step(gather_step, dtype, count * n, stream, address_of(back, stream), address_of(out, stream), n, m, sign);
    return out;
}

Array transformed_rows(const Array& rows, std::int32_t sign, CUstream stream) {
    const std::int64_t n = rows.layout().shape()[1];
    if (rows.layout().size() == 0 || n == 1) return converted(rows, rows.dtype(), Order::C, stream);
    const Array out = new_rows(rows, rows.dtype(), rows.layout().shape()[0], n, stream);
    if (transform_with_cufft(out, rows, {&n, 1}, sign, stream)) return out;
    return std::has_single_bit(static_cast<std::uint64_t>(n)) ? stockham(rows, sign, stream)
                                                              : bluestein(rows, sign, stream);
}

DType complex_of(DType dtype) {
    return promote(dtype, DType::Complex64);
}

/// The first n / 2 + 1 elements of the transforms of real rows.
Array half_of_rows(const Array& rows, std::int32_t sign, CUstream stream) {
    const std::int64_t count = rows.layout().shape()[0], n = rows.layout().shape()[1];
    const DType dtype = complex_of(rows.dtype());
    if (n > 1 && rows.layout().size() != 0) {
        const Array out = new_rows(rows, dtype, count, n / 2 + 1, stream);
        // It requires pairs of real numbers to be aligned like complex numbers.
        const bool is_aligned = address_of(rows, stream) % static_cast<std::uint64_t>(info(dtype).size) == 0;
        const Array aligned = is_aligned ? rows : converted(rows, rows.dtype(), Order::C, stream);
        if (transform_with_cufft(out, aligned, {&n, 1}, -1, stream))
            return sign < 0 ? out : Calculation{stream}.conjugate(out);
    }
    return part_of(transformed_rows(as_type(rows, dtype, stream), sign, stream), 1, 0, n / 2 + 1);
}

/// The n real elements whose transforms' first halves these rows, of n / 2 + 1 elements, are.
Array whole_of_rows(const Array& half, std::int64_t n, std::int32_t sign, CUstream stream) {
    const Calculation calculate{stream};
    const std::int64_t count = half.layout().shape()[0];
    const Array out = new_rows(half, real_part(half.dtype()), count, n, stream);
    if (out.layout().size() == 0) return out;
    if (n > 1) {
        const Array spare = calculate(sign > 0 ? Op::copy : Op::conj, {&half});  // cuFFT overwrites its operand
        if (transform_with_cufft(out, in_c_order(spare, stream), {&n, 1}, 1, stream)) return out;
    }
    const Array all = new_rows(half, half.dtype(), count, n, stream);
    run_step(mirror_step, half.dtype(), count * n, stream, address_of(half, stream), address_of(all, stream), n);
    const Array result = transformed_rows(all, sign, stream);
    return calculate(Op::real, {&result});
}

// ---- along an axis

double scale_of(FourierNorm norm, std::int64_t n, bool backward) {
    const auto length = static_cast<double>(n);
    if (norm == FourierNorm::Ortho) return 1 / std::sqrt(length);
    return (norm == FourierNorm::Backward) == backward ? 1 / length : 1.0;
}

/// Resizes the last axis to n elements: truncates it, or appends zeros.
Array resized(const Array& array, std::int64_t n, CUstream stream) {
    const int last = array.layout().ndim() - 1;
    Lengths shape = shape_of(array);
    if (shape.back() >= n) return part_of(array, last, 0, n);
    const std::int64_t own = std::exchange(shape.back(), n);
    const Array out = new_beside(array, array.dtype(), shape, stream);
    fill(out, Scalar::weak(false), stream);
    if (array.layout().size() != 0) assign(part_of(out, last, 0, own), array, stream);
    return out;
}

Array along(const std::string& name, Fourier kind, const Array& array, std::int64_t length, std::int64_t axis,
            bool backward, FourierNorm norm, CUstream stream) {
    const int position = views::axis_number(axis, array.layout().ndim());
    const std::int64_t from[] = {position}, last[] = {-1};
    const Array turned = moveaxis(array, from, last);
    const std::int64_t own = turned.layout().shape().back();
    const std::int64_t n = length != -1 ? length : kind == Fourier::Whole ? 2 * (own - 1) : own;
    if (n < 1)
        throw std::invalid_argument(name + ": expected at least 1 element to transform, given " + std::to_string(n));
    const Array given = resized(turned, kind == Fourier::Whole ? n / 2 + 1 : n, stream);
    Lengths shape = shape_of(given);
    const std::int64_t width = shape.back(), rows[] = {width ? given.layout().size() / width : 0, width};
    const DType dtype = kind == Fourier::Half ? array.dtype() : complex_of(array.dtype());
    const Array lines = in_c_order(as_type(given, dtype, stream), stream).reshaped(rows);
    const std::int32_t sign = backward ? 1 : -1;
    const Array result = kind == Fourier::Complex ? transformed_rows(lines, sign, stream)
                         : kind == Fourier::Half  ? half_of_rows(lines, sign, stream)
                                                  : whole_of_rows(lines, n, sign, stream);
    shape.back() = result.layout().shape()[1];
    const double scale = scale_of(norm, n, backward);
    const Array scaled = scale == 1 ? result : Calculation{stream}(Op::mul, {&result, Scalar::weak(scale)});
    return moveaxis(in_c_order(scaled, stream).reshaped(shape), last, from);
}

/// The transform over the last axes at once, which cuFFT does in fewer passes than one axis after the other; none if
/// these are not the last axes, or their lengths change, or it does not do it.
std::optional<Array> over_last_axes(const Array& array, std::span<const std::int64_t> lengths,
                                    std::span<const std::int64_t> axes, bool backward, FourierNorm norm,
                                    CUstream stream) {
    const int ndim = array.layout().ndim(), first = ndim - static_cast<int>(axes.size());
    if (axes.size() < 2 || axes.size() > max_fourier_axes || first < 0 || !is_for_cufft(array.layout().size()))
        return std::nullopt;
    std::uint32_t seen = 0;
    std::int64_t width = 1;
    double scale = 1;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const int axis = views::axis_number(axes[k], ndim);
        const std::int64_t n = array.layout().shape()[static_cast<std::size_t>(axis)];
        if (axis < first || (lengths[k] != -1 && lengths[k] != n)) return std::nullopt;
        seen |= std::uint32_t{1} << (axis - first);
        width *= n;
        scale *= scale_of(norm, n, backward);
    }
    if (seen != (std::uint32_t{1} << axes.size()) - 1) return std::nullopt;
    const Lengths shape = shape_of(array), n(shape.begin() + first, shape.end());
    const std::int64_t rows[] = {array.layout().size() / width, width};
    const Array given = in_c_order(as_type(array, complex_of(array.dtype()), stream), stream).reshaped(rows);
    const Array out = new_rows(given, given.dtype(), rows[0], rows[1], stream);
    if (!transform_with_cufft(out, given, n, backward ? 1 : -1, stream)) return std::nullopt;
    return (scale == 1 ? out : Calculation{stream}(Op::mul, {&out, Scalar::weak(scale)})).reshaped(shape);
}

std::string fourier_name(Fourier kind, bool backward, bool over_axes) {
    static constexpr const char* names[][2] = {{"fft", "ifft"}, {"rfft", "ihfft"}, {"hfft", "irfft"}};
    return std::string(names[static_cast<int>(kind)][backward]) + (over_axes ? "n" : "");
}

void check_fourier(const std::string& name, Fourier kind, const Array& array, std::size_t lengths, std::size_t axes) {
    const DType dtype = array.dtype();
    const bool is_real = dtype == DType::Float32 || dtype == DType::Float64;
    if (dtype == DType::Opaque || (!is_real && (kind == Fourier::Half || !is_complex(dtype))))
        throw ArgumentTypeError(name + ": expected an array of float32" +
                                (kind == Fourier::Half ? " or float64" : ", float64, complex64 or complex128") +
                                " elements, given " + name_of(dtype) + "; convert it with astype");
    if (axes == 0) throw std::invalid_argument(name + ": expected at least one axis to transform along");
    if (lengths != axes)
        throw std::invalid_argument(name + ": expected one length for each of " + std::to_string(axes) +
                                    " axes, given " + std::to_string(lengths));
}

}  // namespace

Array fourier(Fourier kind, Array array, std::span<const std::int64_t> lengths, std::span<const std::int64_t> axes,
              bool backward, FourierNorm norm, bool over_axes, CUstream stream) {
    const std::string name = fourier_name(kind, backward, over_axes);
    check_fourier(name, kind, array, lengths.size(), axes.size());
    if (kind == Fourier::Complex)
        if (std::optional<Array> all = over_last_axes(array, lengths, axes, backward, norm, stream)) return *all;
    const std::size_t last = axes.size() - 1;
    const auto complex_along = [&](std::size_t k) {
        array = along(name, Fourier::Complex, array, lengths[k], axes[k], backward, norm, stream);
    };
    if (kind == Fourier::Whole)
        for (std::size_t k = 0; k < last; ++k) complex_along(k);
    array = along(name, kind, array, lengths[last], axes[last], backward, norm, stream);
    if (kind != Fourier::Whole)
        for (std::size_t k = last; k > 0; --k) complex_along(k - 1);
    return in_c_order(array, stream);
}

}  // namespace pycuda::gpuarray
