#include "pycuda/gpuarray/composed/calls.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pycuda/gpuarray/composed/comparing.hpp"
#include "pycuda/gpuarray/composed/einsum.hpp"
#include "pycuda/gpuarray/composed/fourier.hpp"
#include "pycuda/gpuarray/composed/histogram.hpp"
#include "pycuda/gpuarray/composed/indexing.hpp"
#include "pycuda/gpuarray/composed/linalg.hpp"
#include "pycuda/gpuarray/composed/moving.hpp"
#include "pycuda/gpuarray/composed/padding.hpp"
#include "pycuda/gpuarray/composed/quantiles.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"
#include "pycuda/gpuarray/composed/sets.hpp"
#include "pycuda/gpuarray/composed/variance.hpp"
#include "pycuda/gpuarray/composed/vectors.hpp"
#include "pycuda/gpuarray/composed/without_nan.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/random/random.hpp"
#include "pycuda/gpuarray/scan.hpp"

namespace pycuda::gpuarray {
namespace {

using Arrays = ArrayCall::Arrays;
using Numbers = ArrayCall::Numbers;
using Result = std::vector<Array>;
constexpr int any_number = ArrayCall::any_number;

Result all(Array array) {
    Result result;
    result.push_back(std::move(array));
    return result;
}
Result all(linalg::Two made) {
    return {std::move(made.first), std::move(made.second)};
}
Result all(linalg::Three made) {
    return {std::move(made.first), std::move(made.second), std::move(made.third)};
}
Result all(UniqueAll found) {
    return {std::move(found.values), std::move(found.indices), std::move(found.inverse), std::move(found.counts)};
}

Result all(Result made) {
    return made;
}

/// A parameter for all arrays of a call.
using Pointers = std::vector<const Array*>;
/// A parameter for a list of numbers, in front of which a call has its length.
template <class T>
struct List : std::vector<T> {};
/// A parameter for all numbers that are left.
template <class T>
struct Rest : std::vector<T> {};

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<List<T>> = true;
template <class T>
constexpr bool is_rest = false;
template <class T>
constexpr bool is_rest<Rest<T>> = true;

/// The arrays and numbers of a call, in the order of the function's parameters.
class Parameters {
public:
    Parameters(Arrays arrays, Numbers numbers, CUstream stream) : arrays_(arrays), numbers_(numbers), stream_(stream) {}

    template <class T>
    T next() {
        if constexpr (std::is_same_v<T, CUstream>)
            return stream_;
        else if constexpr (std::is_same_v<T, Array>)
            return arrays_[array_++];
        else if constexpr (std::is_same_v<T, std::optional<Array>>)
            return array_ < arrays_.size() ? std::optional(arrays_[array_++]) : std::nullopt;
        else if constexpr (std::is_same_v<T, Pointers>)
            return pointers();
        else if constexpr (std::is_same_v<T, Arrays>)
            return arrays_.subspan(array_);
        else if constexpr (std::is_same_v<T, Numbers>)
            return numbers_.subspan(number_);
        else if constexpr (is_list<T>)
            return numbers<T>(next<std::size_t>());
        else if constexpr (is_rest<T>)
            return numbers<T>(numbers_.size() - number_);
        else if constexpr (std::is_same_v<T, std::optional<DType>>)
            return numbers_[number_] < 0 ? (++number_, std::nullopt) : std::optional(next<DType>());
        else if constexpr (std::is_same_v<T, std::complex<double>>)
            return std::complex<double>{next<double>(), next<double>()};
        else if constexpr (std::is_same_v<T, double>)
            return std::bit_cast<double>(numbers_[number_++]);
        else
            return static_cast<T>(numbers_[number_++]);
    }

private:
    template <class T>
    T numbers(std::size_t count) {
        T list;
        while (list.size() < count) list.push_back(next<typename T::value_type>());
        return list;
    }
    Pointers pointers() const {
        Pointers made;
        made.reserve(arrays_.size());
        for (const Array& array : arrays_) made.push_back(&array);
        return made;
    }

    const Arrays arrays_;
    const Numbers numbers_;
    const CUstream stream_;
    std::size_t array_ = 0, number_ = 0;
};

template <class T>
constexpr int arrays_of = std::is_same_v<T, Array>;
template <class T>
constexpr int numbers_of_type = std::is_same_v<T, std::complex<double>>        ? 2
                                : std::is_same_v<T, std::optional<DType>>      ? 1
                                : std::is_arithmetic_v<T> || std::is_enum_v<T> ? 1
                                                                               : 0;

template <auto function, class R, class... P>
constexpr ArrayCall row_of(std::string_view name, R (*)(P...)) {
    constexpr bool any_arrays =
        ((std::is_same_v<P, std::optional<Array>> || std::is_same_v<P, Pointers> || std::is_same_v<P, Arrays>) || ...);
    constexpr bool any_numbers = ((is_list<P> || is_rest<P> || std::is_same_v<P, Numbers>) || ...);
    return {name, any_arrays ? any_number : (arrays_of<P> + ...), any_numbers ? any_number : (numbers_of_type<P> + ...),
            [](Arrays a, Numbers n, CUstream s) -> Result {
                Parameters parameters(a, n, s);
                std::tuple<P...> given{parameters.next<P>()...};
                if constexpr (std::is_void_v<R>)
                    return std::apply(function, std::move(given)), Result();
                else
                    return all(std::apply(function, std::move(given)));
            }};
}

/// A function, or a lambda without captures: its parameters determine how many arrays and numbers it takes.
template <auto function>
constexpr ArrayCall row(std::string_view name) {
    return row_of<function>(name, +function);
}

using IntegerList = List<std::int64_t>;
using Integers = Rest<std::int64_t>;

constexpr ArrayCall calls_by_topic[] = {
    row<[](Array a, Array indices, CUstream s) { return take(a, indices, s); }>("take"),
    row<take_into>("take_into"),
    row<put_into>("put_into"),
    row<[](Op op, Array out, Array indices, Array values, CUstream s) { update_at(op, out, indices, values, s); }>(
        "update_at"),
    row<take_put_into>("take_put_into"),
    row<flatnonzero>("flatnonzero"),
    row<selected>("selected"),
    row<assign_selected>("assign_selected"),
    row<ravel>("ravel"),
    row<flatten>("flatten"),
    row<sorted>("sort"),
    row<argsort>("argsort"),
    row<unique>("unique"),
    row<[](Array out, Scan op, Array a, int axis, CUstream s) { scan_into(out, op, ScanKind::Inclusive, a, axis, s); }>(
        "scan_into"),
    row<[](Scan op, Array a, int axis, CUstream s) { return scanned(op, ScanKind::Inclusive, a, axis, s); }>("scanned"),
    row<[](Array a, Array b, CUstream s) { return matmul(a, b, s); }>("matmul"),
    row<matmul_into>("matmul_into"),
    row<[](Array a, std::int64_t shift, CUstream s) { return roll(a, {&shift, 1}, std::nullopt, s); }>("roll_flat"),
    row<[](Array a, std::int64_t times, int axis, CUstream s) { return repeat(a, times, axis, s); }>("repeat"),
    row<[](Array a, Array counts, int axis, CUstream s) { return repeat(a, counts, axis, s); }>("repeat_each"),
    row<[](Array a, Array indices, int axis, CUstream s) { return take(a, indices, axis, s); }>("take_axis"),
    row<take_along_axis>("take_along_axis"),
    row<diagonal>("diagonal"),
    row<triangle>("triangle"),
    row<diff>("diff"),
    row<scanned_from_start>("scanned_from_start"),
    row<searchsorted>("searchsorted"),
    row<unique_all>("unique_all"),
    row<isin>("isin"),
    row<[](Array a, std::uint64_t seed, CUstream s) { random_fill(*current_kernels(), a.ref(s), seed, s); }>(
        "random_into"),
    row<direction_vectors_into>("direction_vectors_into"),
    row<scramble_constants_into>("scramble_constants_into"),
    row<fill_linspace>("fill_linspace"),
    row<vecdot>("vecdot"),
    row<cross>("cross"),
    row<outer>("outer"),
    row<linalg::det>("det"),
    row<linalg::slogdet>("slogdet"),
    row<linalg::solve>("solve"),
    row<linalg::inv>("inv"),
    row<linalg::matrix_power>("matrix_power"),
    row<linalg::cholesky>("cholesky"),
    row<linalg::qr>("qr"),
    row<linalg::svd>("svd"),
    row<linalg::svdvals>("svdvals"),
    row<linalg::eigh>("eigh"),
    row<linalg::eigvalsh>("eigvalsh"),
    row<linalg::eig>("eig"),
    row<linalg::eigvals>("eigvals"),
    row<linalg::pinv>("pinv"),
    row<linalg::matrix_rank>("matrix_rank"),
    row<linalg::vector_norm>("vector_norm"),
    row<[](Array a, linalg::NamedNorm which, bool keepdims, CUstream s) {
        return linalg::matrix_norm(a, which, keepdims, s);
    }>("named_norm"),
    row<[](Array a, double which, bool keepdims, CUstream s) { return linalg::matrix_norm(a, which, keepdims, s); }>(
        "matrix_norm"),
    row<variance>("var"),
    row<standard_deviation>("std"),
    row<isclose>("isclose"),
    row<histogram>("histogram"),
    row<bincount>("bincount"),
    row<[](Array a, std::int64_t bins, bool has_bounds, double first, double last, std::optional<DType> dtype,
           CUstream s) {
        return bin_edges(a, bins, has_bounds ? std::optional(std::pair(first, last)) : std::nullopt, dtype, s);
    }>("bin_edges"),
    row<require_bin_edges>("require_bin_edges"),
    row<median>("median"),
    row<without_nan>("without_nan"),
    row<nanmean>("nanmean"),
    row<nanvar>("nanvar"),
    row<nanstd>("nanstd"),
    row<nanargmin>("nanargmin"),
    row<nanargmax>("nanargmax"),
    row<scanned_without_nan>("scanned_without_nan"),
    row<[](Reduction op, Pointers arrays, std::uint32_t axes, bool keepdims, std::optional<DType> dtype, CUstream s) {
        return std::move(*reduced(op, arrays, axes, keepdims, dtype, s));
    }>("reduced"),
    row<[](Pointers arrays, int axis, CUstream s) { return concatenate(arrays, axis, s); }>("concatenate"),
    row<[](Pointers arrays, int axis, bool by_columns, CUstream s) { return stack(arrays, axis, by_columns, s); }>(
        "stack"),
    row<[](Pointers arrays, bool by_columns, CUstream s) { return meshgrid(arrays, by_columns, s); }>("meshgrid"),
    row<[](Array a, Integers repetitions, CUstream s) { return tile(a, repetitions, s); }>("tile"),
    row<[](Array a, IntegerList shifts, Integers axes, CUstream s) { return roll(a, shifts, axes, s); }>("roll"),
    row<[](Array a, IntegerList sources, Integers destinations) { return moveaxis(a, sources, destinations); }>(
        "moveaxis"),
    row<[](Array a, Array b, IntegerList axes_of_a, Integers axes_of_b, CUstream s) {
        return tensordot(a, b, axes_of_a, axes_of_b, s);
    }>("tensordot"),
    row<[](Array a, Arrays others, Numbers parts, CUstream s) {
        return elements_at(a, gather_parts(parts, others), s);
    }>("elements_at"),
    row<[](Array a, Arrays others, Numbers parts, CUstream s) {
        return flat_indices(a, gather_parts(parts, others), s);
    }>("flat_indices"),
    row<[](Array a, Array values, Arrays others, Numbers parts, CUstream s) {
        put_at(a, gather_parts(parts, others), values, s);
    }>("put_at"),
    row<[](Array a, std::uint32_t axes, bool keepdims, DType dtype, Rest<double> indices, CUstream s) {
        return take_sorted(a, indices, axes, keepdims, dtype, s);
    }>("take_sorted"),
    row<[](Array a, Arrays values, Numbers rule, CUstream s) {
        return pad(a, PaddingRule(rule, values, a.dtype()), s);
    }>("pad"),
    row<[](Arrays arrays, std::optional<DType> dtype, bool copies, Rest<char> subscripts, CUstream s) {
        return einsum(std::string(subscripts.begin(), subscripts.end()), arrays, dtype, copies, s);
    }>("einsum"),
    row<[](Array a, Fourier kind, bool backward, FourierNorm norm, bool over_axes, IntegerList lengths, Integers axes,
           CUstream s) { return fourier(kind, a, lengths, axes, backward, norm, over_axes, s); }>("fourier"),
};

constexpr auto calls = [] {
    auto sorted = std::to_array(calls_by_topic);
    std::ranges::sort(sorted, {}, &ArrayCall::name);
    return sorted;
}();
static_assert(std::ranges::adjacent_find(calls, {}, &ArrayCall::name) == calls.end());

}  // namespace

std::span<const ArrayCall> array_calls() noexcept {
    return calls;
}

const ArrayCall* find_array_call(std::string_view name) noexcept {
    const auto found = std::ranges::lower_bound(calls, name, {}, &ArrayCall::name);
    return found != calls.end() && found->name == name ? &*found : nullptr;
}

}  // namespace pycuda::gpuarray
