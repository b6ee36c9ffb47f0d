#include "pycuda/gpuarray/operation.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr OperationInfo operation_infos[op_count] = {
#define X(name, arity, rule, boolean, integer, natural, floating, complex, ...) \
    {#name, arity, ResultRule::rule, {boolean, integer, natural, floating, complex}, {__VA_ARGS__}},
#include "pycuda/gpuarray/operations.def"
#undef X
};

bool keeps_signs(const OperandType& a, const OperandType& b) {
    const auto differ = [](const OperandType& natural, const OperandType& other) {
        return natural.dtype == DType::UInt64 && info(other.dtype).kind == DTypeKind::Signed;
    };
    return !a.weak && !b.weak && (differ(a, b) || differ(b, a));
}

}  // namespace

DType common_type(std::span<const OperandType> operands) {
    bool found = false;
    DType common = DType::Bool;
    for (const OperandType& operand : operands) {
        if (operand.weak) continue;
        common = found ? promote(common, operand.dtype) : operand.dtype;
        found = true;
    }
    for (const OperandType& operand : operands) {
        if (!operand.weak) continue;
        if (!found) {
            common = operand.dtype;
            found = true;
            continue;
        }
        Scalar scalar = Scalar::weak(false);
        switch (info(operand.dtype).kind) {
            case DTypeKind::Bool:
                break;
            case DTypeKind::Signed:
                scalar = Scalar::weak(std::int64_t{0});
                break;
            case DTypeKind::Unsigned:
                scalar = Scalar::weak_unsigned(0);
                break;
            case DTypeKind::Floating:
                scalar = Scalar::weak(0.0);
                break;
            case DTypeKind::Complex:
                scalar = Scalar::weak(std::complex<double>());
                break;
        }
        common = scalar.result_type(common);
    }
    return common;
}

const OperationInfo& info(Op op) {
    return operation_infos[static_cast<std::size_t>(op)];
}

Op op_of_name(const char* name) {
    for (int k = 0; k < op_count; ++k)
        if (std::strcmp(operation_infos[k].name, name) == 0) return static_cast<Op>(k);
    throw std::invalid_argument(std::string("unknown operation '") + name + "'");
}

Signature signature(Op op, std::span<const OperandType> operands) {
    const OperationInfo& row = info(op);
    if (operands.size() != static_cast<std::size_t>(row.arity))
        throw std::invalid_argument(std::string("'") + row.name + "' takes " + std::to_string(row.arity) +
                                    " operands, not " + std::to_string(operands.size()));
    const bool choice = row.rule == ResultRule::Choice;
    const auto is_structure = [](const OperandType& operand) { return operand.dtype == DType::Opaque; };
    const std::span<const OperandType> moved = choice ? operands.subspan(1) : operands;
    if ((choice || op == Op::copy) && std::ranges::all_of(moved, is_structure) &&
        (!choice || !is_structure(operands[0])))
        return {DType::Opaque, DType::Opaque};
    for (const OperandType& operand : operands)
        if (operand.dtype == DType::Opaque)
            throw ArgumentTypeError(std::string("'") + row.name + "' is not defined for structures");
    Signature types;
    if (row.rule == ResultRule::FirstFloating && is_complex(operands[1].dtype))
        throw ArgumentTypeError(std::string("'") + row.name + "' is not defined for " + name_of(operands[1].dtype));
    types.compute = common_type(row.rule == ResultRule::FirstFloating ? operands.first(1)
                                : choice                              ? operands.subspan(1)
                                                                      : operands);
    switch (row.rule) {
        case ResultRule::Int8ForBool:
            if (types.compute == DType::Bool) types.compute = DType::Int8;
            break;
        case ResultRule::Floating:
        case ResultRule::FirstFloating:
        case ResultRule::RealFloating:
            types.compute = floating_for(types.compute);
            break;
        default:
            break;
    }
    types.result = types.compute;
    if (row.rule == ResultRule::Boolean) types.result = DType::Bool;
    types.keeps_signs = is_comparison(op) && keeps_signs(operands[0], operands[1]);
    if (row.rule == ResultRule::Real || row.rule == ResultRule::RealFloating) types.result = real_part(types.compute);
    const bool ordered = op != Op::if_positive || !is_complex(operands[0].dtype);
    if (!row.expression[static_cast<std::size_t>(info(types.compute).kind)] || !ordered)
        throw ArgumentTypeError(std::string("'") + row.name + "' is not defined for " +
                                name_of(ordered ? types.compute : operands[0].dtype));
    return types;
}

}  // namespace pycuda::gpuarray
