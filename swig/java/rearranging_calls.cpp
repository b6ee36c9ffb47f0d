#include "rearranging_calls.hpp"

#include "array_handle.hpp"
#include "pycuda/gpuarray/calls.hpp"
#include "pycuda/gpuarray/moving.hpp"
#include "pycuda/gpuarray/rearranging.hpp"
#include "pycuda/gpuarray/sets.hpp"
#include "pycuda/gpuarray/spread.hpp"

namespace pycuda_java {

using namespace pycuda::gpuarray;

ArrayHandle array_scanned(int op, bool exclusive, ArrayHandle in, int axis, std::uint64_t stream) {
    const ScanKind kind = exclusive ? ScanKind::Exclusive : ScanKind::Inclusive;
    return give(scanned(static_cast<Scan>(op), kind, at(in), axis, stream_of(stream)));
}

ArrayHandle array_flattened(ArrayHandle array, std::uint64_t stream) {
    return give(flattened(at(array), stream_of(stream)));
}

ArrayHandle array_taken(ArrayHandle out, ArrayHandle in, ArrayHandle indices, std::uint64_t stream) {
    if (!out) return give(taken(at(in), at(indices), stream_of(stream)));
    take_into(at(out), at(in), at(indices), stream_of(stream));
    return 0;
}

void array_put(ArrayHandle out, ArrayHandle indices, ArrayHandle values, std::uint64_t stream) {
    put_into(at(out), at(indices), at(values), stream_of(stream));
}

void array_take_put(ArrayHandle out, ArrayHandle to, ArrayHandle in, ArrayHandle from, std::int64_t offset,
                    std::uint64_t stream) {
    take_put_into(at(out), at(to), at(in), at(from), offset, stream_of(stream));
}

ArrayHandle array_nonzero(ArrayHandle array, std::uint64_t stream) {
    return give(places_nonzero(at(array), stream_of(stream)));
}

ArrayHandle array_selected(ArrayHandle array, ArrayHandle mask, std::uint64_t stream) {
    return give(selected(at(array), at(mask), stream_of(stream)));
}

void array_assign_selected(ArrayHandle out, ArrayHandle mask, ArrayHandle values, std::uint64_t stream) {
    assign_selected(at(out), at(mask), at(values), stream_of(stream));
}

ArrayHandle array_sorted(ArrayHandle array, int axis, bool places, std::uint64_t stream) {
    return give((places ? sorted_places : sorted)(at(array), axis, stream_of(stream)));
}

ArrayHandle array_distinct(ArrayHandle array, std::uint64_t stream) {
    return give(distinct(at(array), stream_of(stream)));
}

ArrayHandle array_rolled(ArrayHandle array, const std::vector<jlong>& shifts, const std::vector<jlong>& axes,
                         std::uint64_t stream) {
    return give(rolled(at(array), numbers(shifts), numbers(axes), stream_of(stream)));
}

ArrayHandle array_rolled_flat(ArrayHandle array, std::int64_t shift, std::uint64_t stream) {
    const std::int64_t shifts[] = {shift};
    return give(rolled(at(array), shifts, std::nullopt, stream_of(stream)));
}

ArrayHandle array_tiled(ArrayHandle array, const std::vector<jlong>& repetitions, std::uint64_t stream) {
    return give(tiled(at(array), numbers(repetitions), stream_of(stream)));
}

ArrayHandle array_repeated(ArrayHandle array, std::int64_t times, int axis, std::uint64_t stream) {
    return give(repeated(at(array), times, axis, stream_of(stream)));
}

ArrayHandle array_repeated_each(ArrayHandle array, ArrayHandle counts, int axis, std::uint64_t stream) {
    return give(repeated(at(array), at(counts), axis, stream_of(stream)));
}

ArrayHandle array_taken_at(ArrayHandle array, ArrayHandle indices, int axis, bool along, std::uint64_t stream) {
    if (along) return give(taken_along(at(array), at(indices), axis, stream_of(stream)));
    return give(taken(at(array), at(indices), axis, stream_of(stream)));
}

ArrayHandle array_axes_moved(ArrayHandle array, const std::vector<jlong>& sources,
                             const std::vector<jlong>& destinations) {
    return give(axes_moved(at(array), numbers(sources), numbers(destinations)));
}

ArrayHandle array_diagonal(ArrayHandle array, std::int64_t k) {
    return give(diagonal(at(array), k));
}

ArrayHandle array_triangle(ArrayHandle array, std::int64_t k, bool upper, std::uint64_t stream) {
    return give(triangle(at(array), k, upper, stream_of(stream)));
}

ArrayHandle array_differences(ArrayHandle array, std::int64_t n, int axis, std::uint64_t stream) {
    return give(differences(at(array), n, axis, stream_of(stream)));
}

ArrayHandle array_scanned_from_start(int op, ArrayHandle array, int axis, std::uint64_t stream) {
    return give(scanned_from_start(static_cast<Scan>(op), at(array), axis, stream_of(stream)));
}

ArrayHandle array_searched(ArrayHandle sorted, ArrayHandle wanted, bool right, std::uint64_t stream) {
    return give(search_sorted(at(sorted), at(wanted), right, stream_of(stream)));
}

NewArrays array_unique_elements(ArrayHandle array, std::uint64_t stream) {
    UniqueElements found = unique_elements(at(array), stream_of(stream));
    NewArrays made;
    for (Array* each : {&found.values, &found.indices, &found.inverse, &found.counts})
        made.push_back(std::make_unique<Array>(std::move(*each)));
    return made;
}

ArrayHandle array_is_in(ArrayHandle array, ArrayHandle of, bool invert, std::uint64_t stream) {
    return give(is_in(at(array), at(of), invert, stream_of(stream)));
}

ArrayHandle array_spread(bool is_root, ArrayHandle array, ArrayHandle where, const std::vector<jlong>& axes,
                         bool keep_axes, double correction, std::uint64_t stream) {
    const std::uint32_t mask = axes.empty() ? all_axes : views::axis_mask(numbers(axes), at(array).layout().ndim());
    return give(spread(is_root ? Spread::StandardDeviation : Spread::Variance, at(array), where ? &at(where) : nullptr,
                       mask, keep_axes, correction, std::nullopt, stream_of(stream)));
}

ArrayHandle array_product(ArrayHandle out, ArrayHandle a, ArrayHandle b, std::uint64_t stream) {
    if (!out) return give(matrix_product(at(a), at(b), stream_of(stream)));
    matrix_product_into(at(out), at(a), at(b), stream_of(stream));
    return 0;
}

NewArrays array_call(const std::string& name, const std::vector<jlong>& arrays, const std::vector<jlong>& numbers_given,
                     std::uint64_t stream) {
    const ArrayCall* const call = find_array_call(name, arrays.size(), numbers_given.size());
    if (!call) throw std::invalid_argument("there is no call '" + name + "' of these arguments");
    std::vector<Array> operands;
    for (const jlong handle : arrays) operands.push_back(at(static_cast<ArrayHandle>(handle)));
    const std::vector<long long> given(numbers_given.begin(), numbers_given.end());
    NewArrays made;
    for (Array& each : call->run(operands, given, stream_of(stream)))
        made.push_back(std::make_unique<Array>(std::move(each)));
    return made;
}

std::int64_t axis_mask(const std::vector<jlong>& axes, int ndim) {
    return views::axis_mask(numbers(axes), ndim);
}

}  // namespace pycuda_java
