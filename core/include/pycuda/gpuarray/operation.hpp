#pragma once

#include <cstdint>
#include <span>

#include "pycuda/gpuarray/dtype.hpp"

namespace pycuda::gpuarray {

/// The elementwise operations (operations.def).
enum class Op : std::uint8_t {
#define X(name, ...) name,
#include "pycuda/gpuarray/operations.def"
#undef X
};
inline constexpr int op_count = 0
#define X(...) +1
#include "pycuda/gpuarray/operations.def"
#undef X
    ;

/// eq, ne, lt, le, gt, ge.
constexpr bool is_comparison(Op op) {
    return op >= Op::eq && op <= Op::ge;
}

/// How an operation's compute type and result type follow from its operands' common type.
enum class ResultRule : std::uint8_t {
    Common,         ///< both are the common type
    Boolean,        ///< computes in the common type, gives bool
    Int8ForBool,    ///< both are the common type, int8 for bool
    Floating,       ///< floating_for the common type
    FirstFloating,  ///< floating_for the first operand's type
    Real,           ///< computes in the common type, gives its real part's
    RealFloating,   ///< computes in floating_for the common type, gives its real part's
    Choice,         ///< the common type of all operands but the first, which is a condition of its own type; each is
                    ///< converted to the result's type on its own
};

/// The names of a public operation (operations.def); empty for others.
struct PublicNames {
    const char *python, *ufunc, *java, *sentence;
};

struct OperationInfo {
    const char* name;
    int arity;
    ResultRule rule;
    /// C expressions by class: bool, signed, unsigned, floating, complex; null where not defined.
    const char* expression[5];
    PublicNames names;
};

const OperationInfo& info(Op op);
/// std::invalid_argument if there is no operation of that name.
Op op_of_name(const char* name);

/// The type of one operand: an array's, a typed scalar's, or a weak scalar's.
struct OperandType {
    DType dtype;
    bool weak = false;
};

/// The common type of operands: arrays are promoted among themselves; then typed scalars count as
/// arrays do, and weak ones by their kind.
DType common_type(std::span<const OperandType> operands);

/// The choice of a result's type.
struct ResultType {
    enum Rule : std::uint8_t {
        Usual,   ///< that of the operation's rule
        Common,  ///< the common type of all operands, whatever the operation computes in
        Arrays,  ///< the common type of the arrays among them: for comparisons that return 0 and 1 as numbers, and
                 ///< for functions of integers that return integers
        First,   ///< the first operand's
        Given,
    } rule = Usual;
    DType given = DType::Opaque;  ///< for Given

    ResultType(Rule of) : rule(of) {}
    ResultType(DType dtype) : rule(Given), given(dtype) {}
};

/// The types of an operation for certain operands.
struct Signature {
    DType compute;  ///< operands are converted to it, except those of choices
    DType result;   ///< the result's type unless the caller requests another
    /// A comparison of uint64 with a signed type: operands keep their types, because no type has all values of both.
    bool keeps_signs = false;
};

/// The types' signature. ArgumentTypeError "'bit_and' is not defined for float32" if there is no such operation, and
/// for structures (except in copies and choices between them); std::invalid_argument for a wrong number of them.
Signature signature(Op op, std::span<const OperandType> operands);

}  // namespace pycuda::gpuarray
