// What Java's arrays call to move, sort and multiply elements. Arrays are as in array_calls.hpp; `out` 0: a new array.
#pragma once

#ifndef SWIG
#include "array_calls.hpp"
#endif

namespace pycuda_java {

/// Along `axis`; `op` is a code of Scan.
ArrayHandle array_scanned(int op, bool exclusive, ArrayHandle in, int axis, std::uint64_t stream);
ArrayHandle array_flattened(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_taken(ArrayHandle out, ArrayHandle in, ArrayHandle indices, std::uint64_t stream);
void array_put(ArrayHandle out, ArrayHandle indices, ArrayHandle values, std::uint64_t stream);
void array_take_put(ArrayHandle out, ArrayHandle to, ArrayHandle in, ArrayHandle from, std::int64_t offset,
                    std::uint64_t stream);
ArrayHandle array_nonzero(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_selected(ArrayHandle array, ArrayHandle mask, std::uint64_t stream);
void array_assign_selected(ArrayHandle out, ArrayHandle mask, ArrayHandle values, std::uint64_t stream);
/// `places`: where the sorted elements are.
ArrayHandle array_sorted(ArrayHandle array, int axis, bool places, std::uint64_t stream);
ArrayHandle array_distinct(ArrayHandle array, std::uint64_t stream);
ArrayHandle array_product(ArrayHandle out, ArrayHandle a, ArrayHandle b, std::uint64_t stream);

}  // namespace pycuda_java
