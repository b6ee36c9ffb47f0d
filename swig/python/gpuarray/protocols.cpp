#include "gpuarray/protocols.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/fast_operation.hpp"
#include "gpuarray/operate.hpp"
#include "gpuarray/type_parts.hpp"
#include "lifetime.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Op;
using pycuda::gpuarray::ResultType;

/// A call of a universal function: how it is answered depends on no more.
struct Call {
    PyObject* ufunc;
    /// Of the operands; Opaque where an operator answers for all types.
    DType first = DType::Opaque, second = DType::Opaque;
    auto operator<=>(const Call&) const = default;
};

struct OperatorMethods {
    PyObject *left, *right;
};
struct Operation {
    Op op;
    ResultType type;
};

/// What is known is never forgotten: there are as many calls as NumPy's functions have combinations of dtypes. So the
/// functions and names are never released.
struct Known {
    std::mutex mutex;  ///< for interpreters without a GIL
    std::map<Call, OperatorMethods> operators;
    std::map<Call, Operation> operations;
};

Known& known() {
    static auto* const instance = new Known;
    return *instance;
}

template <class Answers, class Answer = typename Answers::mapped_type>
std::optional<Answer> find(const Answers& answers, const Call& call) {
    const std::lock_guard lock(known().mutex);
    const auto found = answers.find(call);
    return found == answers.end() ? std::nullopt : std::optional<Answer>(found->second);
}

PyObject *slow_ufunc, *slow_function, *our_functions;

/// The dtype of an array of numbers; Opaque for other objects.
DType type_of(PyObject* object) {
    const ArrayForm* const form = is_array(object) ? static_cast<ArrayForm*>(as_array(object)->form) : nullptr;
    return form ? form->type : DType::Opaque;
}

/// The operation that answers ufunc(*operands); none if it is not known, or an operand is not an array of numbers.
std::optional<Operation> operation_of(PyObject* ufunc, std::span<PyObject* const> operands) {
    const Call call{ufunc, type_of(operands[0]), operands.size() == 2 ? type_of(operands[1]) : DType::Opaque};
    if (call.first == DType::Opaque || (operands.size() == 2 && call.second == DType::Opaque)) return std::nullopt;
    return find(known().operations, call);
}

/// Null without an exception if the slow path must answer.
PyObject* try_call(PyObject* ufunc, std::span<PyObject* const> operands) {
    PyObject* const x = operands[0];
    if (operands.size() == 2)
        if (const auto answer = find(known().operators, Call{ufunc})) {
            PyObject* const ordered[] = {is_array(x) ? x : operands[1], is_array(x) ? operands[1] : x};
            Ref result(PyObject_VectorcallMethod(is_array(x) ? answer->left : answer->right, ordered, 2, nullptr));
            return result.get() == Py_NotImplemented ? nullptr : result.release();
        }
    if (const auto answer = operation_of(ufunc, operands))
        return try_fast_operation(answer->op, answer->type, as_array(x), operands.size() == 2 ? operands[1] : nullptr,
                                  nullptr);
    return nullptr;
}

/// function(self, *arguments, **keywords) of the class with the methods.
PyObject* call_slow(PyObject* function, PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                    PyObject* keywords) {
    const auto given = static_cast<std::size_t>(count + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
    std::vector<PyObject*> all{self};
    all.insert(all.end(), arguments, arguments + given);
    return PyObject_Vectorcall(function, all.data(), static_cast<std::size_t>(count) + 1, keywords);
}

/// __array_ufunc__(ufunc, method, *operands, **keywords)
PyObject* array_ufunc(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        const bool is_plain = (count == 3 || count == 4) && (!keywords || PyTuple_GET_SIZE(keywords) == 0) &&
                              PyUnicode_Check(arguments[1]) &&
                              PyUnicode_CompareWithASCIIString(arguments[1], "__call__") == 0;
        if (is_plain)
            if (PyObject* const result = try_call(arguments[0], {arguments + 2, static_cast<std::size_t>(count) - 2}))
                return result;
        return PyErr_Occurred() ? nullptr : call_slow(slow_ufunc, self, arguments, count, keywords);
    });
}

/// Whether our function takes these arguments as they are: a list would be converted first, and arrays of another class
/// might follow other rules.
bool are_plain(PyObject* self, PyObject* arguments) {
    const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* const one = PyTuple_GET_ITEM(arguments, k);
        if (k == 0 && (PyList_Check(one) || PyTuple_Check(one))) return false;
        if (is_array(one) && Py_TYPE(one) != Py_TYPE(self)) return false;
    }
    return true;
}

/// __array_function__(function, types, args, kwargs)
PyObject* array_function(PyObject* self, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    if (count == 4 && !keywords && our_functions && PyTuple_Check(arguments[1]) &&
        PyTuple_GET_SIZE(arguments[1]) == 1 && PyTuple_Check(arguments[2]) && are_plain(self, arguments[2])) {
        if (PyObject* const ours = PyDict_GetItemWithError(our_functions, arguments[0]))
            return PyObject_Call(ours, arguments[2], arguments[3]);
        if (PyErr_Occurred()) return nullptr;
    }
    return guarded([&] { return call_slow(slow_function, self, arguments, count, keywords); });
}

}  // namespace

PyMethodDef protocol_methods[] = {
    {"__array_ufunc__", method(array_ufunc), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"__array_function__", method(array_function), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {}};

int load_protocols(PyObject* methods) {
    Py_XSETREF(slow_ufunc, PyObject_GetAttrString(methods, "__array_ufunc__"));
    Py_XSETREF(slow_function, PyObject_GetAttrString(methods, "__array_function__"));
    return slow_ufunc && slow_function ? 0 : -1;
}

PyObject* remember_operator(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3) return PyErr_Format(PyExc_TypeError, "remember_operator(ufunc, left, right)");
    return guarded([&]() -> PyObject* {
        const std::lock_guard lock(known().mutex);
        if (known().operators.try_emplace(Call{arguments[0]}, OperatorMethods{arguments[1], arguments[2]}).second)
            for (Py_ssize_t k = 0; k < count; ++k) Py_INCREF(arguments[k]);
        Py_RETURN_NONE;
    });
}

PyObject* remember_operation(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4 || !PyTuple_Check(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "remember_operation(ufunc, operands, code, type)");
    return guarded([&]() -> PyObject* {
        const Py_ssize_t arity = PyTuple_GET_SIZE(arguments[1]);
        if (arity != 1 && arity != 2) Py_RETURN_NONE;
        Call call{arguments[0], type_of(PyTuple_GET_ITEM(arguments[1], 0))};
        if (arity == 2) call.second = type_of(PyTuple_GET_ITEM(arguments[1], 1));
        if (call.first == DType::Opaque || (arity == 2 && call.second == DType::Opaque)) Py_RETURN_NONE;
        const Operation answer{operation_of_code(arguments[2]), result_type(arguments[3])};
        const std::lock_guard lock(known().mutex);
        if (known().operations.try_emplace(call, answer).second) Py_INCREF(arguments[0]);
        Py_RETURN_NONE;
    });
}

PyObject* answer_functions(PyObject*, PyObject* given) {
    if (!PyDict_Check(given)) return PyErr_Format(PyExc_TypeError, "answer_functions: expected a dict");
    Py_INCREF(given);
    Py_XSETREF(our_functions, given);
    Py_RETURN_NONE;
}

}  // namespace pycuda::python::gpuarray
