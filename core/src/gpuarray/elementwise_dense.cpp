// The fast path: a cached kernel on packed operands.

#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {
namespace {

/// alignment_of, inlined.
constexpr unsigned alignments[] = {
#define X(name, code, c_name, short_name, kind, size) DTypeKind::kind == DTypeKind::Complex ? size / 2 : size,
#include "pycuda/gpuarray/dtypes.def"
#undef X
};

bool is_aligned(DevicePtr address, DType dtype) noexcept {
    return (address & (alignments[static_cast<int>(dtype)] - 1)) == 0;
}

/// For rules other than the usual one: true if the result has the type of operand `a`, which is given.
inline bool is_first_type(ResultType type, const PlainCall& call) noexcept {
    if (type.rule == ResultType::Usual || type.rule == ResultType::First) [[likely]]
        return true;
    if (type.rule == ResultType::Given) return type.given == call.a.dtype;
    return (!call.b.layout || call.b.dtype == call.a.dtype) && (type.rule == ResultType::Arrays || !call.scalar);
}

}  // namespace

void add_scalar(Arguments& arguments, const Scalar& scalar, DType dtype) {
    const DType passed = arithmetic_dtype(dtype);
    void* const bytes = arguments.reserve(info(passed).size, alignment_of(passed));
    if (passed == dtype) [[likely]]
        return scalar.store(passed, bytes);
    std::uint16_t rounded;  // a number of a 16-bit type, rounded like the elements of the other operand
    scalar.store(dtype, &rounded);
    Scalar::typed(dtype, &rounded).store(passed, bytes);
}

bool PlainCall::find(const Kernels& kernels, Op op, ResultType type) noexcept {
    if (a.dtype == DType::Opaque || a.dtype == DType::Bool || a.layout->size() == 0) return false;
    unsigned second = Kernels::no_operand;
    if (b.layout) {
        if (b.dtype == DType::Opaque || !a.layout->same_dense(*b.layout)) return false;
        second = Kernels::array_index(b.dtype);
    } else {
        if (!a.layout->is_dense()) return false;
        if (scalar) second = Kernels::scalar_index(scalar->dtype(), scalar->is_weak());
    }
    if (!is_first_type(type, *this)) return false;
    kernel = kernels.dense(op, a.dtype, second, type.rule != ResultType::Usual);
    return kernel && !(scalar && (!scalar->fits(kernel->compute) || is_fraction(op, kernel->compute, *scalar)));
}

bool PlainCall::fits(const ArrayRef& out) const noexcept {
    const auto keeps = [&out](const ArrayRef& in) {
        return !overlaps_destructively(*out.layout, out.address, *in.layout, in.address);
    };
    return out.dtype == kernel->result && out.layout->same_dense(*a.layout) && keeps(a) && (!b.layout || keeps(b));
}

bool PlainCall::launch(const Kernels& kernels, DevicePtr out, CUstream stream) const {
    if (!is_aligned(out, kernel->result) || !is_aligned(a.address, a.dtype)) [[unlikely]]
        return false;
    const auto n = static_cast<std::uint64_t>(a.layout->size());
    const std::uint64_t blocks = (n + kernel->elements - 1) / kernel->elements;
    if (b.layout) {
        if (!is_aligned(b.address, b.dtype)) [[unlikely]]
            return false;
        const std::uint64_t arguments[] = {out, a.address, b.address, n};
        kernels.launch(*kernel, blocks, dense_threads, arguments, sizeof arguments, stream);
    } else if (scalar) {
        Arguments arguments;
        arguments.add(out);
        arguments.add(a.address);
        add_scalar(arguments, *scalar, kernel->compute);
        arguments.add(n);
        kernels.launch(*kernel, blocks, dense_threads, arguments.data(), arguments.size(), stream);
    } else {
        const std::uint64_t arguments[] = {out, a.address, n};
        kernels.launch(*kernel, blocks, dense_threads, arguments, sizeof arguments, stream);
    }
    return true;
}

}  // namespace pycuda::gpuarray
