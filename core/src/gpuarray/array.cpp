#include "pycuda/gpuarray/array.hpp"

#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device_types.hpp"
#include "pycuda/context.hpp"
#include "pycuda/error.hpp"
#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/memory_pool.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr std::size_t most_operands = 4;

/// What operations use of a context.
struct Current {
    CUcontext handle = nullptr;  ///< null: of a context that somebody else ends, and nobody tells when
    std::shared_ptr<Kernels> kernels;
    std::shared_ptr<MemoryPool> pool;
};

/// Of the current context, remembered from call to call: looking it up takes a tenth of a launch. LogicError when no
/// context is current.
Current current() {
    struct Last {
        std::mutex mutex;
        Current of;
    };
    static auto* const last = new Last;  // leaked: arrays are used until the process ends
    if (const CUcontext handle = Context::current_handle_or_null()) {
        const std::lock_guard lock(last->mutex);
        if (handle == last->of.handle && last->of.kernels->is_alive()) return last->of;
    }
    const std::shared_ptr<Context> context = Context::current();
    const bool told = context->origin() != Context::Origin::Adopted;
    Current found{told ? context->handle() : nullptr, Kernels::of(*context), default_device_pool(*context)};
    Current old = found;
    const std::lock_guard lock(last->mutex);
    std::swap(last->of, old);  // the old one's end takes locks of its own
    return found;
}

std::shared_ptr<DeviceMemory> pooled_memory(std::int64_t nbytes, CUstream stream) {
    auto pool = current().pool;
    const PoolBlock block = pool->take(static_cast<std::size_t>(nbytes), stream);
    return std::make_shared<PooledDeviceAllocation>(std::move(pool), block);
}

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
    Inputs(std::span<const Operand> operands, CUstream stream) : count_(operands.size()) {
        if (count_ > most_operands) throw std::invalid_argument("an operation has at most 4 operands");
        for (std::size_t i = 0; i < count_; ++i)
            if (const auto* array = std::get_if<const Array*>(&operands[i]))
                inputs_[i] = Input((*array)->ref(stream));
            else
                inputs_[i] = Input(std::get<Scalar>(operands[i]));
    }

    /// An operand that shares elements with `out`, but not as the same view, would be written before it is read.
    void copy_overlapping(Kernels& kernels, const ArrayRef& out, CUstream stream) {
        for (std::size_t i = 0; i < count_; ++i) {
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

    std::span<const Input> list() const { return {inputs_, count_}; }

private:
    std::size_t count_;
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

bool is_aligned(const Array& array) {
    return array.address() % static_cast<std::uint64_t>(alignment_of(array.dtype())) == 0;
}

/// The kernel of an operation whose operands need no looking into: one or two, dense in one order, that met before.
/// Null when there is more to find out.
const Kernel* known_kernel(const Kernels& kernels, Op op, std::span<const Operand> operands, ResultType type) {
    const auto* const first = operands.size() <= 2 ? std::get_if<const Array*>(&operands[0]) : nullptr;
    if (!first) return nullptr;
    const Array& a = **first;
    const bool numbers = a.dtype() != DType::Opaque && a.dtype() != DType::Bool;
    if (!numbers || !a.layout().is_dense() || a.layout().size() == 0 || !is_aligned(a)) return nullptr;
    unsigned second = Kernels::no_operand;
    const Scalar* scalar = nullptr;
    if (operands.size() == 2) {
        if (const auto* const array = std::get_if<const Array*>(&operands[1])) {
            const Array& b = **array;
            if (b.dtype() == DType::Opaque || !a.layout().same_dense(b.layout()) || !is_aligned(b)) return nullptr;
            if (type == ResultType::Common && a.dtype() != b.dtype()) return nullptr;
            second = Kernels::array_index(b.dtype());
        } else {
            scalar = &std::get<Scalar>(operands[1]);
            second = Kernels::scalar_index(scalar->dtype(), scalar->is_weak());
        }
    }
    const Kernel* const kernel = kernels.dense(op, a.dtype(), second, type == ResultType::Common);
    return kernel && (!scalar || scalar->fits(kernel->compute)) ? kernel : nullptr;
}

/// The operands' elements can be read and the result's written in one order, at the same places or apart.
bool all_walk_as(const Array& out, std::span<const Operand> operands) {
    if (!is_aligned(out)) return false;
    for (const Operand& operand : operands) {
        const auto* const array = std::get_if<const Array*>(&operand);
        if (!array) continue;
        const Array& in = **array;
        if (!out.layout().same_dense(in.layout()) ||
            overlaps_destructively(out.layout(), out.address(), in.layout(), in.address()))
            return false;
    }
    return true;
}

void launch_known(const Kernels& kernels, const Kernel& kernel, const ArrayRef& out, std::span<const Operand> operands,
                  CUstream stream) {
    const DevicePtr a = std::get<const Array*>(operands[0])->ref(stream).address;
    const auto n = static_cast<std::uint64_t>(out.layout->size());
    if (operands.size() == 1) return launch_dense(kernels, kernel, out.address, a, n, stream);
    if (const auto* const b = std::get_if<const Array*>(&operands[1]))
        return launch_dense(kernels, kernel, out.address, a, (*b)->ref(stream).address, n, stream);
    launch_dense(kernels, kernel, out.address, a, std::get<Scalar>(operands[1]), n, stream);
}

}  // namespace

Array::Array(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<ArrayAllocator> allocator, DevicePtr address,
             std::int64_t offset, DType dtype, const Layout& layout)
    : memory_(std::move(memory)),
      allocator_(std::move(allocator)),
      address_(address),
      offset_(offset),
      dtype_(dtype),
      layout_(layout) {}

Array Array::empty(DType dtype, const Layout& packed, CUstream stream, std::shared_ptr<ArrayAllocator> allocator) {
    std::shared_ptr<DeviceMemory> memory;
    if (const std::int64_t nbytes = packed.nbytes())
        memory =
            allocator ? allocator->allocate(static_cast<std::size_t>(nbytes), stream) : pooled_memory(nbytes, stream);
    return Array(std::move(memory), std::move(allocator), 0, 0, dtype, packed);
}

Array Array::wrap(DevicePtr address, DType dtype, const Layout& layout) {
    return Array(nullptr, nullptr, address, 0, dtype, layout);
}

Array Array::view(std::int64_t offset, DType dtype, const Layout& layout) const {
    if (!memory_) return Array(nullptr, allocator_, address_ + static_cast<DevicePtr>(offset), 0, dtype, layout);
    return Array(memory_, allocator_, 0, offset_ + offset, dtype, layout);
}

DevicePtr Array::address() const {
    if (layout_.size() == 0) return 0;
    return memory_ ? memory_->pointer() + static_cast<DevicePtr>(offset_) : address_;
}

ArrayRef Array::ref(CUstream stream) const {
    if (layout_.size() == 0) return {0, &layout_, dtype_};
    if (!memory_) return {address_, &layout_, dtype_};
    const DevicePtr start = memory_->pointer_for(stream);
    require_current(*memory_);
    return {start + static_cast<DevicePtr>(offset_), &layout_, dtype_};
}

void Array::close() const noexcept {
    if (memory_) memory_->close();
}

Array Array::broadcast_to(std::span<const std::int64_t> shape) const {
    return view(0, dtype_, layout_.broadcast_to(shape));
}

Array apply(Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
    const auto kernels = current().kernels;
    if (const Kernel* const kernel = known_kernel(*kernels, op, operands, type)) {
        const Array& first = *std::get<const Array*>(operands[0]);
        const Layout layout = first.layout().packed_like(info(kernel->result).size);
        Array out = Array::empty(kernel->result, layout, stream, first.allocator());
        launch_known(*kernels, *kernel, out.ref(stream), operands, stream);
        return out;
    }
    const Inputs inputs(operands, stream);
    const DType dtype = wanted_type(op, inputs.list(), type);
    Array out = Array::empty(dtype, result_layout(inputs.list(), dtype), stream, allocator_of(operands));
    elementwise(*kernels, op, out.ref(stream), inputs.list(), stream);
    return out;
}

void apply_into(const Array& out, Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
    const auto kernels = current().kernels;
    const Kernel* const kernel = known_kernel(*kernels, op, operands, type);
    if (kernel && kernel->result == out.dtype() && all_walk_as(out, operands))
        return launch_known(*kernels, *kernel, out.ref(stream), operands, stream);
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
    copy(*current().kernels, out.ref(stream), array.ref(stream), stream);
    return out;
}

void assign(const Array& out, const Array& in, CUstream stream) {
    require_writable(out.layout());
    const auto kernels = current().kernels;
    const Array seen = in.broadcast_to(out.layout().shape());
    const ArrayRef to = out.ref(stream), from = seen.ref(stream);
    if (!overlaps_destructively(*to.layout, to.address, *from.layout, from.address))
        return copy(*kernels, to, from, stream);
    const Array copied = converted(in, in.dtype(), Order::Keep, stream).broadcast_to(out.layout().shape());
    copy(*kernels, to, copied.ref(stream), stream);
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
    elementwise(*current().kernels, Op::copy, out.ref(stream), {&input, 1}, stream);
}

Array reduced(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, bool keep_axes,
              std::optional<DType> dtype, CUstream stream) {
    std::vector<DType> types;
    std::vector<const Layout*> layouts;
    std::vector<ArrayRef> refs;
    for (const Array* input : inputs) {
        types.push_back(input->dtype());
        layouts.push_back(&input->layout());
        refs.push_back(input->ref(stream));
    }
    const DType wanted = dtype.value_or(result_type(op, types));
    const Layout all = broadcast(layouts, info(wanted).size);
    std::vector<std::int64_t> kept, seen;
    for (int axis = 0; axis < all.ndim(); ++axis) {
        const bool is_reduced = axes >> axis & 1;
        if (!is_reduced) kept.push_back(all.shape()[axis]);
        if (!is_reduced || keep_axes) seen.push_back(is_reduced ? 1 : all.shape()[axis]);
    }
    Array out = inputs[0]->empty_beside(wanted, Layout(kept, info(wanted).size), stream);
    reduce(*current().kernels, op, out.ref(stream), refs, axes, stream);
    return keep_axes ? out.reshaped(seen) : out;
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
