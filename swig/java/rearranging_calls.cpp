#include "rearranging_calls.hpp"

#include "array_handle.hpp"
#include "pycuda/gpuarray/rearranging.hpp"

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

ArrayHandle array_product(ArrayHandle out, ArrayHandle a, ArrayHandle b, std::uint64_t stream) {
    if (!out) return give(matrix_product(at(a), at(b), stream_of(stream)));
    matrix_product_into(at(out), at(a), at(b), stream_of(stream));
    return 0;
}

}  // namespace pycuda_java
