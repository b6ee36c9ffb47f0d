#include "pycuda/gpuarray/sort.hpp"

#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "driver/driver_table.hpp"
#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/scan_source.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/sort_source.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/gather.hpp"

namespace pycuda::gpuarray {
namespace {

/// Limits of the sort by ranks: rows of this length, in any number; or longer rows with few comparisons.
constexpr std::uint64_t short_row = 256, few_comparisons = 1 << 22, longest_row = 2048;

void check(const ArrayRef& array, const ArrayRef& in, const char* what) {
    if (!array.layout->is_c_contiguous())
        throw std::invalid_argument(std::string(what) + " must be C contiguous; copy it first");
    if (!array.layout->same_shape(*in.layout))
        throw std::invalid_argument(std::string(what) + " has shape " + shape_text(array.layout->shape()) +
                                    ", but the input has shape " + shape_text(in.layout->shape()));
    check_alignment(array);
}

enum SortKernel : unsigned { Ranks, DigitCounts, DigitMoves, DigitMovesWithIndices, MarkFirst, Search };

KernelKey key_of(SortKernel kernel, DType dtype) {
    return KernelFields(Family::Sort).field<3>(static_cast<unsigned>(kernel)).field(dtype);
}

Kernels::Wanted wanted_kernel(SortKernel kernel, DType dtype) {
    return {key_of(kernel, dtype), [=] {
                switch (kernel) {
                    case Ranks:
                        return ranks_source(dtype);
                    case DigitCounts:
                        return digit_counts_source(dtype);
                    case MarkFirst:
                        return mark_first_source(dtype);
                    case Search:
                        return search_source(dtype);
                    default:
                        return digit_moves_source(dtype, kernel == DigitMovesWithIndices);
                }
            }};
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
    std::uint64_t nbytes() const { return n * static_cast<std::uint64_t>(info(dtype).size); }
    std::uint64_t tiles() const { return (length + sort_tile(dtype) - 1) / sort_tile(dtype); }
    bool are_short() const { return length <= short_row || (length <= longest_row && n * length <= few_comparisons); }
};

void sort_by_ranks(Kernels& kernels, const Rows& rows, DevicePtr keys, DevicePtr indices, DevicePtr in,
                   CUstream stream) {
    const Kernel& kernel = kernels.get(key_of(Ranks, rows.dtype), [&] { return ranks_source(rows.dtype); });
    Arguments arguments;
    arguments.add(keys);
    arguments.add(in);
    arguments.add(indices);
    arguments.add(WideDivisor(rows.length));
    arguments.add(rows.n);
    kernels.launch(kernel, (rows.n + rank_threads - 1) / rank_threads, rank_threads, arguments.data(), arguments.size(),
                   stream);
}

/// The layout of the counts: how many keys of each tile have each digit.
Layout counts_layout(const Rows& rows) {
    return Layout(
        std::array{static_cast<std::int64_t>(rows.n / rows.length * 256), static_cast<std::int64_t>(rows.tiles())}, 4);
}

/// The kernel that moves keys, the one that counts, and, if several tiles share a row, the scan of the counts.
std::vector<Kernels::Wanted> wanted_by_digits(const Rows& rows, bool with_indices) {
    std::vector<Kernels::Wanted> wanted{wanted_kernel(with_indices ? DigitMovesWithIndices : DigitMoves, rows.dtype),
                                        wanted_kernel(DigitCounts, rows.dtype)};
    if (rows.tiles() > 1) {
        const Layout layout = counts_layout(rows);
        const ArrayRef counts{0, &layout, DType::UInt32};
        wanted.push_back(wanted_scan(Scan::sum, ScanKind::Inclusive, counts, counts, 1));
    }
    return wanted;
}

class RadixSorter {
public:
    RadixSorter(Kernels& kernels, const Rows& rows, bool with_indices, CUstream stream)
        : kernels_(kernels),
          stream_(stream),
          length_(static_cast<std::uint32_t>(rows.length)),
          tiles_(static_cast<std::uint32_t>(rows.tiles())),
          blocks_(rows.n / rows.length * tiles_),
          with_indices_(with_indices),
          counts_memory_(blocks_ * 256 * 4, stream),
          layout_(counts_layout(rows)),
          counts_{counts_memory_.pointer(), &layout_, DType::UInt32} {
        const auto all = wanted_by_digits(rows, with_indices);
        kernels.prepare(all);
        moving_ = &kernels.get(all[0].key, all[0].source);
        counting_ = &kernels.get(all[1].key, all[1].source);
    }

    void pass(unsigned byte, bool last, DevicePtr keys_to, DevicePtr keys_from, DevicePtr indices_to,
              DevicePtr indices_from) {
        Arguments counting;
        counting.add(keys_from);
        counting.add(counts_.address);
        add_tiling(counting, byte);
        kernels_.launch(*counting_, blocks_, sort_threads, counting.data(), counting.size(), stream_);
        if (tiles_ > 1) scan(kernels_, Scan::sum, ScanKind::Inclusive, counts_, counts_, 1, stream_);
        Arguments moving;
        moving.add(keys_to);
        moving.add(keys_from);
        moving.add(counts_.address);
        add_tiling(moving, byte);
        if (with_indices_) {
            moving.add(indices_to);
            moving.add(indices_from);
            moving.add(std::uint32_t{last});
        }
        kernels_.launch(*moving_, blocks_, sort_threads, moving.data(), moving.size(), stream_);
    }

private:
    void add_tiling(Arguments& arguments, unsigned byte) const {
        arguments.add(length_);
        arguments.add(tiles_);
        arguments.add(std::uint32_t{8 * byte});
    }

    Kernels& kernels_;
    CUstream stream_;
    std::uint32_t length_, tiles_;
    std::uint64_t blocks_;
    bool with_indices_;
    Scratch counts_memory_;
    Layout layout_;
    ArrayRef counts_;
    const Kernel *counting_, *moving_;
};

/// Radix sort: one pass for each byte, from the least significant.
void sort_by_digits(Kernels& kernels, const Rows& rows, DevicePtr keys, DevicePtr indices, DevicePtr in,
                    CUstream stream) {
    const auto passes = static_cast<unsigned>(info(rows.dtype).size);
    const Scratch other_keys(rows.nbytes(), stream);
    std::optional<Scratch> other_indices;
    if (indices) other_indices.emplace(rows.n * 4, stream);
    RadixSorter sorter(kernels, rows, indices != 0, stream);
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
    const bool by_ranks = rows.are_short();
    // The sort by ranks, and the only pass for bytes, cannot work in place.
    const bool is_apart = by_ranks || info(in.dtype).size == 1;
    const bool overlap =
        keys.layout && keys.address < in.address + rows.nbytes() && in.address < keys.address + rows.nbytes();
    std::optional<Scratch> copy, own_keys;
    DevicePtr from = in.address, to = keys.layout ? keys.address : 0;
    if (is_apart && overlap) {
        copy.emplace(rows.nbytes(), stream);
        driver().cuMemcpyDtoDAsync(copy->pointer(), in.address, rows.nbytes(), stream);
        from = copy->pointer();
    }
    const DevicePtr indices_to = indices.layout ? indices.address : 0;
    if (by_ranks) return sort_by_ranks(kernels, rows, to, indices_to, from, stream);
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
    const Kernel& kernel =
        kernels.get(key_of(MarkFirst, sorted.dtype), [&] { return mark_first_source(sorted.dtype); });
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
    const Kernel& kernel = kernels.get(key_of(Search, sorted.dtype), [&] { return search_source(sorted.dtype); });
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
        auto wanted = rows.are_short() ? std::vector{wanted_kernel(Ranks, in.dtype)} : wanted_by_digits(rows, false);
        wanted.push_back(wanted_kernel(MarkFirst, in.dtype));
        const Layout marks(std::array{in.layout->size()}, 1), row(std::array{in.layout->size()}, in.layout->itemsize());
        for (auto& each : wanted_selection({in.address, &row, in.dtype}, {0, &marks, DType::Bool}))
            wanted.push_back(std::move(each));
        return wanted;
    });
}

}  // namespace pycuda::gpuarray
