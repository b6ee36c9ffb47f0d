#include "pycuda/gpuarray/gather.hpp"

#include <stdexcept>
#include <string>

#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/elementwise_source.hpp"
#include "gpuarray/gather_parts.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {

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

}  // namespace pycuda::gpuarray
