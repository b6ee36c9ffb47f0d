#include "pycuda/gpuarray/selection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>

#include "driver/driver_table.hpp"
#include "gpuarray/gather_parts.hpp"
#include "gpuarray/reduction_source.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::gpuarray {
namespace {

/// A pass over `mask` that knows, for each true element, how many came before.
struct MaskMove {
    Move move;
    std::int64_t unit, itemsize;
    DType mask;

    static constexpr std::uint64_t tile = 4096;
    static constexpr unsigned threads = 256;

    KernelKey key() const { return key_of(move, itemsize, unit, mask, mask); }

    KernelSource source() const {
        KernelSource source;
        source.name = name_of_kernel(move, itemsize, mask);
        source.text = includes_for({mask}) + kernel_files::block::sum_up_to + element_type(itemsize, unit) +
                      fill_in(kernel_files::selection::by_mask,
                              {{"name", source.name},
                               {"mask", storage_type(mask)},
                               {"arithmetic", arithmetic_type(mask)},
                               {"move", move == Move::Nonzero    ? "reinterpret_cast<long long*>(out)[before + k] = at"
                                        : move == Move::Compress ? "out[before + k] = in[at]"
                                                                 : "out[at] = in[before + k]"}});
        return source;
    }
};

void move_by_mask(Kernels& kernels, Move move, const ArrayRef& out, const ArrayRef* in, const ArrayRef& mask,
                  CUstream stream) {
    check(out, "the output");
    check(mask, "the mask");
    static_cast<void>(info(mask.dtype));  // rejects structures
    const auto n = static_cast<std::uint64_t>(mask.layout->size());
    if (n == 0 || out.layout->itemsize() == 0) return;
    if (in && in->layout->size() == 0 && out.layout->size() == 0) return;
    const ArrayRef& other = in ? *in : out;
    const MaskMove plan{move, unit_of(out, other), out.layout->itemsize(), mask.dtype};
    const Kernel& kernel = kernels.get(plan.key(), [&] { return plan.source(); });
    const std::uint64_t tiles = (n + MaskMove::tile - 1) / MaskMove::tile;
    std::optional<Scratch> states;  // how many tiles were taken, then what each announces
    if (tiles > 1) {
        const std::size_t nbytes = (tiles + 1) * 8;
        driver().cuMemsetD8Async(states.emplace(nbytes, stream).pointer(), 0, nbytes, stream);
    }
    Arguments arguments;
    arguments.add(out.address);
    arguments.add(other.address);
    arguments.add(mask.address);
    arguments.add(static_cast<std::uint64_t>(move == Move::Expand ? in->layout->size() : out.layout->size()));
    arguments.add(states ? states->pointer() : DevicePtr{0});
    arguments.add(n);
    kernels.launch(kernel, tiles, MaskMove::threads, arguments.data(), arguments.size(), stream);
}

}  // namespace

void nonzero(Kernels& kernels, const ArrayRef& out, const ArrayRef& mask, CUstream stream) {
    if (out.dtype != DType::Int64)
        throw std::invalid_argument(std::string("the array of indices must have type int64, not ") +
                                    name_of(out.dtype));
    move_by_mask(kernels, Move::Nonzero, out, nullptr, mask, stream);
}

void compress(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& mask, CUstream stream) {
    check(in, "the input");
    check_same_items(out, in);
    check_sizes(mask.layout->size(), in.layout->size(), "the mask");
    move_by_mask(kernels, Move::Compress, out, &in, mask, stream);
}

std::vector<Kernels::Wanted> wanted_selection(const ArrayRef& in, const ArrayRef& mask) {
    const std::int64_t n = mask.layout->size();
    if (n == 0) return {};
    const Layout one({}, 8), flat(std::array{n}, mask.layout->itemsize());
    const ArrayRef row{mask.address, &flat, mask.dtype};
    auto wanted = wanted_reduction(Reduction::count_nonzero, {0, &one, DType::Int64}, {&row, 1}, all_axes);
    const bool moves = in.layout != nullptr;
    const std::int64_t itemsize = moves ? in.layout->itemsize() : info(DType::Int64).size;
    if (itemsize == 0) return wanted;
    const ArrayRef index{0, &one, DType::Int64};
    const MaskMove move{moves ? Move::Compress : Move::Nonzero, moves ? unit_of(in, in) : unit_of(index, index),
                        itemsize, mask.dtype};
    wanted.push_back({move.key(), [move] { return move.source(); }});
    return wanted;
}

void prepare_selection(Kernels& kernels, const ArrayRef& in, const ArrayRef& mask) {
    if (mask.dtype == DType::Opaque) return;  // the call itself rejects it
    const auto size = std::bit_width(static_cast<std::uint64_t>(mask.layout->size()));
    const auto key = KernelFields(Family::Prepared)
                         .field(false)
                         .field(mask.dtype)
                         .field<7>(size)
                         .field(in.layout != nullptr)
                         .field<20>(in.layout ? std::min<std::int64_t>(in.layout->itemsize(), (1 << 20) - 1) : 0);
    kernels.prepare_once(key, [&] { return wanted_selection(in, mask); });
}

void expand(Kernels& kernels, const ArrayRef& out, const ArrayRef& mask, const ArrayRef& values, CUstream stream) {
    check(values, "the array of values");
    check_same_items(out, values);
    check_sizes(mask.layout->size(), out.layout->size(), "the mask");
    const Apart from(kernels, values, out, stream), where(kernels, mask, out, stream);
    move_by_mask(kernels, Move::Expand, out, &from.ref(), where.ref(), stream);
}

}  // namespace pycuda::gpuarray
