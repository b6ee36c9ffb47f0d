#include "pycuda/gpuarray/sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "driver/driver_table.hpp"
#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/sort_source.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/selection.hpp"

namespace pycuda::gpuarray {
namespace {

/// The longest row that is sorted by ranks.
constexpr std::uint64_t short_row = 64;

void check(const ArrayRef& array, const ArrayRef& in, const char* what) {
    if (!array.layout->is_c_contiguous())
        throw std::invalid_argument(std::string(what) + " must be C contiguous; copy it first");
    if (!array.layout->same_shape(*in.layout))
        throw std::invalid_argument(std::string(what) + " has shape " + shape_text(array.layout->shape()) +
                                    ", but the input has shape " + shape_text(in.layout->shape()));
    check_alignment(array);
}

enum SortKernel : unsigned {
    Ranks,
    WholeRow,
    WholeRowIndices,
    DigitCounts,
    DigitMoves,
    DigitMovesWithIndices,
    MarkFirst,
    Search
};

/// `variant`: the keys of each thread, for rows that a block sorts; whether announcements are wide, for passes.
Kernels::Wanted wanted_kernel(SortKernel kernel, DType dtype, unsigned variant = 0) {
    const KernelKey key =
        KernelFields(Family::Sort).field<3>(static_cast<unsigned>(kernel)).field(dtype).field<5>(variant);
    return {key, [=] {
                switch (kernel) {
                    case Ranks:
                        return ranks_source(dtype);
                    case WholeRow:
                    case WholeRowIndices:
                        return whole_row_source(dtype, variant, kernel == WholeRowIndices);
                    case DigitCounts:
                        return digit_counts_source(dtype);
                    case MarkFirst:
                        return mark_first_source(dtype);
                    case Search:
                        return search_source(dtype);
                    default:
                        return digit_moves_source(dtype, kernel == DigitMovesWithIndices, variant != 0);
                }
            }};
}

const Kernel* get(Kernels& kernels, const Kernels::Wanted& wanted) {
    return &kernels.get(wanted.key, wanted.source);
}

void check_sortable(DType dtype) {
    if (dtype == DType::Opaque || is_complex(dtype))
        throw ArgumentTypeError(std::string("sorting is not defined for ") + name_of(dtype));
}

/// Where a pass writes: the last one to `last`, earlier ones alternating with `other`.
DevicePtr target(unsigned pass, unsigned passes, DevicePtr last, DevicePtr other) {
    return (passes - 1 - pass) % 2 == 0 ? last : other;
}

/// The rows to sort, each with `length` elements.
struct Rows {
    DType dtype;
    std::uint64_t n, length;
    std::uint64_t nbytes() const { return n * positions(); }
    std::uint64_t number() const { return n / length; }
    std::uint64_t tiles() const { return (length + sort_tile(dtype) - 1) / sort_tile(dtype); }
    /// The bytes of a key, from the least significant: a pass for each.
    unsigned positions() const { return static_cast<unsigned>(info(dtype).size); }
    bool are_short() const { return length <= short_row; }
    bool fit_a_block() const { return length <= longest_block_row; }
    bool have_wide_counts() const { return length > longest_short_count; }
};

void sort_by_ranks(Kernels& kernels, const Rows& rows, DevicePtr keys, DevicePtr indices, DevicePtr in,
                   CUstream stream) {
    Arguments arguments;
    arguments.add(keys);
    arguments.add(in);
    arguments.add(indices);
    arguments.add(WideDivisor(rows.length));
    arguments.add(rows.n);
    kernels.launch(*get(kernels, wanted_kernel(Ranks, rows.dtype)), (rows.n + rank_threads - 1) / rank_threads,
                   rank_threads, arguments.data(), arguments.size(), stream);
}

Kernels::Wanted wanted_for_a_block(const Rows& rows, bool indices) {
    const auto items = std::bit_ceil((static_cast<unsigned>(rows.length) + sort_threads - 1) / sort_threads);
    return wanted_kernel(indices ? WholeRowIndices : WholeRow, rows.dtype, items);
}

/// Keys and indices by a kernel each: both are seldom wanted.
void sort_in_blocks(Kernels& kernels, const Rows& rows, DevicePtr keys, DevicePtr indices, DevicePtr in,
                    CUstream stream) {
    const auto launch = [&](bool with_indices) {
        Arguments arguments;
        arguments.add(keys);
        arguments.add(in);
        arguments.add(static_cast<std::uint32_t>(rows.length));
        if (with_indices) arguments.add(indices);
        kernels.launch(*get(kernels, wanted_for_a_block(rows, with_indices)), rows.number(), sort_threads,
                       arguments.data(), arguments.size(), stream);
    };
    if (indices) launch(true);
    if (keys) launch(false);  // may overwrite `in`
}

/// The kernel that moves keys, and the one that counts.
std::vector<Kernels::Wanted> wanted_by_digits(const Rows& rows, bool with_indices) {
    return {wanted_kernel(with_indices ? DigitMovesWithIndices : DigitMoves, rows.dtype, rows.have_wide_counts()),
            wanted_kernel(DigitCounts, rows.dtype)};
}

/// Zeros for the kernels of a radix sort: the counts of all rows, and for each pass the number of tiles taken and the
/// announcements of all tiles.
class SortState {
public:
    SortState(const Rows& rows, CUstream stream)
        : counts_(rows.number() * rows.positions() * 256 * 4),
          pass_(alignment + rows.number() * rows.tiles() * 256 * (rows.have_wide_counts() ? 8 : 4)),
          memory_(counts_ + rows.positions() * pass_, stream) {
        driver().cuMemsetD8Async(memory_.pointer(), 0, counts_ + rows.positions() * pass_, stream);
    }
    DevicePtr counts() const { return memory_.pointer(); }
    DevicePtr taken(unsigned pass) const { return memory_.pointer() + counts_ + pass * pass_; }
    DevicePtr announcements(unsigned pass) const { return taken(pass) + alignment; }

private:
    static constexpr std::uint64_t alignment = 16;
    std::uint64_t counts_, pass_;
    Scratch memory_;
};

class RadixSorter {
public:
    RadixSorter(Kernels& kernels, const Rows& rows, bool with_indices, CUstream stream)
        : kernels_(kernels), stream_(stream), rows_(rows), with_indices_(with_indices), state_(rows, stream) {
        const auto all = wanted_by_digits(rows, with_indices);
        kernels.prepare(all);
        moving_ = get(kernels, all[0]);
        counting_ = get(kernels, all[1]);
    }

    void count(DevicePtr keys) {
        constexpr std::uint64_t few_blocks = 1024;  // more than run at a time
        const std::uint64_t tile = sort_tile(rows_.dtype);
        const std::uint64_t per_block = std::max(tile, (rows_.length / few_blocks + tile - 1) / tile * tile);
        const std::uint64_t blocks = (rows_.length + per_block - 1) / per_block;
        Arguments arguments;
        arguments.add(keys);
        arguments.add(state_.counts());
        arguments.add(static_cast<std::uint32_t>(rows_.length));
        arguments.add(static_cast<std::uint32_t>(blocks));
        arguments.add(static_cast<std::uint32_t>(per_block));
        kernels_.launch(*counting_, rows_.number() * blocks, sort_threads, arguments.data(), arguments.size(), stream_);
    }

    void pass(unsigned byte, bool last, DevicePtr keys_to, DevicePtr keys_from, DevicePtr indices_to,
              DevicePtr indices_from) {
        Arguments arguments;
        arguments.add(keys_to);
        arguments.add(keys_from);
        arguments.add(state_.counts());
        arguments.add(state_.announcements(byte));
        arguments.add(state_.taken(byte));
        arguments.add(static_cast<std::uint32_t>(rows_.length));
        arguments.add(static_cast<std::uint32_t>(rows_.tiles()));
        arguments.add(std::uint32_t{8 * byte});
        if (with_indices_) {
            arguments.add(indices_to);
            arguments.add(indices_from);
            arguments.add(std::uint32_t{last});
        }
        kernels_.launch(*moving_, rows_.number() * rows_.tiles(), sort_threads, arguments.data(), arguments.size(),
                        stream_);
    }

private:
    Kernels& kernels_;
    CUstream stream_;
    const Rows rows_;
    bool with_indices_;
    SortState state_;
    const Kernel *counting_, *moving_;
};

/// Radix sort: one pass for each byte, from the least significant.
void sort_by_digits(Kernels& kernels, const Rows& rows, DevicePtr keys, DevicePtr indices, DevicePtr in,
                    CUstream stream) {
    const unsigned passes = rows.positions();
    const Scratch other_keys(rows.nbytes(), stream);
    std::optional<Scratch> other_indices;
    if (indices) other_indices.emplace(rows.n * 4, stream);
    RadixSorter sorter(kernels, rows, indices != 0, stream);
    sorter.count(in);
    DevicePtr indices_from = 0;
    for (unsigned byte = 0; byte < passes; ++byte) {
        const DevicePtr to = target(byte, passes, keys, other_keys.pointer());
        const DevicePtr indices_to = indices ? target(byte, passes, indices, other_indices->pointer()) : 0;
        sorter.pass(byte, byte + 1 == passes, to, in, indices_to, indices_from);
        in = to;
        indices_from = indices_to;
    }
}

}  // namespace

void sort(Kernels& kernels, const ArrayRef& keys, const ArrayRef& indices, const ArrayRef& in, CUstream stream) {
    check_sortable(in.dtype);
    check(in, in, "the array to sort");
    if (!keys.layout && !indices.layout)
        throw std::invalid_argument("sort needs an output array for the keys or for their indices");
    if (keys.layout) {
        check(keys, in, "the array of sorted keys");
        if (keys.dtype != in.dtype)
            throw std::invalid_argument(std::string("the array of sorted keys must have type ") + name_of(in.dtype) +
                                        ", as the input, not " + name_of(keys.dtype));
    }
    if (indices.layout) {
        check(indices, in, "the array of indices");
        if (indices.dtype != DType::Int64)
            throw std::invalid_argument(std::string("the array of indices must have type int64, not ") +
                                        name_of(indices.dtype));
    }
    const int ndim = in.layout->ndim();
    const Rows rows{in.dtype, static_cast<std::uint64_t>(in.layout->size()),
                    ndim ? static_cast<std::uint64_t>(in.layout->shape()[static_cast<std::size_t>(ndim) - 1]) : 1};
    if (rows.n == 0) return;
    if (rows.length > 0xffffffffu - sort_tile(rows.dtype))
        throw std::invalid_argument("sort supports fewer than 2^32 elements per row, given " +
                                    std::to_string(rows.length));
    DevicePtr from = in.address, to = keys.layout ? keys.address : 0;
    // The sort by ranks, and the only pass for bytes, cannot work in place; blocks only row by row.
    const bool is_apart = rows.are_short() || (rows.fit_a_block() ? to != from : rows.positions() == 1);
    const bool overlap =
        keys.layout && keys.address < in.address + rows.nbytes() && in.address < keys.address + rows.nbytes();
    std::optional<Scratch> copy, own_keys;
    if (is_apart && overlap) {
        copy.emplace(rows.nbytes(), stream);
        driver().cuMemcpyDtoDAsync(copy->pointer(), in.address, rows.nbytes(), stream);
        from = copy->pointer();
    }
    const DevicePtr indices_to = indices.layout ? indices.address : 0;
    if (rows.are_short()) return sort_by_ranks(kernels, rows, to, indices_to, from, stream);
    if (rows.fit_a_block()) return sort_in_blocks(kernels, rows, to, indices_to, from, stream);
    if (!to) to = own_keys.emplace(rows.nbytes(), stream).pointer();
    sort_by_digits(kernels, rows, to, indices_to, from, stream);
}

void mark_first(Kernels& kernels, const ArrayRef& mask, const ArrayRef& sorted, CUstream stream) {
    check_sortable(sorted.dtype);
    check(sorted, sorted, "the sorted array");
    check(mask, sorted, "the mask");
    if (mask.dtype != DType::Bool)
        throw std::invalid_argument(std::string("mask must be a bool array, not of ") + name_of(mask.dtype));
    const auto n = static_cast<std::uint64_t>(sorted.layout->size());
    if (n == 0) return;
    const Kernel& kernel = *get(kernels, wanted_kernel(MarkFirst, sorted.dtype));
    Arguments arguments;
    arguments.add(mask.address);
    arguments.add(sorted.address);
    arguments.add(n);
    kernels.launch(kernel, (n + dense_elements - 1) / dense_elements, dense_threads, arguments.data(), arguments.size(),
                   stream);
}

void search(Kernels& kernels, const ArrayRef& indices, const ArrayRef& wanted, const ArrayRef& sorted, bool right,
            CUstream stream) {
    check_sortable(sorted.dtype);
    check(sorted, sorted, "the sorted array");
    check(wanted, wanted, "the array of values to search for");
    check(indices, wanted, "the array of indices");
    if (indices.dtype != DType::Int64)
        throw std::invalid_argument(std::string("the array of indices must have type int64, not ") +
                                    name_of(indices.dtype));
    if (wanted.dtype != sorted.dtype)
        throw std::invalid_argument(std::string("the values to search for must have type ") + name_of(sorted.dtype) +
                                    ", as the sorted array, not " + name_of(wanted.dtype));
    const auto n = static_cast<std::uint64_t>(wanted.layout->size());
    if (n == 0) return;
    const Kernel& kernel = *get(kernels, wanted_kernel(Search, sorted.dtype));
    Arguments arguments;
    arguments.add(indices.address);
    arguments.add(wanted.address);
    arguments.add(sorted.address);
    arguments.add(static_cast<std::uint64_t>(sorted.layout->size()));
    arguments.add(static_cast<unsigned>(right));
    arguments.add(n);
    kernels.launch(kernel, (n + dense_threads - 1) / dense_threads, dense_threads, arguments.data(), arguments.size(),
                   stream);
}

void prepare_distinct(Kernels& kernels, const ArrayRef& in) {
    check_sortable(in.dtype);
    if (in.layout->size() == 0) return;
    const auto n = static_cast<std::uint64_t>(in.layout->size());
    const auto key = KernelFields(Family::Prepared).field(true).field(in.dtype).field<7>(std::bit_width(n));
    kernels.prepare_once(key, [&] {
        const Rows rows{in.dtype, n, n};
        auto wanted = rows.are_short()     ? std::vector{wanted_kernel(Ranks, in.dtype)}
                      : rows.fit_a_block() ? std::vector{wanted_for_a_block(rows, false)}
                                           : wanted_by_digits(rows, false);
        wanted.push_back(wanted_kernel(MarkFirst, in.dtype));
        const Layout marks(std::array{in.layout->size()}, 1), row(std::array{in.layout->size()}, in.layout->itemsize());
        for (auto& each : wanted_selection({in.address, &row, in.dtype}, {0, &marks, DType::Bool}))
            wanted.push_back(std::move(each));
        return wanted;
    });
}

}  // namespace pycuda::gpuarray
