#include "pycuda/gpuarray/plan.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "gpuarray/elementwise_source.hpp"
#include "gpuarray/scratch.hpp"

namespace pycuda::gpuarray {
namespace {

DType planned_type(Op op, std::span<const Input> operands, ResultType type) {
    const DType usual = result_type(op, operands);  // rejects types that the operation is not defined for
    OperandType types[max_inputs];
    std::size_t count = 0;
    switch (type.rule) {
        case ResultType::Usual:
            return usual;
        case ResultType::Given:
            return type.given;
        case ResultType::First:
            return operands[0].type().dtype;
        case ResultType::Common:
        case ResultType::Arrays:
            for (const Input& operand : operands)
                if (type.rule == ResultType::Common || !operand.is_scalar()) types[count++] = operand.type();
            break;
    }
    return count == 0 ? usual : common_type({types, count});
}

/// Bytes of an element of the result.
std::int64_t itemsize_of(DType dtype, std::span<const Input> operands) {
    if (dtype != DType::Opaque) return info(dtype).size;
    for (const Input& operand : operands)
        if (!operand.is_scalar() && operand.array().dtype == DType::Opaque) return operand.array().layout->itemsize();
    throw std::invalid_argument("the result of these operands cannot be a structure");
}

}  // namespace

Plan plan(Op op, std::span<const Input> operands, ResultType type) {
    const DType result = planned_type(op, operands, type);
    Plan made{op, result, result_layout(operands, itemsize_of(result, operands))};
    for (std::size_t k = 0; k < operands.size() && made.like < 0; ++k)
        if (!operands[k].is_scalar() && operands[k].array().layout->same_shape(made.layout))
            made.like = static_cast<int>(k);
    return made;
}

bool Plan::fits(const Layout& out) const noexcept {
    const auto own = layout.shape(), wanted = out.shape();
    const auto stretches = [](std::int64_t length, std::int64_t to) { return length == to || length == 1; };
    return own.size() <= wanted.size() && std::equal(own.rbegin(), own.rend(), wanted.rbegin(), stretches);
}

void Plan::check_out(const Layout& out, DType dtype, Casting casting) const {
    if (!fits(out))
        throw std::invalid_argument("the result has shape " + shape_text(layout.shape()) +
                                    ", but the output array has " + shape_text(out.shape()));
    const bool converts = dtype != DType::Opaque && result != DType::Opaque;
    const bool loses_kind = converts && casting == Casting::SameKind && !keeps_kind(result, dtype);
    if (dtype != result && (casting == Casting::No || !converts || loses_kind))
        throw ArgumentTypeError(std::string("the result of '") + info(op).name + "' has type " + name_of(result) +
                                ", but the output array has " + name_of(dtype) + "; convert it with astype");
    require_writable(out);
}

void run(Kernels& kernels, Op op, const ArrayRef& out, std::span<const Input> operands, CUstream stream) {
    std::optional<Apart> copies[max_inputs];
    Input inputs[max_inputs];
    for (std::size_t k = 0; k < operands.size() && k < max_inputs; ++k) {
        inputs[k] = operands[k];
        if (operands[k].is_scalar()) continue;
        const ArrayRef& in = operands[k].array();
        if (!overlaps_destructively(*out.layout, out.address, *in.layout, in.address)) continue;
        inputs[k] = Input(copies[k].emplace(kernels, in, out, stream, true).ref());
    }
    elementwise(kernels, op, out, {inputs, operands.size()}, stream);
}

}  // namespace pycuda::gpuarray
