#include "array_calls.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "array_handle.hpp"
#include "pycuda/gpuarray/composed/calls.hpp"
#include "pycuda/gpuarray/kernels.hpp"

namespace pycuda_java {
namespace {

using namespace pycuda::gpuarray;
using pycuda::DevicePtr;

DType dtype_of(int code) {
    return static_cast<DType>(code);
}

/// The type of elements, as one number of Java.
struct ElementType {
    DType dtype;
    std::int64_t itemsize;

    explicit ElementType(std::int64_t type) : dtype(dtype_of(static_cast<int>(type & 255))), itemsize(type >> 8) {}
};

enum ScalarKind { Whole, Real, ComplexNumber };

/// A number of Java beside elements of `dtype`.
Scalar scalar_of(DType dtype, int kind, std::int64_t first, std::int64_t second) {
    if (kind == Whole) return weak_scalar(dtype, first);
    const double real = std::bit_cast<double>(first);
    const double imaginary = kind == ComplexNumber ? std::bit_cast<double>(second) : 0;
    return weak_scalar(dtype, {real, imaginary}, kind == ComplexNumber);
}

ArrayHandle finish(int op, bool common, ArrayHandle out, std::span<const Operand> operands, std::uint64_t stream) {
    const ResultType type = common ? ResultType::Arrays : ResultType::Usual;
    if (!out) return give(apply(static_cast<Op>(op), operands, type, stream_of(stream)));
    apply_into(at(out), static_cast<Op>(op), operands, type, stream_of(stream));
    return 0;
}

std::unique_ptr<Array> reduced_over(std::uint32_t axes, bool keepdims, int op, ArrayHandle a, ArrayHandle b, int dtype,
                                    std::uint64_t stream) {
    const Array* const inputs[] = {&at(a), b ? &at(b) : nullptr};
    const auto wanted = dtype < 0 ? std::nullopt : std::optional(dtype_of(dtype));
    return reduced(static_cast<Reduction>(op), {inputs, b ? 2u : 1u}, axes, keepdims, wanted, stream_of(stream));
}

}  // namespace

ArrayHandle array_empty(std::int64_t type, const std::vector<jlong>& shape, int order, std::uint64_t stream,
                        std::shared_ptr<ArrayAllocator> allocator) {
    const ElementType element(type);
    const Layout layout(numbers(shape), element.itemsize, static_cast<Order>(order) == Order::Fortran);
    return give(Array::empty(element.dtype, layout, stream_of(stream), std::move(allocator)));
}

ArrayHandle array_wrap(std::uint64_t address, std::int64_t type, const std::vector<jlong>& shape,
                       const std::vector<jlong>& strides) {
    const ElementType element(type);
    const Layout layout = strides.empty() ? Layout(numbers(shape), element.itemsize)
                                          : Layout(numbers(shape), numbers(strides), element.itemsize);
    return give(Array::wrap(address, element.dtype, layout));
}

void array_arange(ArrayHandle out, int kind, std::int64_t start, std::int64_t step, std::uint64_t stream) {
    const Array& array = at(out);
    const Input inputs[] = {scalar_of(array.dtype(), kind, start, 0), scalar_of(array.dtype(), kind, step, 0)};
    elementwise(*Kernels::current(), Op::arange, array.ref(stream_of(stream)), inputs, stream_of(stream));
}

ArrayHandle array_like(ArrayHandle array, std::int64_t type, int order, std::uint64_t stream) {
    const ElementType element(type);
    const Layout& like = at(array).layout();
    const auto wanted = static_cast<Order>(order);
    const Layout layout = wanted == Order::Keep ? like.packed_like(element.itemsize)
                                                : Layout(like.shape(), element.itemsize, wanted == Order::Fortran);
    return give(at(array).empty_beside(element.dtype, layout, stream_of(stream)));
}

std::shared_ptr<ArrayAllocator> array_allocator(ArrayHandle array) {
    return at(array).allocator();
}

void array_delete(ArrayHandle array) {
    delete reinterpret_cast<Array*>(array);
}

void array_end(ArrayHandle array) {
    Array::retire(std::unique_ptr<Array>(reinterpret_cast<Array*>(array)));
}

void array_close(ArrayHandle array) {
    at(array).close();
}

std::vector<jlong> array_form(ArrayHandle array) {
    const Layout& layout = at(array).layout();
    std::vector<jlong> form{static_cast<jlong>(at(array).dtype()), layout.itemsize(), layout.size(),
                            (layout.is_c_contiguous() ? 1 : 0) | (layout.is_f_contiguous() ? 2 : 0)};
    form.insert(form.end(), layout.shape().begin(), layout.shape().end());
    form.insert(form.end(), layout.strides().begin(), layout.strides().end());
    return form;
}

std::uint64_t array_address(ArrayHandle array) {
    return at(array).address();
}

std::uint64_t array_address_for(ArrayHandle array, std::uint64_t stream) {
    return at(array).ref(stream_of(stream)).address;
}

ArrayHandle array_reshaped(ArrayHandle array, const std::vector<jlong>& shape, int order) {
    return give(at(array).reshaped(numbers(shape), static_cast<Order>(order) == Order::Fortran
                                                       ? views::ReadingOrder::Fortran
                                                       : views::ReadingOrder::C));
}

ArrayHandle array_transposed(ArrayHandle array, const std::vector<jlong>& axes) {
    const Layout& layout = at(array).layout();
    return give(at(array).view(axes.empty() ? views::transpose(layout) : views::transpose(layout, numbers(axes))));
}

ArrayHandle array_squeezed(ArrayHandle array) {
    const Layout& layout = at(array).layout();
    return give(at(array).view(views::squeeze(layout, views::single_axes(layout))));
}

ArrayHandle array_viewed(ArrayHandle array, std::int64_t type) {
    const ElementType element(type);
    return give(at(array).view({views::view_as(at(array).layout(), element.itemsize)}, element.dtype));
}

ArrayHandle array_field(ArrayHandle array, std::int64_t type, std::int64_t offset) {
    const ElementType element(type);
    return give(at(array).view(views::field(at(array).layout(), offset, element.itemsize), element.dtype));
}

ArrayHandle array_broadcast(ArrayHandle array, const std::vector<jlong>& shape) {
    return give(at(array).view(at(array).layout().broadcast_to(numbers(shape))));
}

ArrayHandle array_indexed(ArrayHandle array, const std::vector<jlong>& parts) {
    constexpr std::size_t fields = 5;
    std::vector<IndexPart> index;
    for (std::size_t i = 0; i + fields <= parts.size(); i += fields)
        index.push_back({static_cast<IndexPart::Kind>(parts[i]), (parts[i + 1] & 1) != 0, (parts[i + 1] & 2) != 0,
                         parts[i + 2], parts[i + 3], parts[i + 4]});
    return give(at(array).view(views::index(at(array).layout(), index), at(array).dtype()));
}

ArrayHandle array_apply(int op, bool common, ArrayHandle out, ArrayHandle a, ArrayHandle b, ArrayHandle c,
                        std::uint64_t stream) {
    const Operand operands[] = {a ? &at(a) : nullptr, b ? &at(b) : nullptr, c ? &at(c) : nullptr};
    return finish(op, common, out, {operands, c ? 3u : b ? 2u : 1u}, stream);
}

ArrayHandle array_apply_scalar(int op, bool common, ArrayHandle out, ArrayHandle a, int kind, std::int64_t first,
                               std::int64_t second, bool reversed, std::uint64_t stream) {
    // Comparisons, whose results have the common type, are by value: no unsigned number is less than 0.
    const Scalar scalar = common && kind == Whole ? Scalar::weak(first) : scalar_of(at(a).dtype(), kind, first, second);
    const Operand forward[] = {&at(a), scalar}, backward[] = {scalar, &at(a)};
    return finish(op, common, out, reversed ? backward : forward, stream);
}

ArrayHandle array_mul_add(ArrayHandle out, ArrayHandle a, ArrayHandle b, int kind, std::int64_t f, std::int64_t f2,
                          std::int64_t g, std::int64_t g2, std::uint64_t stream) {
    const DType dtype = promote(at(a).dtype(), at(b).dtype());
    const Operand operands[] = {&at(a), scalar_of(dtype, kind, f, f2), &at(b), scalar_of(dtype, kind, g, g2)};
    return finish(static_cast<int>(Op::mul_add), false, out, operands, stream);
}

ArrayHandle array_clipped(ArrayHandle array, int kind, std::int64_t min, std::int64_t max, std::uint64_t stream) {
    const DType dtype = at(array).dtype();
    const Operand operands[] = {&at(array), scalar_of(dtype, kind, min, 0), scalar_of(dtype, kind, max, 0)};
    return finish(static_cast<int>(Op::clip), false, 0, operands, stream);
}

ArrayHandle array_converted(ArrayHandle array, std::int64_t type, int order, std::uint64_t stream) {
    return give(converted(at(array), ElementType(type).dtype, static_cast<Order>(order), stream_of(stream)));
}

void array_assign(ArrayHandle out, ArrayHandle in, std::uint64_t stream) {
    assign(at(out), at(in), stream_of(stream));
}

void array_fill(ArrayHandle out, int kind, std::int64_t first, std::int64_t second, std::uint64_t stream) {
    fill(at(out), scalar_of(at(out).dtype(), kind, first, second), stream_of(stream));
}

ArrayHandle array_reduced_fully(int op, ArrayHandle a, ArrayHandle b, int dtype, std::uint64_t stream) {
    return give(reduced_over(all_axes, false, op, a, b, dtype, stream));
}

ArrayHandle array_reduced(int op, ArrayHandle a, ArrayHandle b, const std::vector<jlong>& axes, bool keepdims,
                          int dtype, std::uint64_t stream) {
    const int ndim = std::max(at(a).layout().ndim(), b ? at(b).layout().ndim() : 0);
    const std::uint32_t mask = axes.empty() ? all_axes : views::axis_mask(numbers(axes), ndim);
    return give(reduced_over(mask, keepdims, op, a, b, dtype, stream));
}

int array_call_number(const std::string& name) {
    const ArrayCall* const call = find_array_call(name);
    if (!call) throw std::invalid_argument("there is no call '" + name + "'");
    return static_cast<int>(call - array_calls().data());
}

NewArrays array_call(int number, const std::vector<jlong>& arrays, const std::vector<jlong>& numbers_given,
                     std::uint64_t stream) {
    const ArrayCall& call = array_calls()[static_cast<std::size_t>(number)];
    if (!call.takes(arrays.size(), numbers_given.size()))
        throw std::invalid_argument("the call '" + std::string(call.name) + "' takes other arguments");
    std::vector<Array> operands;
    for (const jlong handle : arrays) operands.push_back(at(static_cast<ArrayHandle>(handle)));
    const std::vector<long long> given(numbers_given.begin(), numbers_given.end());
    NewArrays made;
    for (Array& each : call.run(operands, given, stream_of(stream)))
        made.push_back(std::make_unique<Array>(std::move(each)));
    return made;
}

std::int64_t axis_mask(const std::vector<jlong>& axes, int ndim) {
    return views::axis_mask(numbers(axes), ndim);
}

int common_dtype(int a, int b) {
    return static_cast<int>(promote(dtype_of(a), dtype_of(b)));
}

}  // namespace pycuda_java
