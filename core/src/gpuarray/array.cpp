#include "pycuda/gpuarray/array.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpuarray/reduction_source.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/plan.hpp"
#include "pycuda/gpuarray/recording.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda::gpuarray {
namespace {

/// Keeps the operands of an operation alive while the program's allocators run, which may close the arrays; their
/// addresses are read afterwards.
class Kept {
public:
    explicit Kept(std::span<const Operand> operands) {
        if (operands.size() > max_inputs) throw std::invalid_argument("an operation has at most 4 operands");
        for (const Operand& operand : operands) {
            if (const auto* array = std::get_if<const Array*>(&operand)) {
                const Array& kept = arrays_[count_].emplace(**array);
                inputs_[count_++] = Input(ArrayRef{0, &kept.layout(), kept.dtype()});
            } else {
                inputs_[count_++] = Input(std::get<Scalar>(operand));
            }
        }
    }
    std::span<const Input> without_addresses() const { return {inputs_, count_}; }
    std::span<const Input> with_addresses(CUstream stream) {
        for (std::size_t i = 0; i < count_; ++i)
            if (arrays_[i]) inputs_[i] = Input(arrays_[i]->ref(stream));
        return {inputs_, count_};
    }
    /// The context and allocator of results: those of the first operand that is an array.
    std::shared_ptr<ArrayAllocator> allocator() const {
        for (const auto& array : arrays_)
            if (array) return array->allocator();
        return nullptr;
    }

private:
    std::size_t count_ = 0;
    std::optional<Array> arrays_[max_inputs];
    Input inputs_[max_inputs];
};

/// The operation on the fast path, if its first operand is an array and there are at most two. False to take the slow
/// path.
inline bool find(PlainCall& call, const Current& now, Op op, std::span<const Operand> operands, ResultType type,
                 CUstream stream) {
    const auto* const first = operands.size() <= 2 ? std::get_if<const Array*>(&operands[0]) : nullptr;
    if (!first) return false;
    call.a = (*first)->ref(now, stream);
    if (operands.size() == 2) {
        if (const auto* const second = std::get_if<const Array*>(&operands[1]))
            call.b = (*second)->ref(now, stream);
        else
            call.scalar = &std::get<Scalar>(operands[1]);
    }
    return call.find(*now.kernels, op, type);
}

}  // namespace

Array::SharedLayout Array::shared_layout(const Layout& layout) {
    constexpr std::int64_t max = 16;
    // Layouts without axes, by item size, as reductions return them. Leaked: arrays are used until the process ends.
    static const auto* const single = [] {
        auto* const made = new std::array<SharedLayout, max + 1>;
        for (std::int64_t itemsize = 0; itemsize <= max; ++itemsize)
            (*made)[static_cast<std::size_t>(itemsize)] =
                std::make_shared<const Layout>(std::span<const std::int64_t>(), itemsize);
        return made;
    }();
    const std::int64_t itemsize = layout.itemsize();
    if (layout.ndim() == 0 && itemsize <= max) return (*single)[static_cast<std::size_t>(itemsize)];
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

Array Array::over(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<ArrayAllocator> allocator, DType dtype,
                  const Layout& layout) {
    return Array(std::move(memory), std::move(allocator), 0, dtype, std::make_shared<const Layout>(layout));
}

std::shared_ptr<MemoryPool> Array::release_block(PoolBlock& block) noexcept {
    if (!pooled_ || memory_.use_count() != 1 || address_ != 0 || pooled_->is_closed()) return nullptr;
    block = pooled_->leave_alone();
    return pooled_->pool();
}

Array Array::view(const views::View& view, DType dtype) const {
    Array seen(memory_, allocator_, address_ + static_cast<DevicePtr>(view.offset), dtype,
               std::make_shared<const Layout>(view.layout));
    seen.pooled_ = pooled_;
    return seen;
}

Array Array::reshaped(std::span<const std::int64_t> shape, views::ReadingOrder order) const {
    if (const auto layout = views::reshape(*layout_, shape, order)) return view(*layout);
    throw LogicError("reshape", 0,
                     "an array of shape " + shape_text(layout_->shape()) +
                         ", which is not contiguous, cannot be viewed with shape " + shape_text(shape) +
                         "; copy it first");
}

DevicePtr Array::address() const {
    if (layout_->size() == 0) return 0;
    return memory_ ? memory_->pointer() + address_ : address_;
}

ArrayRef Array::ref(CUstream stream) const {
    if (!memory_ || layout_->size() == 0) return {address(), layout_.get(), dtype_};
    const DevicePtr start = memory_->pointer_for(stream);
    if (const std::shared_ptr<Context> owner = memory_->context()) require_access(*owner, start);
    return {start + address_, layout_.get(), dtype_};
}

ArrayRef Array::ref(const Current& now, CUstream stream) const {
    if (!pooled_ || !pooled_->is_of(*now.pool) || layout_->size() == 0) return ref(stream);
    return {pooled_->pointer_for(stream) + address_, layout_.get(), dtype_};
}

void Array::close() const noexcept {
    if (memory_) memory_->close();
}

std::unique_ptr<Array> apply(Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
    if (any_trace_is_open()) [[unlikely]]
        if (auto recorded = try_record(op, operands, type)) return recorded;
    const Current& now = current();
    if (PlainCall call; find(call, now, op, operands, type, stream))
        if (auto out = std::get<const Array*>(operands[0])->try_like(now, call.kernel->result, stream))
            if (call.launch(*now.kernels, out->ref(now, stream).address, stream)) return out;
    const auto kernels = now.kernels;  // an allocator may run the program's code
    Kept kept(operands);
    const Plan made = plan(op, kept.without_addresses(), type);
    auto out = std::make_unique<Array>(Array::empty(made.result, made.layout, stream, kept.allocator()));
    run(*kernels, op, out->ref(stream), kept.with_addresses(stream), stream);
    return out;
}

void apply_into(const Array& out, Op op, std::span<const Operand> operands, ResultType type, CUstream stream) {
    const Current& now = current();
    if (PlainCall call; find(call, now, op, operands, type, stream))
        if (const ArrayRef to = out.ref(now, stream); call.fits(to) && call.launch(*now.kernels, to.address, stream))
            return;
    const auto kernels = now.kernels;
    Kept kept(operands);
    const Plan made = plan(op, kept.without_addresses(), type);
    made.check_out(out.layout(), out.dtype(), Casting::No);
    run(*kernels, op, out.ref(stream), kept.with_addresses(stream), stream);
}

Array converted(const Array& array, DType dtype, Order order, CUstream stream) {
    const Array kept = array;  // an allocator may close it
    const std::int64_t itemsize = dtype == DType::Opaque ? kept.layout().itemsize() : info(dtype).size;
    const Layout layout = order == Order::Keep ? kept.layout().packed_like(itemsize)
                                               : Layout(kept.layout().shape(), itemsize, order == Order::Fortran);
    if (any_trace_is_open()) [[unlikely]]
        if (const auto recorded = try_record_copy(kept, dtype, layout)) return *recorded;
    Array out = kept.empty_beside(dtype, layout, stream);
    copy(*current_kernels(), out.ref(stream), kept.ref(stream), stream);
    return out;
}

void assign(const Array& out, const Array& in, CUstream stream) {
    require_writable(out.layout());
    const Input from(in.ref(stream));
    run(*current_kernels(), Op::copy, out.ref(stream), {&from, 1}, stream);
}

void fill(const Array& out, const Scalar& value, CUstream stream) {
    require_writable(out.layout());
    const DType dtype = out.dtype();
    if (dtype == DType::Opaque) throw ArgumentTypeError("an array of structures cannot be filled with a number");
    const DTypeInfo& from = info(value.dtype());
    const DTypeInfo& to = info(dtype);
    const bool narrows = (from.kind == DTypeKind::Floating && to.kind < DTypeKind::Floating) ||
                         (from.kind == DTypeKind::Complex && to.kind < DTypeKind::Complex);
    if (narrows)
        throw std::invalid_argument(std::string("an array of ") + name_of(dtype) + " cannot be filled with a " +
                                    (from.kind == DTypeKind::Complex ? "complex" : "floating-point") + " number");
    if (!value.fits(dtype))
        throw std::invalid_argument(std::string("the number is out of range for ") + name_of(dtype));
    const Input input(value);
    elementwise(*current_kernels(), Op::copy, out.ref(stream), {&input, 1}, stream);
}

std::unique_ptr<Array> reduced(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, bool keepdims,
                               std::optional<DType> dtype, CUstream stream) {
    if (inputs.empty() || inputs.size() > max_inputs) throw std::invalid_argument("a reduction has 1 to 4 operands");
    const std::size_t count = inputs.size();
    DType types[max_inputs];
    const Layout* layouts[max_inputs];
    for (std::size_t i = 0; i < count; ++i) {
        types[i] = inputs[i]->dtype();
        layouts[i] = &inputs[i]->layout();
    }
    const DType wanted = dtype.value_or(result_type(op, {types, count}));
    const std::int64_t itemsize = info(wanted).size;
    std::optional<Layout> common;
    if (count > 1) common = broadcast({layouts, count}, itemsize);
    const Layout& all = common ? *common : *layouts[0];
    std::int64_t kept[max_axes], seen[max_axes];
    std::size_t kept_count = 0, seen_count = 0;
    const auto accumulator = info(op).accumulator;
    const bool is_extremum =
        accumulator == ReductionInfo::Accumulator::Input || accumulator == ReductionInfo::Accumulator::Index;
    for (int axis = 0; axis < all.ndim(); ++axis) {
        const bool is_reduced = axes >> axis & 1;
        if (is_extremum && is_reduced && all.shape()[axis] == 0)
            throw std::invalid_argument("an axis without elements has no minimum or maximum");
        if (!is_reduced) kept[kept_count++] = all.shape()[axis];
        if (!is_reduced || keepdims) seen[seen_count++] = is_reduced ? 1 : all.shape()[axis];
    }
    const Layout layout({kept, kept_count}, itemsize);
    if (any_trace_is_open()) [[unlikely]]
        if (auto recorded = try_record(op, inputs, axes, wanted, layout))
            return keepdims ? std::make_unique<Array>(recorded->reshaped({seen, seen_count})) : std::move(recorded);
    const Current& now = current();
    const auto kernels = now.kernels;  // an allocator may run the program's code
    std::unique_ptr<Array> out = inputs[0]->try_beside(now, wanted, layout, stream);
    std::optional<Array> copies[max_inputs];  // kept, because an allocator may close them
    if (!out) {
        for (std::size_t i = 0; i < count; ++i) copies[i].emplace(*inputs[i]);
        out = std::make_unique<Array>(copies[0]->empty_beside(wanted, layout, stream));
    }
    ArrayRef refs[max_inputs];
    for (std::size_t i = 0; i < count; ++i) refs[i] = copies[i] ? copies[i]->ref(stream) : inputs[i]->ref(now, stream);
    reduce(*kernels, op, out->ref(stream), {refs, count}, axes, stream);
    return keepdims ? std::make_unique<Array>(out->reshaped({seen, seen_count})) : std::move(out);
}

namespace {

/// Arrays to be joined, kept because an allocator may close them.
struct Parts {
    explicit Parts(std::span<const Array* const> arrays, const char* what) {
        if (arrays.empty()) throw std::invalid_argument(std::string(what) + " needs at least one array");
        for (const Array* array : arrays) {
            kept.push_back(*array);
            if (array->dtype() != kept[0].dtype()) dtype = promote(dtype.value_or(kept[0].dtype()), array->dtype());
        }
    }
    Array result(std::span<const std::int64_t> shape, bool by_columns, CUstream stream) const {
        const DType wanted = dtype.value_or(kept[0].dtype());
        const std::int64_t itemsize = wanted == DType::Opaque ? kept[0].layout().itemsize() : info(wanted).size;
        return kept[0].empty_beside(wanted, Layout(shape, itemsize, by_columns), stream);
    }
    /// `out` at `part`, which ends with the axis along which they are joined, becomes `array`.
    static void write(const Array& out, const std::vector<IndexPart>& part, const Array& array, CUstream stream) {
        const views::View side = views::index(out.layout(), part);
        assign(out.view(side.layout, side.offset), array, stream);
    }

    std::vector<Array> kept;
    std::optional<DType> dtype;  ///< empty: that of all
};

}  // namespace

Array concatenate(std::span<const Array* const> arrays, int axis, CUstream stream) {
    const Parts parts(arrays, "concatenate");
    const Layout& first = parts.kept[0].layout();
    axis = views::axis_number(axis, first.ndim());
    std::vector<std::int64_t> shape(first.shape().begin(), first.shape().end());
    shape[static_cast<std::size_t>(axis)] = 0;
    for (const Array& array : parts.kept) {
        bool fits = array.layout().ndim() == first.ndim();
        for (int k = 0; fits && k < first.ndim(); ++k)
            fits = k == axis || array.layout().shape()[k] == first.shape()[k];
        if (!fits)
            throw std::invalid_argument("cannot concatenate arrays of shapes " + shape_text(first.shape()) + " and " +
                                        shape_text(array.layout().shape()) + " along axis " + std::to_string(axis));
        shape[static_cast<std::size_t>(axis)] += array.layout().shape()[axis];
    }
    Array out = parts.result(shape, false, stream);
    std::vector<IndexPart> part(static_cast<std::size_t>(axis) + 1);
    std::int64_t start = 0;
    for (const Array& array : parts.kept) {
        const std::int64_t stop = start + array.layout().shape()[axis];
        part.back() = {IndexPart::Kind::Range, true, true, start, stop, 1};
        Parts::write(out, part, array, stream);
        start = stop;
    }
    return out;
}

Array stack(std::span<const Array* const> arrays, int axis, bool by_columns, CUstream stream) {
    const Parts parts(arrays, "stack");
    const Layout& first = parts.kept[0].layout();
    axis = views::axis_number(axis, first.ndim() + 1);
    for (const Array& array : parts.kept)
        if (!std::ranges::equal(array.layout().shape(), first.shape()))
            throw std::invalid_argument("cannot stack arrays of shapes " + shape_text(first.shape()) + " and " +
                                        shape_text(array.layout().shape()));
    std::vector<std::int64_t> shape(first.shape().begin(), first.shape().end());
    shape.insert(shape.begin() + axis, static_cast<std::int64_t>(parts.kept.size()));
    Array out = parts.result(shape, by_columns, stream);
    std::vector<IndexPart> part(static_cast<std::size_t>(axis) + 1);
    for (std::size_t number = 0; number < parts.kept.size(); ++number) {
        part.back() = {IndexPart::Kind::At, true, false, static_cast<std::int64_t>(number), 0, 1};
        Parts::write(out, part, parts.kept[number], stream);
    }
    return out;
}

namespace {

/// The shortest text of the number: 1e300 does not become 301 digits.
std::string text_of(double number) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace

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
    const double max = dtype == DType::Float16 ? 65504
                       : single                ? std::numeric_limits<float>::max()
                                               : std::numeric_limits<double>::max();
    for (const double part : {value.real(), value.imag()})
        if (std::isfinite(part) && std::abs(part) > max)
            throw std::invalid_argument("the number " + text_of(part) + " is too large for " + name_of(dtype));
    return is_complex ? Scalar::weak(value) : Scalar::weak(value.real());
}

}  // namespace pycuda::gpuarray
