#include "pycuda/gpuarray/gather.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>

#include "driver/driver_table.hpp"
#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/elementwise_source.hpp"
#include "gpuarray/reduction_source.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::gpuarray {
namespace {

enum class Move : std::uint8_t { Take, Put, TakePut, TakeAxis, TakeAlong, Copies, Triangle, Nonzero, Compress, Expand };
constexpr const char* move_names[] = {"take",   "put",      "take_put", "take_axis", "take_along",
                                      "copies", "triangle", "nonzero",  "compress",  "expand"};

void check(const ArrayRef& array, const char* what) {
    if (!array.layout->is_c_contiguous())
        throw std::invalid_argument(std::string(what) + " must be C contiguous; copy it first");
    if (array.dtype != DType::Opaque) check_alignment(array);
}

void check_indices(const ArrayRef& indices) {
    check(indices, "indices");
    if (indices.dtype == DType::Opaque || !is_integer(indices.dtype))
        throw ArgumentTypeError(std::string("indices must be integers, not ") + name_of(indices.dtype));
}

void check_same_items(const ArrayRef& a, const ArrayRef& b) {
    if (a.layout->itemsize() == b.layout->itemsize() && a.dtype == b.dtype) return;
    throw std::invalid_argument(std::string("elements of ") + name_of(b.dtype) + " (" +
                                std::to_string(b.layout->itemsize()) + " bytes) cannot be moved to an array of " +
                                name_of(a.dtype) + " (" + std::to_string(a.layout->itemsize()) + " bytes)");
}

void check_sizes(std::int64_t given, std::int64_t wanted, const char* what) {
    if (given != wanted)
        throw std::invalid_argument(std::string(what) + " has " + std::to_string(given) + " elements, but " +
                                    std::to_string(wanted) + " are needed");
}

/// The size of the C type for moving pieces of `nbytes`: the widest unit, up to `widest`, that these and both addresses
/// allow.
std::int64_t unit_of(std::int64_t nbytes, const ArrayRef& a, const ArrayRef& b, std::uint64_t widest = 8) {
    const std::uint64_t bits = static_cast<std::uint64_t>(nbytes) | a.address | b.address | widest;
    return static_cast<std::int64_t>(bits & (~bits + 1));
}

/// The same for elements.
std::int64_t unit_of(const ArrayRef& a, const ArrayRef& b) {
    return unit_of(a.layout->itemsize(), a, b);
}

std::string element_type(std::int64_t itemsize, std::int64_t unit) {
    static constexpr const char* units[] = {"unsigned char", "unsigned short", "unsigned", "unsigned long long",
                                            "ulonglong2"};
    return std::string("struct E {\n    ") + units[std::countr_zero(static_cast<unsigned>(unit))] + " word[" +
           std::to_string(itemsize / unit) + "];\n};\n";
}

KernelKey key_of(Move move, std::int64_t itemsize, std::int64_t unit, DType first, DType second) {
    if (itemsize >= 1 << 20)
        throw std::invalid_argument("structures of " + std::to_string(itemsize) +
                                    " bytes are too large to be gathered");
    return KernelFields(Family::Gather)
        .field<4>(static_cast<unsigned>(move))
        .field(first)
        .field(second)
        .field<5>(unit)
        .field<20>(itemsize);
}

std::string name_of_kernel(Move move, std::int64_t itemsize, DType index) {
    return std::string(move_names[static_cast<int>(move)]) + "_" + std::to_string(itemsize) + "bytes_" +
           info(index).short_name;
}

void launch(Kernels& kernels, const Kernel& kernel, const Arguments& arguments, std::uint64_t n, CUstream stream) {
    kernels.launch(kernel, (n + dense_elements - 1) / dense_elements, dense_threads, arguments.data(), arguments.size(),
                   stream);
}

/// out[to[i]] = in[from[i] + offset] for n elements; a null index array means i.
void move_by_index(Kernels& kernels, Move move, const ArrayRef& out, const ArrayRef* to, const ArrayRef& in,
                   const ArrayRef* from, std::int64_t offset, CUstream stream) {
    check(out, "the output");
    check(in, "the input");
    check_same_items(out, in);
    const ArrayRef& indices = to ? *to : *from;
    const auto n = static_cast<std::uint64_t>(indices.layout->size());
    if (n == 0 || out.layout->itemsize() == 0) return;
    if (out.layout->size() == 0 || in.layout->size() == 0)
        throw std::invalid_argument("an empty array has no elements to index");
    const std::int64_t unit = unit_of(out, in), itemsize = out.layout->itemsize();
    const DType second = to && from ? from->dtype : indices.dtype;
    const Kernel& kernel = kernels.get(key_of(move, itemsize, unit, indices.dtype, second), [&] {
        KernelSource source;
        source.name = name_of_kernel(move, itemsize, indices.dtype);
        const std::string second_type = std::string("const ") + storage_type(second) + "* from_indices, ";
        const std::string parameters = (to ? "const Index* to_indices, " : "") + (from ? second_type : std::string());
        source.text =
            with_includes(fill_in(kernel_files::gather::gather_preface,
                                  {{"element", element_type(itemsize, unit)}, {"index", storage_type(indices.dtype)}}) +
                          fill_in(kernel_files::gather::by_index,
                                  {{"name", source.name},
                                   {"parameters", parameters},
                                   {"to", to ? "bounded(to_indices[i], 0, out_size)" : "i"},
                                   {"from", from ? "bounded(from_indices[i], offset, in_size)" : "i"}}));
        return source;
    });
    Arguments arguments;
    arguments.add(out.address);
    arguments.add(in.address);
    if (to) arguments.add(to->address);
    if (from) arguments.add(from->address);
    arguments.add(offset);
    arguments.add(static_cast<std::uint64_t>(out.layout->size()));
    arguments.add(static_cast<std::uint64_t>(in.layout->size()));
    arguments.add(n);
    launch(kernels, kernel, arguments, n, stream);
}

void check_axis(const ArrayRef& in, int axis) {
    if (axis < 0 || axis >= in.layout->ndim())
        throw std::invalid_argument("axis " + std::to_string(axis) + " is out of bounds for an array of " +
                                    std::to_string(in.layout->ndim()) + " axes");
}

/// out = in with `count` elements along an axis: those at indices[k] or, for TakeAlong, at the indices of each row.
void take_rows(Kernels& kernels, Move move, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
               std::int64_t count, CUstream stream) {
    check_indices(indices);
    check(out, "the output");
    check(in, "the input");
    check_same_items(out, in);
    check_axis(in, axis);
    std::int64_t inner = 1, outer = 1;
    for (int k = 0; k < in.layout->ndim(); ++k) {
        if (k < axis) outer *= in.layout->shape()[static_cast<std::size_t>(k)];
        if (k > axis) inner *= in.layout->shape()[static_cast<std::size_t>(k)];
    }
    check_sizes(out.layout->size(), outer * count * inner, "the output");
    auto n = static_cast<std::uint64_t>(out.layout->size());
    if (n == 0 || out.layout->itemsize() == 0) return;
    if (in.layout->size() == 0) throw std::invalid_argument("an empty axis has no elements to index");
    const Apart from(kernels, in, out, stream), apart(kernels, indices, out, stream);
    // Of rows that are taken whole, the widest units that they consist of are moved.
    std::int64_t itemsize = out.layout->itemsize();
    if (move == Move::TakeAxis) {
        const std::int64_t unit = unit_of(inner * itemsize, out, from.ref(), 16);
        if (unit > itemsize) {
            n = n * static_cast<std::uint64_t>(itemsize) / static_cast<std::uint64_t>(unit);
            inner = inner * itemsize / unit;
            itemsize = unit;
        }
    }
    const std::int64_t unit = unit_of(itemsize, out, from.ref(), 16);
    const Kernel& kernel = kernels.get(key_of(move, itemsize, unit, indices.dtype, indices.dtype), [&] {
        KernelSource source;
        source.name = name_of_kernel(move, itemsize, indices.dtype);
        source.text = with_includes(
            fill_in(kernel_files::gather::gather_preface,
                    {{"element", element_type(itemsize, unit)}, {"index", storage_type(indices.dtype)}}) +
            fill_in(kernel_files::gather::along_axis_kernel,
                    {{"name", source.name}, {"index", move == Move::TakeAlong ? "i" : "row - outer * count.size"}}));
        return source;
    });
    const unsigned threads = n >= 1u << 22 ? 1024 : dense_threads;  // even with large blocks, each processor has some
    Arguments arguments;
    arguments.add(out.address);
    arguments.add(from.ref().address);
    arguments.add(apart.ref().address);
    arguments.add(WideDivisor(static_cast<std::uint64_t>(inner)));
    arguments.add(WideDivisor(static_cast<std::uint64_t>(count)));
    arguments.add(static_cast<std::uint64_t>(in.layout->shape()[static_cast<std::size_t>(axis)]));
    arguments.add(n);
    const std::uint64_t elements = std::uint64_t{4} * threads;
    kernels.launch(kernel, (n + elements - 1) / elements, threads, arguments.data(), arguments.size(), stream);
}

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
        source.text = includes_for({mask}) + "#include <pycuda-arrays.hpp>\n" + element_type(itemsize, unit) +
                      fill_in(kernel_files::gather::by_mask,
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

void take(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, CUstream stream) {
    check_indices(indices);
    check_sizes(out.layout->size(), indices.layout->size(), "the output");
    const Apart from(kernels, in, out, stream), apart(kernels, indices, out, stream);
    move_by_index(kernels, Move::Take, out, nullptr, from.ref(), &apart.ref(), 0, stream);
}

void take(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
          CUstream stream) {
    take_rows(kernels, Move::TakeAxis, out, in, indices, axis, indices.layout->size(), stream);
}

void take_along(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef& indices, int axis,
                CUstream stream) {
    if (!indices.layout->same_shape(*out.layout))
        throw std::invalid_argument("the output must have the shape of the indices, " +
                                    shape_text(indices.layout->shape()) + ", not " + shape_text(out.layout->shape()));
    check_axis(in, axis);
    take_rows(kernels, Move::TakeAlong, out, in, indices, axis, indices.layout->shape()[static_cast<std::size_t>(axis)],
              stream);
}

void copies(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, CUstream stream) {
    check(out, "the output");
    check(in, "the input");
    check_same_items(out, in);
    if (out.layout->nbytes() == 0) return;
    if (in.layout->size() == 0 || out.layout->size() % in.layout->size() != 0)
        throw std::invalid_argument("an output of " + std::to_string(out.layout->size()) +
                                    " elements cannot hold whole copies of " + std::to_string(in.layout->size()));
    const Apart from(kernels, in, out, stream);
    const std::int64_t unit = unit_of(in.layout->nbytes(), out, from.ref());
    const DType none = DType::Opaque;
    const Kernel& kernel = kernels.get(key_of(Move::Copies, unit, unit, none, none), [&] {
        KernelSource source;
        source.name = std::string("copies_") + std::to_string(unit) + "bytes";
        source.text = element_type(unit, unit) + fill_in(kernel_files::gather::copies_kernel, {{"name", source.name}});
        return source;
    });
    const auto n = static_cast<std::uint64_t>(in.layout->nbytes() / unit);
    Arguments arguments;
    arguments.add(out.address);
    arguments.add(from.ref().address);
    arguments.add(static_cast<std::uint64_t>(out.layout->size() / in.layout->size()));
    arguments.add(n);
    launch(kernels, kernel, arguments, n, stream);
}

void triangle(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, std::int64_t diagonal, bool upper,
              CUstream stream) {
    check(out, "the output");
    check(in, "the input");
    check_same_items(out, in);
    check_sizes(in.layout->size(), out.layout->size(), "the input");
    const auto shape = out.layout->shape();
    if (shape.size() < 2) throw std::invalid_argument("triangles are of matrices: arrays of at least two axes");
    const auto n = static_cast<std::uint64_t>(out.layout->size());
    if (n == 0 || out.layout->itemsize() == 0) return;
    const Apart from(kernels, in, out, stream, true);
    const std::int64_t itemsize = out.layout->itemsize(), unit = unit_of(out, from.ref());
    const DType none = DType::Opaque;
    const Kernel& kernel = kernels.get(key_of(Move::Triangle, itemsize, unit, none, none), [&] {
        KernelSource source;
        source.name = std::string("triangle_") + std::to_string(itemsize) + "bytes";
        source.text = with_includes(element_type(itemsize, unit) +
                                    fill_in(kernel_files::gather::triangle_kernel, {{"name", source.name}}));
        return source;
    });
    Arguments arguments;
    arguments.add(out.address);
    arguments.add(from.ref().address);
    arguments.add(WideDivisor(static_cast<std::uint64_t>(shape[shape.size() - 1])));
    arguments.add(WideDivisor(static_cast<std::uint64_t>(shape[shape.size() - 2])));
    arguments.add(diagonal);
    arguments.add(std::uint32_t{upper});
    arguments.add(n);
    launch(kernels, kernel, arguments, n, stream);
}

void put(Kernels& kernels, const ArrayRef& out, const ArrayRef& indices, const ArrayRef& values, CUstream stream) {
    check_indices(indices);
    check_sizes(values.layout->size(), indices.layout->size(), "the array of values");
    const Apart apart(kernels, indices, out, stream), from(kernels, values, out, stream);
    move_by_index(kernels, Move::Put, out, &apart.ref(), from.ref(), nullptr, 0, stream);
}

void update(Kernels& kernels, Op op, const ArrayRef& out, const ArrayRef& indices, const ArrayRef& order,
            const ArrayRef& values, CUstream stream) {
    const OperandType operands[] = {{out.dtype}, {values.dtype}};
    const Signature types = signature(op, operands);
    if (types.compute == DType::Opaque)
        throw ArgumentTypeError(std::string("'") + info(op).name + "' is not defined for structures");
    for (const ArrayRef* each : {&indices, &order}) {
        check(*each, "indices");
        if (each->dtype != DType::Int64) throw ArgumentTypeError("indices must be int64 here");
    }
    check(out, "the output");
    check(values, "the array of values");
    check_sizes(order.layout->size(), indices.layout->size(), "the array of the values' indices");
    check_sizes(values.layout->size(), indices.layout->size(), "the array of values");
    const auto n = static_cast<std::uint64_t>(indices.layout->size());
    if (n == 0) return;
    const auto key = KernelFields(Family::Update).field(op).field(out.dtype).field(values.dtype);
    const Kernel& kernel = kernels.get(key, [&] { return update_source(op, out.dtype, values.dtype, types); });
    const Apart from(kernels, values, out, stream);
    Arguments arguments;
    for (const ArrayRef* array : {&out, &indices, &order, &from.ref()}) arguments.add(array->address);
    arguments.add(n);
    kernels.launch(kernel, (n + dense_threads - 1) / dense_threads, dense_threads, arguments.data(), arguments.size(),
                   stream);
}

void take_put(Kernels& kernels, const ArrayRef& out, const ArrayRef& to, const ArrayRef& in, const ArrayRef& from,
              std::int64_t offset, CUstream stream) {
    check_indices(to);
    check_indices(from);
    check_sizes(from.layout->size(), to.layout->size(), "the array of source indices");
    const Apart target_indices(kernels, to, out, stream), source(kernels, in, out, stream),
        source_indices(kernels, from, out, stream);
    move_by_index(kernels, Move::TakePut, out, &target_indices.ref(), source.ref(), &source_indices.ref(), offset,
                  stream);
}

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
