#include "pycuda/gpuarray/sets.hpp"

#include <stdexcept>
#include <string>

#include "array_parts.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/moving.hpp"
#include "pycuda/gpuarray/rearranging.hpp"
#include "pycuda/gpuarray/sort.hpp"

namespace pycuda::gpuarray {
namespace {

/// The indices that sort the elements in ascending order.
Array ascending_order(const Array& line, CUstream stream) {
    if (line.dtype() == DType::Opaque || !is_complex(line.dtype())) return sorted_places(line, 0, stream);
    const Calculation calculate{stream};
    const Array by_imaginary = sorted_places(calculate(Op::imag, {&line}), 0, stream);
    const Array real = calculate(Op::real, {&line});
    return taken(by_imaginary, sorted_places(taken(real, by_imaginary, stream), 0, stream), stream);
}

/// Whether each element differs from the one before it.
Array marked_firsts(const Array& ordered, CUstream stream) {
    const std::int64_t n = ordered.layout().size();
    const Array mask = new_beside(ordered, DType::Bool, ordered.layout().shape(), stream);
    if (n == 0) return mask;
    fill(part_of(mask, 0, 0, 1), Scalar::weak(true), stream);
    const Array later = part_of(ordered, 0, 1, n), earlier = part_of(ordered, 0, 0, n - 1);
    if (n > 1) Calculation{stream}.into(part_of(mask, 0, 1, n), Op::ne, {&later, &earlier}, DType::Bool);
    return mask;
}

/// The distances from each index to the next, and from the last one to `end`.
Array distances(const Array& places, std::int64_t end, CUstream stream) {
    const std::int64_t one[] = {1};
    const Array last = new_beside(places, DType::Int64, one, stream);
    fill(last, Scalar::weak(end), stream);
    const Array* const both[] = {&places, &last};
    return differences(concatenated(both, 0, stream), 1, 0, stream);
}

}  // namespace

Array search_sorted(Array sorted, Array wanted, bool right, CUstream stream) {
    if (sorted.layout().ndim() != 1)
        throw std::invalid_argument("expected ascending elements of one axis, given " +
                                    std::to_string(sorted.layout().ndim()));
    const DType dtype = common_dtype(sorted, wanted);
    const Array line = in_c_order(as_type(sorted, dtype, stream), stream);
    const Array keys = in_c_order(as_type(wanted, dtype, stream), stream);
    const Array places = new_beside(wanted, DType::Int64, wanted.layout().shape(), stream);
    search(*current_kernels(), places.ref(stream), keys.ref(stream), line.ref(stream), right, stream);
    return places;
}

UniqueElements unique_elements(Array array, CUstream stream) {
    const Array line = flat(array, stream);
    const std::int64_t n = line.layout().size();
    const Array order = ascending_order(line, stream);
    const Array ordered = n ? taken(line, order, stream) : line;
    const Array mask = marked_firsts(ordered, stream);
    const Array starts = places_nonzero(mask, stream);
    const Array inverse = new_beside(array, DType::Int64, array.layout().shape(), stream);
    if (n == 0) return {flattened(line, stream), starts, inverse, flattened(starts, stream)};
    const Array which = new_beside(mask, DType::Int64, mask.layout().shape(), stream);
    scan_into(which, Scan::sum, ScanKind::Inclusive, as_type(mask, DType::Int64, stream), 0, stream);
    put_into(inverse, order, Calculation{stream}(Op::sub, {&which, Scalar::weak(std::int64_t{1})}), stream);
    return {taken(ordered, starts, stream), taken(order, starts, stream), inverse, distances(starts, n, stream)};
}

Array is_in(Array array, Array of, bool invert, CUstream stream) {
    const DType dtype = common_dtype(array, of);
    const Array elements = as_type(array, dtype, stream);
    const Array out = new_beside(array, DType::Bool, array.layout().shape(), stream);
    if (array.layout().size() == 0) return out;
    if (of.layout().size() == 0) {
        fill(out, Scalar::weak(invert), stream);
        return out;
    }
    const Array ordered = sorted(flat(as_type(of, dtype, stream), stream), 0, stream);
    const Array nearest = taken(ordered, search_sorted(ordered, elements, false, stream), stream);
    Calculation{stream}.into(out, invert ? Op::ne : Op::eq, {&nearest, &elements}, DType::Bool);
    return out;
}

}  // namespace pycuda::gpuarray
