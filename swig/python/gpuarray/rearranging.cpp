#include "gpuarray/rearranging.hpp"

#include <bit>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/core_arrays.hpp"
#include "handle_types.hpp"
#include "pycuda/gpuarray/composed/calls.hpp"

namespace pycuda::python::gpuarray {
namespace {

namespace core = pycuda::gpuarray;

const core::ArrayCall& find_call(PyObject* name, PyObject* arrays, PyObject* numbers) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) throw PythonError{};
    const bool are_tuples = PyTuple_Check(arrays) && PyTuple_GET_SIZE(arrays) > 0 && PyTuple_Check(numbers);
    const core::ArrayCall* const call = are_tuples ? core::find_array_call(text) : nullptr;
    if (call && call->takes(static_cast<std::size_t>(PyTuple_GET_SIZE(arrays)),
                            static_cast<std::size_t>(PyTuple_GET_SIZE(numbers))))
        return *call;
    PyErr_Format(PyExc_TypeError, "there is no call '%s' of these arguments", text);
    throw PythonError{};
}

std::vector<core::Array> arrays_from(PyObject* tuple, PyObject* allocator) {
    std::vector<core::Array> arrays;
    arrays.reserve(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
        arrays.push_back(core_array(array_from(PyTuple_GET_ITEM(tuple, i)), i == 0 ? allocator : nullptr));
    return arrays;
}

/// A number for the core: a floating-point number as its bits, a dtype as its code, None (no dtype) as -1.
long long number_from(PyObject* item) {
    if (PyFloat_Check(item)) return std::bit_cast<long long>(PyFloat_AS_DOUBLE(item));
    if (item == Py_None) return -1;
    if (!PyIndex_Check(item)) {
        const Ref dtype(to_dtype(item));
        return static_cast<long long>(dtype_code(dtype.get()));
    }
    const long long number = PyLong_AsLongLong(item);
    if (PyErr_Occurred()) throw PythonError{};
    return number;
}

std::vector<long long> numbers_from(PyObject* tuple) {
    std::vector<long long> numbers;
    numbers.reserve(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) numbers.push_back(number_from(PyTuple_GET_ITEM(tuple, i)));
    return numbers;
}

/// The result of an operation on this array; it has the array's dtype if the core has no such type.
PyObject* given(core::Array made, PyObject* first) {
    const ArrayForm& form = form_of(as_array(first));
    const bool is_same = made.dtype() == DType::Opaque || made.dtype() == form.type;
    const Ref dtype = borrow(is_same ? form.dtype : dtype_object(made.dtype()));
    return adopt(std::move(made), dtype.get());
}

}  // namespace

PyObject* array_call(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "array_call(name, arrays, numbers, stream, allocator)");
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        const core::ArrayCall& call = find_call(arguments[0], arguments[1], arguments[2]);
        const CUstream stream = stream_of_operation(arguments[3]);
        const HeldEnds freed;  // by code of the program that the arrays' addresses come from
        const auto arrays = arrays_from(arguments[1], arguments[4] == Py_None ? nullptr : arguments[4]);
        auto made = call.run(arrays, numbers_from(arguments[2]), stream);
        PyObject* const first = PyTuple_GET_ITEM(arguments[1], 0);
        if (made.empty()) return borrow(Py_None).release();
        if (made.size() == 1) return given(std::move(made[0]), first);
        Ref all(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
        if (!all) return nullptr;
        for (std::size_t k = 0; k < made.size(); ++k) {
            PyObject* const item = given(std::move(made[k]), first);
            if (!item) return nullptr;
            PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(k), item);
        }
        return all.release();
    });
}

}  // namespace pycuda::python::gpuarray
