#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/fast_operation.hpp"
#include "gpuarray/operate.hpp"
#include "gpuarray/type_parts.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::is_integer;
using pycuda::gpuarray::Op;
using pycuda::gpuarray::ResultType;

/// Python's operators as the engine's operations.
enum Operator {
    Add,
    Subtract,
    Multiply,
    TrueDivide,
    FloorDivide,
    Remainder,
    And,
    Or,
    Xor,
    LeftShift,
    RightShift,
    Power,
    Negative,
    Positive,
    Absolute,
    Invert,
    OperatorCount
};
constexpr Op operations[OperatorCount] = {
    Op::add,     Op::sub,        Op::mul,         Op::div, Op::floor_div, Op::mod,  Op::bit_and, Op::bit_or,
    Op::bit_xor, Op::shift_left, Op::shift_right, Op::pow, Op::neg,       Op::copy, Op::abs,     Op::invert};

constexpr bool is_commutative(Operator which) {
    return which == Add || which == Multiply || which == And || which == Or || which == Xor;
}

/// Operators on results of comparisons: & | ^ * of two such results are such results again; + and ~ give other numbers.
template <Operator which, bool in_place>
PyObject* with_answers(PyObject* result, PyObject* x, PyObject* y) {
    if (!(in_place || is_commutative(which)) || as_array(x)->answers == Answers::No) [[likely]]
        return result;
    if (!result || !is_array(result)) return result;
    const Answers of_x = as_array(x)->answers, of_y = is_array(y) ? as_array(y)->answers : Answers::No;
    const bool both = of_x == Answers::Yes && of_y == Answers::Yes;
    as_array(result)->answers = !is_commutative(which) || of_y == Answers::No ? Answers::No
                                : both && which != Add                        ? Answers::Yes
                                                                              : Answers::Garbled;
    return result;
}

bool is_number(PyObject* object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || is_numpy_scalar(object);
}

bool is_sequence(PyObject* object) {
    return PyList_Check(object) || PyTuple_Check(object);
}

/// The operation with lists and tuples of numbers as arrays on the device, as in NumPy; NotImplemented without any.
PyObject* operate_on_sequences(Op op, ResultType type, std::span<PyObject* const> operands, PyObject* out) {
    const auto array = std::ranges::find_if(operands, is_array);
    if (array == operands.end() || std::ranges::none_of(operands, is_sequence))
        return borrow(Py_NotImplemented).release();
    std::vector<Ref> converted;
    std::vector<PyObject*> all;
    for (PyObject* const operand : operands) {
        converted.push_back(is_sequence(operand) ? Ref(PyObject_CallMethod(*array, "_of_sequence", "(O)", operand))
                                                 : borrow(operand));
        if (!converted.back()) throw PythonError{};
        all.push_back(converted.back().get());
    }
    return operate(op, type, all, out);
}

/// The slow path. Not inline, so that the fast path stays short.
[[gnu::noinline, gnu::cold]] PyObject* slow(Op op, ResultType type, std::span<PyObject* const> operands,
                                            PyObject* out = nullptr) noexcept {
    return guarded([&]() -> PyObject* {
        Ref result(operate(op, type, operands, out));
        return result.get() == Py_NotImplemented ? operate_on_sequences(op, type, operands, out) : result.release();
    });
}

/// For & | ^ of masks of different types, or without bits: operations that do the same to 0 and 1 of every type.
constexpr Op operation_of_masks(Operator which) {
    return which == And ? Op::mul : which == Or ? Op::maximum : Op::ne;
}

/// What a mask's elements are. NotMask: the object is not an array of bool or a result of a comparison.
enum class MaskOf { NotMask, Bools, Integers, Others };

MaskOf mask_of(PyObject* x) {
    const ArrayForm* const form = is_array(x) ? as_array(x)->form : nullptr;
    if (!form || !form->fits) return MaskOf::NotMask;
    if (form->type == DType::Bool) return MaskOf::Bools;
    if (as_array(x)->answers != Answers::Yes) return MaskOf::NotMask;
    return is_integer(form->type) ? MaskOf::Integers : MaskOf::Others;
}

/// Whether & | ^ combine x and y as masks rather than bit by bit: masks of different types, or of a type that has no
/// bits.
bool combine_as_masks(PyObject* x, PyObject* y) {
    const MaskOf of_x = mask_of(x), of_y = mask_of(y);
    if (of_x == MaskOf::NotMask || of_y == MaskOf::NotMask) return false;
    return of_x != of_y || of_x == MaskOf::Others;
}

PyObject* combine_masks(Operator which, PyObject* x, PyObject* y, bool in_place) {
    PyObject* const operands[] = {x, y};
    PyObject* const result = slow(operation_of_masks(which), ResultType::Arrays, operands, in_place ? x : nullptr);
    if (result && is_array(result)) as_array(result)->answers = Answers::Yes;
    return result;
}

template <Operator which, bool in_place>
PyObject* binary(PyObject* x, PyObject* y) {
    if (is_commutative(which) && !is_array(x) && is_number(x)) std::swap(x, y);
    if constexpr (which == And || which == Or || which == Xor)
        if (combine_as_masks(x, y)) return combine_masks(which, x, y, in_place);
    const auto slowly = [x, y] {
        PyObject* const operands[] = {x, y};
        return slow(operations[which], ResultType::Usual, operands, in_place ? x : nullptr);
    };
    if (!is_array(x)) return slowly();
    constexpr auto type = in_place ? ResultType::First : ResultType::Usual;
    Array* const array = as_array(x);
    PyObject* const result = fast_operation_else(operations[which], type, array, y, in_place ? array : nullptr, slowly);
    return with_answers<which, in_place>(result, x, y);
}

template <bool in_place>
PyObject* power(PyObject* x, PyObject* y, PyObject* modulus) {
    if (modulus != Py_None) {
        PyErr_SetString(PyExc_TypeError, "pow() of an array takes no modulus");
        return nullptr;
    }
    return binary<Power, in_place>(x, y);
}

template <Operator which>
PyObject* unary(PyObject* x) {
    return fast_operation_else(operations[which], ResultType::Usual, as_array(x), nullptr, nullptr,
                               [x] { return slow(operations[which], ResultType::Usual, {&x, 1}); });
}

PyObject* positive(PyObject* x) {
    PyObject* const result = unary<Positive>(x);
    if (result && is_array(result)) as_array(result)->answers = static_cast<Answers>(as_array(x)->answers);
    return result;
}

PyObject* invert(PyObject* x) {
    if (mask_of(x) == MaskOf::Others) {
        PyObject* const opposite = slow(Op::logical_not, ResultType::Arrays, {&x, 1});
        if (opposite && is_array(opposite)) as_array(opposite)->answers = Answers::Yes;
        return opposite;
    }
    PyObject* const result = unary<Invert>(x);
    if (result && is_array(result) && as_array(x)->answers != Answers::No) as_array(result)->answers = Answers::Garbled;
    return result;
}

constexpr Op comparisons[] = {Op::lt, Op::le, Op::eq, Op::ne, Op::gt, Op::ge};  // in the order of Py_LT, ...

/// 0 and 1 in the arrays' common type.
PyObject* compare(PyObject* x, PyObject* y, int which) {
    PyObject* const operands[] = {x, y};
    PyObject* const result = fast_operation_else(comparisons[which], ResultType::Arrays, as_array(x), y, nullptr, [&] {
        return slow(comparisons[which], ResultType::Arrays, operands);
    });
    if (result && is_array(result)) as_array(result)->answers = Answers::Yes;
    return result;
}

Py_hash_t refuse_hash(PyObject*) {
    PyErr_SetString(PyExc_TypeError, "GPUArrays are not hashable.");
    return -1;
}

const std::array slots{
    PyType_Slot{Py_nb_add, slot(binary<Add, false>)},
    PyType_Slot{Py_nb_subtract, slot(binary<Subtract, false>)},
    PyType_Slot{Py_nb_multiply, slot(binary<Multiply, false>)},
    PyType_Slot{Py_nb_true_divide, slot(binary<TrueDivide, false>)},
    PyType_Slot{Py_nb_floor_divide, slot(binary<FloorDivide, false>)},
    PyType_Slot{Py_nb_remainder, slot(binary<Remainder, false>)},
    PyType_Slot{Py_nb_and, slot(binary<And, false>)},
    PyType_Slot{Py_nb_or, slot(binary<Or, false>)},
    PyType_Slot{Py_nb_xor, slot(binary<Xor, false>)},
    PyType_Slot{Py_nb_lshift, slot(binary<LeftShift, false>)},
    PyType_Slot{Py_nb_rshift, slot(binary<RightShift, false>)},
    PyType_Slot{Py_nb_inplace_add, slot(binary<Add, true>)},
    PyType_Slot{Py_nb_inplace_subtract, slot(binary<Subtract, true>)},
    PyType_Slot{Py_nb_inplace_multiply, slot(binary<Multiply, true>)},
    PyType_Slot{Py_nb_inplace_true_divide, slot(binary<TrueDivide, true>)},
    PyType_Slot{Py_nb_inplace_floor_divide, slot(binary<FloorDivide, true>)},
    PyType_Slot{Py_nb_inplace_remainder, slot(binary<Remainder, true>)},
    PyType_Slot{Py_nb_inplace_and, slot(binary<And, true>)},
    PyType_Slot{Py_nb_inplace_or, slot(binary<Or, true>)},
    PyType_Slot{Py_nb_inplace_xor, slot(binary<Xor, true>)},
    PyType_Slot{Py_nb_inplace_lshift, slot(binary<LeftShift, true>)},
    PyType_Slot{Py_nb_inplace_rshift, slot(binary<RightShift, true>)},
    PyType_Slot{Py_nb_power, slot(power<false>)},
    PyType_Slot{Py_nb_inplace_power, slot(power<true>)},
    PyType_Slot{Py_nb_negative, slot(unary<Negative>)},
    PyType_Slot{Py_nb_positive, slot(positive)},
    PyType_Slot{Py_nb_absolute, slot(unary<Absolute>)},
    PyType_Slot{Py_nb_invert, slot(invert)},
    PyType_Slot{Py_tp_richcompare, slot(compare)},
    PyType_Slot{Py_tp_hash, slot(refuse_hash)},
};

}  // namespace

std::span<const PyType_Slot> operator_slots() noexcept {
    return slots;
}

}  // namespace pycuda::python::gpuarray
