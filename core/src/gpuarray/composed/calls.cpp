#include "pycuda/gpuarray/calls.hpp"

#include <bit>
#include <optional>
#include <utility>

#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/fourier.hpp"
#include "pycuda/gpuarray/linalg.hpp"
#include "pycuda/gpuarray/moving.hpp"
#include "pycuda/gpuarray/random.hpp"
#include "pycuda/gpuarray/rearranging.hpp"
#include "pycuda/gpuarray/scan.hpp"
#include "pycuda/gpuarray/sets.hpp"
#include "pycuda/gpuarray/vectors.hpp"

namespace pycuda::gpuarray {
namespace {

using Arrays = ArrayCall::Arrays;
using Numbers = ArrayCall::Numbers;
using Result = std::vector<Array>;
constexpr int any_number = ArrayCall::any_number;

Result only(Array array) {
    Result result;
    result.push_back(std::move(array));
    return result;
}

Result all(UniqueElements found) {
    return {std::move(found.values), std::move(found.indices), std::move(found.inverse), std::move(found.counts)};
}

Result all(linalg::Two made) {
    return {std::move(made.first), std::move(made.second)};
}

Result all(linalg::Three made) {
    return {std::move(made.first), std::move(made.second), std::move(made.third)};
}

double fraction(long long bits) {
    return std::bit_cast<double>(bits);
}

std::optional<Array> second(Arrays arrays) {
    return arrays.size() > 1 ? std::optional(arrays[1]) : std::nullopt;
}

int axis_of(long long number) {
    return static_cast<int>(number);
}

/// A list of numbers that begins with how many belong to the first of its two parts.
struct TwoLists {
    explicit TwoLists(Numbers numbers) {
        const auto first_count = static_cast<std::size_t>(numbers[0]);
        first.assign(numbers.begin() + 1, numbers.begin() + 1 + numbers[0]);
        second.assign(numbers.begin() + 1 + static_cast<std::ptrdiff_t>(first_count), numbers.end());
    }
    std::vector<std::int64_t> first, second;
};

constexpr ArrayCall calls[] = {
    {"taken", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(taken(a[0], a[1], s)); }},
    {"take_into", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return take_into(a[0], a[1], a[2], s), Result(); }},
    {"put_into", 3, 0, [](Arrays a, Numbers, CUstream s) -> Result { return put_into(a[0], a[1], a[2], s), Result(); }},
    {"take_put_into", 4, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return take_put_into(a[0], a[1], a[2], a[3], n[0], s), Result();
     }},
    {"places_nonzero", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(places_nonzero(a[0], s)); }},
    {"selected", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(selected(a[0], a[1], s)); }},
    {"assign_selected", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return assign_selected(a[0], a[1], a[2], s), Result(); }},
    {"flat", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(flat(a[0], s)); }},
    {"flattened", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(flattened(a[0], s)); }},
    {"sorted", 1, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return only(sorted(a[0], axis_of(n[0]), s)); }},
    {"sorted_places", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(sorted_places(a[0], axis_of(n[0]), s)); }},
    {"distinct", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(distinct(a[0], s)); }},
    {"scan_into", 2, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const auto op = static_cast<Scan>(n[0]);
         return scan_into(a[0], op, ScanKind::Inclusive, a[1], axis_of(n[1]), s), Result();
     }},
    {"matrix_product", 2, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return only(matrix_product(a[0], a[1], s)); }},
    {"matrix_product_into", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return matrix_product_into(a[0], a[1], a[2], s), Result(); }},
    {"rolled", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n);
         return only(rolled(a[0], given.first, given.second, s));
     }},
    {"rolled_flat", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const std::int64_t shift[] = {n[0]};
         return only(rolled(a[0], shift, std::nullopt, s));
     }},
    {"tiled", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return only(tiled(a[0], std::vector<std::int64_t>(n.begin(), n.end()), s));
     }},
    {"repeated", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(repeated(a[0], n[0], axis_of(n[1]), s)); }},
    {"repeated_each", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(repeated(a[0], a[1], axis_of(n[0]), s)); }},
    {"taken_at", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(taken(a[0], a[1], axis_of(n[0]), s)); }},
    {"taken_along", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(taken_along(a[0], a[1], axis_of(n[0]), s)); }},
    {"axes_moved", 1, any_number,
     [](Arrays a, Numbers n, CUstream) -> Result {
         const TwoLists given(n);
         return only(axes_moved(a[0], given.first, given.second));
     }},
    {"diagonal", 1, 1, [](Arrays a, Numbers n, CUstream) -> Result { return only(diagonal(a[0], n[0])); }},
    {"triangle", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(triangle(a[0], n[0], n[1] != 0, s)); }},
    {"differences", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(differences(a[0], n[0], axis_of(n[1]), s)); }},
    {"scanned_from_start", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return only(scanned_from_start(static_cast<Scan>(n[0]), a[0], axis_of(n[1]), s));
     }},
    {"search_sorted", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(search_sorted(a[0], a[1], n[0] != 0, s)); }},
    {"unique_elements", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return all(unique_elements(a[0], s)); }},
    {"is_in", 2, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return only(is_in(a[0], a[1], n[0] != 0, s)); }},
    {"random_into", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         random_fill(*current_kernels(), a[0].ref(s), static_cast<std::uint64_t>(n[0]), s);
         return Result();
     }},
    {"tensor_product", 2, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n);
         return only(tensor_product(a[0], a[1], given.first, given.second, s));
     }},
    {"vector_dot", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(vector_dot(a[0], a[1], n[0], s)); }},
    {"cross_product", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(cross_product(a[0], a[1], n[0], s)); }},
    {"outer_product", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(outer_product(a[0], a[1], s)); }},
    {"grid", any_number, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         std::vector<const Array*> arrays;
         for (const Array& array : a) arrays.push_back(&array);
         return grid(arrays, n[0] != 0, s);
     }},
    {"fill_spaced", 1, 5,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return fill_spaced(a[0], {fraction(n[0]), fraction(n[1])}, {fraction(n[2]), fraction(n[3])}, n[4] != 0, s),
                Result();
     }},
    {"fourier", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n.subspan(4));
         return only(fourier(static_cast<Fourier>(n[0]), a[0], given.first, given.second, n[1] != 0,
                             static_cast<FourierNorm>(n[2]), n[3] != 0, s));
     }},
    {"det", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::det(a[0], s)); }},
    {"slogdet", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return all(linalg::slogdet(a[0], s)); }},
    {"solve", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::solve(a[0], a[1], s)); }},
    {"inv", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::inv(a[0], s)); }},
    {"matrix_power", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(linalg::matrix_power(a[0], n[0], s)); }},
    {"cholesky", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return only(linalg::cholesky(a[0], n[0] != 0, s)); }},
    {"qr", 1, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return all(linalg::qr(a[0], n[0] != 0, s)); }},
    {"svd", 1, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return all(linalg::svd(a[0], n[0] != 0, s)); }},
    {"svdvals", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::svdvals(a[0], s)); }},
    {"eigh", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return all(linalg::eigh(a[0], s)); }},
    {"eigvalsh", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::eigvalsh(a[0], s)); }},
    {"eig", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return all(linalg::eig(a[0], s)); }},
    {"eigvals", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::eigvals(a[0], s)); }},
    {"pinv", any_number, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::pinv(a[0], second(a), s)); }},
    {"matrix_rank", any_number, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return only(linalg::matrix_rank(a[0], second(a), s)); }},
    {"vector_norm", 1, 3,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return only(linalg::vector_norm(a[0], fraction(n[0]), static_cast<std::uint32_t>(n[1]), n[2] != 0, s));
     }},
    {"named_norm", 1, 2,
     [](Arrays a, Numbers n, CUstream s)
         -> Result { return only(linalg::matrix_norm(a[0], static_cast<linalg::NamedNorm>(n[0]), n[1] != 0, s)); }},
    {"matrix_norm", 1, 2,
     [](Arrays a, Numbers n,
        CUstream s) -> Result { return only(linalg::matrix_norm(a[0], fraction(n[0]), n[1] != 0, s)); }},
};

}  // namespace

const ArrayCall* find_array_call(std::string_view name, std::size_t arrays, std::size_t numbers) {
    for (const ArrayCall& call : calls)
        if (call.name == name && call.takes(arrays, numbers)) return &call;
    return nullptr;
}

}  // namespace pycuda::gpuarray
