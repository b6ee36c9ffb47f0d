#include "gpuarray/operators.hpp"

#include <array>
#include <utility>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/plain_operation.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Op;

/// Python's operators: the engine's operations that they are for plain arrays, and the functions in
/// pycuda._arrays.operators for all others.
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
constexpr const char* function_names[OperatorCount] = {
    "add",         "subtract",   "multiply",    "true_divide", "floor_divide", "remainder", "bitwise_and", "bitwise_or",
    "bitwise_xor", "left_shift", "right_shift", "power",       "negative",     "positive",  "absolute",    "invert"};
constexpr Op operations[OperatorCount] = {
    Op::add,     Op::sub,        Op::mul,         Op::div, Op::floor_div, Op::mod,  Op::bit_and, Op::bit_or,
    Op::bit_xor, Op::shift_left, Op::shift_right, Op::pow, Op::neg,       Op::copy, Op::abs,     Op::invert};
PyObject* operator_functions[OperatorCount];

PyObject* call(Operator which, PyObject* x, PyObject* y, PyObject* out) {
    try {
        for (PyObject* operand : {x, y})
            if (is_array(operand)) form_of(as_array(operand));  // raises where there is none that an operation can use
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    PyObject* const arguments[] = {x, y, out};
    return PyObject_Vectorcall(operator_functions[which], arguments, out ? 3 : 2, nullptr);
}

/// x op y, into x when `in_place`; `y` null: op x. A new reference; null without an exception where it is not plain.
PyObject* try_plain(Operator which, PyObject* x, PyObject* y, bool in_place) {
    Array* const array = as_array(x);
    return try_plain_operation(operations[which], in_place ? ResultType::First : ResultType::Usual, array, y,
                               in_place ? array : nullptr);
}

constexpr bool is_commutative(Operator which) {
    return which == Add || which == Multiply || which == And || which == Or || which == Xor;
}

/// What becomes of comparisons' answers: & | ^ * of two give answers again; + and ~ give other numbers.
template <Operator which, bool in_place>
PyObject* with_answers(PyObject* result, PyObject* x, PyObject* y) {
    if (!(in_place || is_commutative(which)) || !is_array(x) || as_array(x)->answers == Answers::No) [[likely]]
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

template <Operator which, bool in_place>
PyObject* binary(PyObject* x, PyObject* y) {
    if (is_commutative(which) && !is_array(x) && is_number(x)) std::swap(x, y);
    if (is_array(x)) {
        try {
            if (PyObject* const result = try_plain(which, x, y, in_place))
                return with_answers<which, in_place>(result, x, y);
        } catch (...) {
            translate_exception();
            return nullptr;
        }
    }
    return with_answers<which, in_place>(call(which, x, y, in_place ? x : nullptr), x, y);
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
    try {
        form_of(as_array(x));
        if (which != Positive)
            if (PyObject* const result = try_plain(which, x, nullptr, false)) return result;
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    return PyObject_CallOneArg(operator_functions[which], x);
}

PyObject* invert(PyObject* x) {
    PyObject* const result = unary<Invert>(x);
    if (result && is_array(result) && as_array(x)->answers != Answers::No) as_array(result)->answers = Answers::Garbled;
    return result;
}

PyObject* compare_function;
struct {
    const char* name;
    Op op;
    PyObject* text;
} comparisons[] = {{"lt", Op::lt, nullptr}, {"le", Op::le, nullptr}, {"eq", Op::eq, nullptr}, {"ne", Op::ne, nullptr},
                   {"gt", Op::gt, nullptr}, {"ge", Op::ge, nullptr}};  // as Py_LT, ... are numbered

PyObject* compare(PyObject* x, PyObject* y, int which) {
    PyObject* result;
    try {
        result = try_plain_operation(comparisons[which].op, ResultType::First, as_array(x), y, nullptr);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    if (!result) {
        PyObject* const arguments[] = {comparisons[which].text, x, y};
        result = PyObject_Vectorcall(compare_function, arguments, 3, nullptr);
    }
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
    PyType_Slot{Py_nb_positive, slot(unary<Positive>)},
    PyType_Slot{Py_nb_absolute, slot(unary<Absolute>)},
    PyType_Slot{Py_nb_invert, slot(invert)},
    PyType_Slot{Py_tp_richcompare, slot(compare)},
    PyType_Slot{Py_tp_hash, slot(refuse_hash)},
};

}  // namespace

std::span<const PyType_Slot> operator_slots() noexcept {
    return slots;
}

int load_operators() {
    const Ref module(PyImport_ImportModule("pycuda._arrays.operators"));
    if (!module) return -1;
    for (int i = 0; i < OperatorCount; ++i) {
        Py_XSETREF(operator_functions[i], PyObject_GetAttrString(module.get(), function_names[i]));
        if (!operator_functions[i]) return -1;
    }
    for (auto& comparison : comparisons)
        if (!comparison.text && !(comparison.text = PyUnicode_InternFromString(comparison.name))) return -1;
    Py_XSETREF(compare_function, PyObject_GetAttrString(module.get(), "compare"));
    if (!compare_function) return -1;
    return 0;
}

}  // namespace pycuda::python::gpuarray
