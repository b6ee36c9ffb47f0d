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
#include "pycuda/gpuarray/composed/spread.hpp"
#include "pycuda/gpuarray/composed/vectors.hpp"
#include "pycuda/gpuarray/composed/without_nan.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/random.hpp"
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
Result all(UniqueElements found) {
    return {std::move(found.values), std::move(found.indices), std::move(found.inverse), std::move(found.counts)};
}

Result all(Result made) {
    return made;
}

/// A parameter for all arrays of a call.
using Pointers = std::vector<const Array*>;

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
    constexpr bool takes_any = ((std::is_same_v<P, std::optional<Array>> || std::is_same_v<P, Pointers>) || ...);
    return {name, takes_any ? any_number : (arrays_of<P> + ...), (numbers_of_type<P> + ...),
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

/// Two lists of numbers in one; its first number is the length of the first list.
struct TwoLists {
    explicit TwoLists(Numbers numbers) {
        const auto first_count = static_cast<std::size_t>(numbers[0]);
        first.assign(numbers.begin() + 1, numbers.begin() + 1 + numbers[0]);
        second.assign(numbers.begin() + 1 + static_cast<std::ptrdiff_t>(first_count), numbers.end());
    }
    std::vector<std::int64_t> first, second;
};

constexpr ArrayCall calls_by_topic[] = {
    row<[](Array a, Array places, CUstream s) { return taken(a, places, s); }>("taken"),
    row<take_into>("take_into"),
    row<put_into>("put_into"),
    row<[](Op op, Array out, Array places, Array values, CUstream s) { update_at(op, out, places, values, s); }>(
        "update_at"),
    row<take_put_into>("take_put_into"),
    row<places_nonzero>("places_nonzero"),
    row<selected>("selected"),
    row<assign_selected>("assign_selected"),
    row<flat>("flat"),
    row<flattened>("flattened"),
    row<sorted>("sorted"),
    row<argsort>("argsort"),
    row<unique>("unique"),
    row<[](Array out, Scan op, Array a, int axis, CUstream s) { scan_into(out, op, ScanKind::Inclusive, a, axis, s); }>(
        "scan_into"),
    row<[](Scan op, Array a, int axis, CUstream s) { return scanned(op, ScanKind::Inclusive, a, axis, s); }>("scanned"),
    row<matrix_product>("matrix_product"),
    row<matrix_product_into>("matrix_product_into"),
    row<[](Array a, std::int64_t shift, CUstream s) { return rolled(a, {&shift, 1}, std::nullopt, s); }>("rolled_flat"),
    row<[](Array a, std::int64_t times, int axis, CUstream s) { return repeated(a, times, axis, s); }>("repeated"),
    row<[](Array a, Array counts, int axis, CUstream s) { return repeated(a, counts, axis, s); }>("repeated_each"),
    row<[](Array a, Array places, int axis, CUstream s) { return taken(a, places, axis, s); }>("taken_at"),
    row<taken_along>("taken_along"),
    row<diagonal>("diagonal"),
    row<triangle>("triangle"),
    row<differences>("differences"),
    row<scanned_from_start>("scanned_from_start"),
    row<search_sorted>("search_sorted"),
    row<unique_elements>("unique_elements"),
    row<is_in>("is_in"),
    row<[](Array a, std::uint64_t seed, CUstream s) { random_fill(*current_kernels(), a.ref(s), seed, s); }>(
        "random_into"),
    row<direction_vectors_into>("direction_vectors_into"),
    row<scramble_constants_into>("scramble_constants_into"),
    row<fill_linspace>("fill_linspace"),
    row<vector_dot>("vector_dot"),
    row<cross_product>("cross_product"),
    row<outer_product>("outer_product"),
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
    row<[](Array a, linalg::NamedNorm which, bool keep_axes, CUstream s) {
        return linalg::matrix_norm(a, which, keep_axes, s);
    }>("named_norm"),
    row<[](Array a, double which, bool keep_axes, CUstream s) { return linalg::matrix_norm(a, which, keep_axes, s); }>(
        "matrix_norm"),
    row<[](Array a, std::optional<Array> where, Spread kind, std::uint32_t axes, bool keep_axes, double correction,
           std::optional<DType> dtype, CUstream s) {
        return spread(kind, a, where ? &*where : nullptr, axes, keep_axes, correction, dtype, s);
    }>("spread"),
    row<is_close>("is_close"),
    row<histogram>("histogram"),
    row<bincount>("bincount"),
    row<[](Array a, std::int64_t bins, bool has_bounds, double first, double last, std::optional<DType> dtype,
           CUstream s) {
        return bin_edges(a, bins, has_bounds ? std::optional(std::pair(first, last)) : std::nullopt, dtype, s);
    }>("bin_edges"),
    row<require_bin_edges>("require_bin_edges"),
    row<median>("median"),
    row<without_nan>("without_nan"),
    row<mean_without_nan>("mean_without_nan"),
    row<spread_without_nan>("spread_without_nan"),
    row<place_without_nan>("place_without_nan"),
    row<scanned_without_nan>("scanned_without_nan"),
    row<[](Reduction op, Pointers arrays, std::uint32_t axes, bool keep_axes, std::optional<DType> dtype, CUstream s) {
        return std::move(*reduced(op, arrays, axes, keep_axes, dtype, s));
    }>("reduced"),
    row<[](Pointers arrays, int axis, CUstream s) { return concatenated(arrays, axis, s); }>("concatenated"),
    row<[](Pointers arrays, bool by_columns, CUstream s) { return meshgrid(arrays, by_columns, s); }>("meshgrid"),
    // Functions that take lists of numbers.
    {"tiled", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return all(tiled(a[0], std::vector<std::int64_t>(n.begin(), n.end()), s));
     }},
    {"rolled", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n);
         return all(rolled(a[0], given.first, given.second, s));
     }},
    {"elements_at", any_number, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return all(elements_at(a[0], gather_parts(n, a.subspan(1)), s));
     }},
    {"places_at", any_number, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result { return all(places_at(a[0], gather_parts(n, a.subspan(1)), s)); }},
    {"put_at", any_number, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         put_at(a[0], gather_parts(n, a.subspan(2)), a[1], s);
         return {};
     }},
    {"axes_moved", 1, any_number,
     [](Arrays a, Numbers n, CUstream) -> Result {
         const TwoLists given(n);
         return all(axes_moved(a[0], given.first, given.second));
     }},
    {"tensor_product", 2, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n);
         return all(tensor_product(a[0], a[1], given.first, given.second, s));
     }},
    {"take_sorted", 1, any_number,  // the axes, whether they stay, the type, and the places
     [](Arrays a, Numbers n, CUstream s) -> Result {
         std::vector<double> places;
         for (const long long word : n.subspan(3)) places.push_back(std::bit_cast<double>(word));
         return all(take_sorted(a[0], places, static_cast<std::uint32_t>(n[0]), n[1] != 0, static_cast<DType>(n[2]), s));
     }},
    {"padded", any_number, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return all(padded(a[0], PaddingRule(n, a.subspan(1), a[0].dtype()), s));
     }},
    {"einsum", any_number, any_number,  // a type or -1, whether the result is a copy, and the subscripts' characters
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const auto dtype = n[0] < 0 ? std::nullopt : std::optional(static_cast<DType>(n[0]));
         return all(einsum(std::string(n.begin() + 2, n.end()), a, dtype, n[1] != 0, s));
     }},
    {"fourier", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n.subspan(4));
         return all(fourier(static_cast<Fourier>(n[0]), a[0], given.first, given.second, n[1] != 0,
                            static_cast<FourierNorm>(n[2]), n[3] != 0, s));
     }},
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
