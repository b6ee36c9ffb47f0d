#include "pycuda/gpuarray/array.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pycuda/context.hpp"
#include "pycuda/error.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr std::size_t most_operands = 4;

void require_current(const DeviceMemory& memory) {
    const std::shared_ptr<Context> context = memory.context();
    if (!context) return;
    const bool told = context->origin() != Context::Origin::Adopted;
    if (told && context->handle_or_null() == Context::current_handle_or_null()) [[likely]]
        return;
    if (context != Context::current_or_null()) [[unlikely]]
        throw LogicError("GPUArray", 0, "the context of the array is not current on this thread");
}

void require_writable(const Layout& layout) {
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (layout.strides()[axis] == 0 && layout.shape()[axis] > 1) [[unlikely]]
            throw std::invalid_argument("cannot write into a broadcast array: its elements share memory");
}

/// Operands on their way to the engine, and copies of those that the result overlaps.
class Inputs {
public:
    Inputs(std::span<const Operand> operands, CUstream stream) : operands_(operands) {
        if (operands.size() > most_operands) throw std::invalid_argument("an operation has at most 4 operands");
        read(stream);
    }

    /// Reads the operands' addresses. Do it again after every allocation: allocators may be other people's code, which
    /// may have closed an operand (LogicError).
    void read(CUstream stream) {
        for (std::size_t i = 0; i < operands_.size(); ++i)
            if (const auto* array = std::get_if<const Array*>(&operands_[i]))
                inputs_[i] = Input((*array)->ref(stream));
            else
                inputs_[i] = Input(std::get<Scalar>(operands_[i]));
    }

    /// An operand that shares elements with `out`, but not as the same view, would be written before it is read.
    void copy_overlapping(Kernels& kernels, const ArrayRef& out, CUstream stream) {
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            if (inputs_[i].is_scalar()) continue;
            const ArrayRef in = inputs_[i].array();
            if (!overlaps_destructively(*out.layout, out.address, *in.layout, in.address)) continue;
            copies_[i] =
                std::make_unique<Array>(Array::empty(in.dtype, in.layout->packed_like(in.layout->itemsize()), stream));
            const ArrayRef copied = copies_[i]->ref(stream);
            gpuarray::copy(kernels, copied, in, stream);
            inputs_[i] = Input(copied);
        }
    }

    std::span<const Input> list() const { return {inputs_, operands_.size()}; }

private:
    std::span<const Operand> operands_;
    Input inputs_[most_operands] = {Scalar::weak(false), Scalar::weak(false), Scalar::weak(false), Scalar::weak(false)};
    std::unique_ptr<Array> copies_[most_operands];
};

/// The first operand that is an array: results come from its allocator.
std::shared_ptr<ArrayAllocator> allocator_of(std::span<const Operand> operands) {
    for (const Operand& operand : operands)
        if (const auto* array = std::get_if<const Array*>(&operand)) return (*array)->allocator();
    return nullptr;
}

/// The type that an operation computes in: comparisons as numbers give it.
DType wanted_type(Op op, std::span<const Input> inputs, ResultType type) {
    if (type == ResultType::Usual) return result_type(op, inputs);
    OperandType types[most_operands];
    for (std::size_t i = 0; i < inputs.size(); ++i) types[i] = inputs[i].type();
    // A scalar that the array's type cannot hold is compared by value, and the answer is a number of the array's type.
    if (inputs.size() == 2 && inputs[1].is_scalar()) return types[0].dtype;
    return signature(op, {types, inputs.size()}).compute;
}

/// The elements can be read and the result's written in one order, at the same places or apart.
bool walks_as(const ArrayRef& out, const ArrayRef& in) {
    return out.layout->same_dense(*in.layout) &&
           !overlaps_destructively(*out.layout, out.address, *in.layout, in.address);
}

/// An operation whose operands need no looking into: one or two, the first of which is an array.
class PlainCall {
public:
    /// False, also from the next one, when there is more to find out.
    bool find(const Current& now, Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
        const auto* const first = operands.size() <= 2 ? std::get_if<const Array*>(&operands[0]) : nullptr;
        if (!first) return false;
        a_ = (*first)->ref(now, stream);
        if (operands.size() == 2) {
            if (const auto* const second = std::get_if<const Array*>(&operands[1])) {
                b_ = (*second)->ref(now, stream);
                if (type == ResultType::Common && a_.dtype != b_.dtype) return false;
                has_b_ = true;
            } else {
                scalar_ = &std::get<Scalar>(operands[1]);
            }
        }
        kernel_ = plain_kernel(*now.kernels, op, type == ResultType::Common, a_, b(), scalar_);
        return kernel_ != nullptr;
    }
    /// The result's elements may be written to `out`.
    bool fits(const ArrayRef& out) const {
        return out.dtype == kernel_->result && walks_as(out, a_) && (!has_b_ || walks_as(out, b_));
    }
    DType result() const { return kernel_->result; }
    bool launch(const Current& now, DevicePtr out, CUstream stream) const {
        return launch_plain(*now.kernels, *kernel_, out, a_, b(), scalar_, stream);
    }

private:
    const ArrayRef* b() const { return has_b_ ? &b_ : nullptr; }

    ArrayRef a_, b_;
    bool has_b_ = false;
    const Scalar* scalar_ = nullptr;
    const Kernel* kernel_ = nullptr;
};

}  // namespace

Array::SharedLayout Array::shared_layout(const Layout& layout) {
    constexpr std::int64_t most = 16;
    // Of no axes, by item size: what reductions give. Leaked: arrays are used until the process ends.
    static const auto* const single = [] {
        auto* const made = new std::array<SharedLayout, most + 1>;
        for (std::int64_t itemsize = 0; itemsize <= most; ++itemsize)
            (*made)[static_cast<std::size_t>(itemsize)] =
                std::make_shared<const Layout>(std::span<const std::int64_t>(), itemsize);
        return made;
    }();
    const std::int64_t itemsize = layout.itemsize();
    if (layout.ndim() == 0 && itemsize <= most) return (*single)[static_cast<std::size_t>(itemsize)];
    return std::make_shared<const Layout>(layout);
}

Array::Array(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<ArrayAllocator> allocator, DevicePtr address,
             DType dtype, SharedLayout layout)
    : memory_(std::move(memory)),
      allocator_(std::move(allocator)),
      address_(address),
      dtype_(dtype),
      layout_(std::move(layout)) {}

Array Array::empty(DType dtype, const Layout& packed, CUstream stream, std::shared_ptr<ArrayAllocator> allocator) {
    SharedLayout layout = shared_layout(packed);
    const auto nbytes = static_cast<std::size_t>(packed.nbytes());
    if (nbytes == 0) return Array(nullptr, std::move(allocator), 0, dtype, std::move(layout));
    if (allocator) {
        std::shared_ptr<DeviceMemory> memory = allocator->allocate(nbytes, stream);
        return Array(std::move(memory), std::move(allocator), 0, dtype, std::move(layout));
    }
    const std::shared_ptr<MemoryPool> pool = current().pool;
    return Array(pool, pool->take(nbytes, stream), dtype, std::move(layout));
}

Array Array::wrap(DevicePtr address, DType dtype, const Layout& layout) {
    return Array(nullptr, nullptr, address, dtype, std::make_shared<const Layout>(layout));
}

Array Array::view(std::int64_t offset, DType dtype, const Layout& layout) const {
    Array seen(memory_, allocator_, address_ + static_cast<DevicePtr>(offset), dtype,
               std::make_shared<const Layout>(layout));
    seen.pooled_ = pooled_;
    return seen;
}

DevicePtr Array::address() const {
    if (layout_->size() == 0) return 0;
    return memory_ ? memory_->pointer() + address_ : address_;
}

ArrayRef Array::ref(CUstream stream) const {
    if (!memory_ || layout_->size() == 0) return {address(), layout_.get(), dtype_};
    const DevicePtr start = memory_->pointer_for(stream);
    require_current(*memory_);
    return {start + address_, layout_.get(), dtype_};
}

ArrayRef Array::ref(const Current& now, CUstream stream) const {
    if (!pooled_ || !pooled_->is_of(*now.pool) || layout_->size() == 0) return ref(stream);
    return {pooled_->pointer_for(stream) + address_, layout_.get(), dtype_};
}

void Array::close() const noexcept {
    if (memory_) memory_->close();
}

Array Array::broadcast_to(std::span<const std::int64_t> shape) const {
    return view(0, dtype_, layout_->broadcast_to(shape));
}

std::unique_ptr<Array> apply(Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
    const Current& now = current();
    if (PlainCall call; call.find(now, op, operands, type, stream))
        if (auto out = std::get<const Array*>(operands[0])->try_like(now, call.result(), stream))
            if (call.launch(now, out->ref(now, stream).address, stream)) return out;
    const auto kernels = now.kernels;  // allocators may be other people's code
    Inputs inputs(operands, stream);
    const DType dtype = wanted_type(op, inputs.list(), type);
    auto out = std::make_unique<Array>(
        Array::empty(dtype, result_layout(inputs.list(), dtype), stream, allocator_of(operands)));
    inputs.read(stream);
    elementwise(*kernels, op, out->ref(stream), inputs.list(), stream);
    return out;
}

void apply_into(const Array& out, Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
    const Current& now = current();
    if (PlainCall call; call.find(now, op, operands, type, stream))
        if (const ArrayRef to = out.ref(now, stream); call.fits(to) && call.launch(now, to.address, stream)) return;
    const auto kernels = now.kernels;
    Inputs inputs(operands, stream);
    const DType dtype = wanted_type(op, inputs.list(), type);
    if (dtype != out.dtype())
        throw std::invalid_argument(std::string("the result of '") + info(op).name + "' has type " + name_of(dtype) +
                                    ", but the output array has " + name_of(out.dtype()) + "; convert it with astype");
    const Layout result = result_layout(inputs.list(), dtype);
    bool scalars_only = true;
    for (const Input& input : inputs.list()) scalars_only &= input.is_scalar();
    if (!scalars_only && !result.same_shape(out.layout()))
        throw std::invalid_argument("the result has shape " + shape_text(result.shape()) +
                                    ", but the output array has " + shape_text(out.layout().shape()));
    require_writable(out.layout());
    const ArrayRef ref = out.ref(stream);
    inputs.copy_overlapping(*kernels, ref, stream);
    elementwise(*kernels, op, ref, inputs.list(), stream);
}

Array converted(const Array& array, DType dtype, Order order, CUstream stream) {
    const std::int64_t itemsize = dtype == DType::Opaque ? array.layout().itemsize() : info(dtype).size;
    const Layout layout = order == Order::Keep ? array.layout().packed_like(itemsize)
                                               : Layout(array.layout().shape(), itemsize, order == Order::Fortran);
    Array out = array.empty_beside(dtype, layout, stream);
    copy(*current_kernels(), out.ref(stream), array.ref(stream), stream);
    return out;
}

void assign(const Array& out, const Array& in, CUstream stream) {
    require_writable(out.layout());
    const auto kernels = current_kernels();
    const Array seen = in.broadcast_to(out.layout().shape());
    const ArrayRef to = out.ref(stream), from = seen.ref(stream);
    if (!overlaps_destructively(*to.layout, to.address, *from.layout, from.address))
        return copy(*kernels, to, from, stream);
    const Array copied = converted(in, in.dtype(), Order::Keep, stream).broadcast_to(out.layout().shape());
    copy(*kernels, out.ref(stream), copied.ref(stream), stream);
}

void fill(const Array& out, const Scalar& value, CUstream stream) {
    require_writable(out.layout());
    const DType dtype = out.dtype();
    if (dtype == DType::Opaque) throw ArgumentTypeError("an array of structures cannot be filled with a number");
    const DTypeInfo& from = info(value.dtype());
    const DTypeInfo& to = info(dtype);
    const bool narrows = (from.kind == DTypeKind::Floating && to.kind < DTypeKind::Floating) ||
                         (from.kind == DTypeKind::Complex && to.kind < DTypeKind::Complex);
    if (narrows || !value.fits(dtype))
        throw std::invalid_argument(std::string("the number is out of range for ") + name_of(dtype));
    const Input input(value);
    elementwise(*current_kernels(), Op::copy, out.ref(stream), {&input, 1}, stream);
}

std::unique_ptr<Array> reduced(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, bool keep_axes,
                               std::optional<DType> dtype, CUstream stream) {
    if (inputs.empty() || inputs.size() > most_operands) throw std::invalid_argument("a reduction has 1 to 4 operands");
    const Current& now = current();
    const std::size_t count = inputs.size();
    DType types[most_operands];
    const Layout* layouts[most_operands];
    ArrayRef refs[most_operands];
    for (std::size_t i = 0; i < count; ++i) {
        types[i] = inputs[i]->dtype();
        layouts[i] = &inputs[i]->layout();
        refs[i] = inputs[i]->ref(now, stream);
    }
    const DType wanted = dtype.value_or(result_type(op, {types, count}));
    const std::int64_t itemsize = info(wanted).size;
    std::optional<Layout> common;
    if (count > 1) common = broadcast({layouts, count}, itemsize);
    const Layout& all = common ? *common : *layouts[0];
    std::int64_t kept[max_axes], seen[max_axes];
    std::size_t kept_count = 0, seen_count = 0;
    const bool is_place = op == Reduction::argmin || op == Reduction::argmax;
    for (int axis = 0; axis < all.ndim(); ++axis) {
        const bool is_reduced = axes >> axis & 1;
        if (is_place && is_reduced && all.shape()[axis] == 0)
            throw std::invalid_argument("an axis without elements has no least or largest one");
        if (!is_reduced) kept[kept_count++] = all.shape()[axis];
        if (!is_reduced || keep_axes) seen[seen_count++] = is_reduced ? 1 : all.shape()[axis];
    }
    const auto kernels = now.kernels;  // allocators may be other people's code
    const Layout layout({kept, kept_count}, itemsize);
    std::unique_ptr<Array> out = inputs[0]->try_beside(now, wanted, layout, stream);
    if (!out) {
        out = std::make_unique<Array>(inputs[0]->empty_beside(wanted, layout, stream));
        for (std::size_t i = 0; i < count; ++i) refs[i] = inputs[i]->ref(stream);  // the allocator may have closed it
    }
    reduce(*kernels, op, out->ref(stream), {refs, count}, axes, stream);
    return keep_axes ? std::make_unique<Array>(out->reshaped({seen, seen_count})) : std::move(out);
}

Array concatenated(std::span<const Array* const> arrays, int axis, CUstream stream) {
    if (arrays.empty()) throw std::invalid_argument("concatenate needs at least one array");
    const Layout& first = arrays[0]->layout();
    const int place = axis < 0 ? axis + first.ndim() : axis;
    if (place < 0 || place >= first.ndim())
        throw std::out_of_range("axis " + std::to_string(axis) + " is not one of the " + std::to_string(first.ndim()) +
                                " axes");
    std::vector<std::int64_t> shape(first.shape().begin(), first.shape().end());
    shape[static_cast<std::size_t>(place)] = 0;
    DType dtype = arrays[0]->dtype();
    for (const Array* array : arrays) {
        if (array->dtype() != dtype) dtype = promote(dtype, array->dtype());
        bool fits = array->layout().ndim() == first.ndim();
        for (int k = 0; fits && k < first.ndim(); ++k)
            fits = k == place || array->layout().shape()[k] == first.shape()[k];
        if (!fits)
            throw std::invalid_argument("cannot concatenate arrays of shapes " + shape_text(first.shape()) + " and " +
                                        shape_text(array->layout().shape()) + " along axis " + std::to_string(place));
        shape[static_cast<std::size_t>(place)] += array->layout().shape()[place];
    }
    const std::int64_t itemsize = dtype == DType::Opaque ? first.itemsize() : info(dtype).size;
    Array out = arrays[0]->empty_beside(dtype, Layout(shape, itemsize), stream);
    std::vector<IndexPart> part(static_cast<std::size_t>(place) + 1);
    std::int64_t start = 0;
    for (const Array* array : arrays) {
        const std::int64_t stop = start + array->layout().shape()[place];
        part.back() = {IndexPart::Kind::Range, true, true, start, stop, 1};
        assign(out.indexed(part), *array, stream);
        start = stop;
    }
    return out;
}

Scalar weak_scalar(DType dtype, std::int64_t value) {
    if (dtype == DType::Opaque || !is_integer(dtype)) return Scalar::weak(value);
    const unsigned bits = 8u * info(dtype).size;
    if (info(dtype).kind == DTypeKind::Unsigned && value < 0 && value >= -(std::int64_t{1} << (bits - 1))) {
        const auto same_bits = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - bits));
        return Scalar::weak_unsigned(same_bits);
    }
    return Scalar::weak(value);
}

Scalar weak_scalar(DType dtype, std::complex<double> value, bool is_complex) {
    const bool single = dtype == DType::Float32 || dtype == DType::Complex64;
    const double most = dtype == DType::Float16 ? 65504
                        : single                ? std::numeric_limits<float>::max()
                                                : std::numeric_limits<double>::max();
    for (const double part : {value.real(), value.imag()})
        if (std::isfinite(part) && std::abs(part) > most)
            throw std::invalid_argument("the number " + std::to_string(part) + " is too large for " + name_of(dtype));
    return is_complex ? Scalar::weak(value) : Scalar::weak(value.real());
}

}  // namespace pycuda::gpuarray
