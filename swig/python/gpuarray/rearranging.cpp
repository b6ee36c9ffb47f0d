#include "gpuarray/rearranging.hpp"

#include <bit>
#include <optional>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/core_arrays.hpp"
#include "handle_types.hpp"
#include "pycuda/gpuarray/calls.hpp"
#include "pycuda/gpuarray/reduction.hpp"
#include "pycuda/gpuarray/scan.hpp"
#include "pycuda/gpuarray/spread.hpp"

namespace pycuda::python::gpuarray {
namespace {

namespace core = pycuda::gpuarray;

const core::ArrayCall& find_call(PyObject* name, PyObject* arrays, PyObject* numbers) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) throw PythonError{};
    const bool are_tuples = PyTuple_Check(arrays) && PyTuple_GET_SIZE(arrays) > 0 && PyTuple_Check(numbers);
    const core::ArrayCall* const call =
        are_tuples ? core::find_array_call(text, static_cast<std::size_t>(PyTuple_GET_SIZE(arrays)),
                                           static_cast<std::size_t>(PyTuple_GET_SIZE(numbers)))
                   : nullptr;
    if (call) return *call;
    PyErr_Format(PyExc_TypeError, "there is no call '%s' of these arguments", text);
    throw PythonError{};
}

Array* array_from(PyObject* object) {
    if (is_array(object)) return as_array(object);
    PyErr_Format(PyExc_TypeError, "expected a GPUArray, given %s", Py_TYPE(object)->tp_name);
    throw PythonError{};
}

std::vector<core::Array> arrays_from(PyObject* tuple, PyObject* allocator) {
    std::vector<core::Array> arrays;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
        arrays.push_back(core_array(array_from(PyTuple_GET_ITEM(tuple, i)), i == 0 ? allocator : nullptr));
    return arrays;
}

std::vector<long long> numbers_from(PyObject* tuple) {
    std::vector<long long> numbers;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        PyObject* const item = PyTuple_GET_ITEM(tuple, i);
        numbers.push_back(PyFloat_Check(item) ? std::bit_cast<long long>(PyFloat_AS_DOUBLE(item))
                                              : PyLong_AsLongLong(item));
        if (PyErr_Occurred()) throw PythonError{};
    }
    return numbers;
}

/// What an operation of this array made: of its dtype, where that has no number of the core's.
PyObject* given(core::Array made, PyObject* first) {
    const Form& form = form_of(as_array(first));
    const bool is_same = made.dtype() == DType::Opaque || made.dtype() == form.type;
    const Ref dtype = borrow(is_same ? form.dtype : dtype_object(made.dtype()));
    return adopt(std::move(made), dtype.get());
}

/// Structures are joined only with structures of the same type.
void check_structures(PyObject* tuple) {
    const FormRef first(share(&form_of(as_array(PyTuple_GET_ITEM(tuple, 0)))));
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(tuple); ++i) {
        const FormRef form(share(&form_of(as_array(PyTuple_GET_ITEM(tuple, i)))));
        if (form->type != DType::Opaque && first->type != DType::Opaque) continue;
        const int same = PyObject_RichCompareBool(first->dtype, form->dtype, Py_EQ);
        if (!same) PyErr_Format(PyExc_TypeError, "arrays of %S and %S cannot be joined", first->dtype, form->dtype);
        if (same != 1) throw PythonError{};
    }
}

}  // namespace

PyObject* array_call(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "array_call(name, arrays, numbers, stream)");
        return nullptr;
    }
    try {
        const core::ArrayCall& call = find_call(arguments[0], arguments[1], arguments[2]);
        const CUstream stream = stream_of_operation(arguments[3]);
        const auto arrays = arrays_from(arguments[1], nullptr);
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
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* array_reduced(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 7 || !PyTuple_Check(arguments[1]) || PyTuple_GET_SIZE(arguments[1]) < 1) {
        PyErr_SetString(PyExc_TypeError, "array_reduced(name, arrays, axes, keepdims, dtype, allocator, stream)");
        return nullptr;
    }
    try {
        const char* const name = PyUnicode_AsUTF8(arguments[0]);
        const unsigned long axes = PyLong_AsUnsignedLong(arguments[2]);
        if (!name || PyErr_Occurred()) return nullptr;
        const Ref dtype(arguments[4] == Py_None ? nullptr : to_dtype(arguments[4]));
        const auto type = dtype ? std::optional(dtype_code(dtype.get())) : std::nullopt;
        const CUstream stream = stream_of_operation(arguments[6]);
        const auto arrays = arrays_from(arguments[1], arguments[5] == Py_None ? nullptr : arguments[5]);
        std::vector<const core::Array*> inputs;
        for (const core::Array& array : arrays) inputs.push_back(&array);
        auto made = core::reduced(core::reduction_of_name(name), inputs, static_cast<std::uint32_t>(axes),
                                  arguments[3] == Py_True, type, stream);
        return given(std::move(*made), PyTuple_GET_ITEM(arguments[1], 0));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* array_spread(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "array_spread(arrays, is_root, axes, keepdims, correction, dtype)");
        return nullptr;
    }
    try {
        const unsigned long axes = PyLong_AsUnsignedLong(arguments[2]);
        const double correction = PyFloat_AsDouble(arguments[4]);
        if (PyErr_Occurred()) return nullptr;
        const Ref dtype(arguments[5] == Py_None ? nullptr : to_dtype(arguments[5]));
        const auto type = dtype ? std::optional(dtype_code(dtype.get())) : std::nullopt;
        const CUstream stream = stream_of_operation(Py_None);
        const auto arrays = arrays_from(arguments[0], nullptr);
        auto made = spread(arguments[1] == Py_True ? core::Spread::StandardDeviation : core::Spread::Variance,
                           arrays[0], arrays.size() > 1 ? &arrays[1] : nullptr, static_cast<std::uint32_t>(axes),
                           arguments[3] == Py_True, correction, type, stream);
        return given(std::move(made), PyTuple_GET_ITEM(arguments[0], 0));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* array_concatenated(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3 || !PyTuple_Check(arguments[0]) || PyTuple_GET_SIZE(arguments[0]) < 1) {
        PyErr_SetString(PyExc_TypeError, "array_concatenated(arrays, axis, allocator)");
        return nullptr;
    }
    try {
        const long axis = PyLong_AsLong(arguments[1]);
        if (PyErr_Occurred()) return nullptr;
        const auto arrays = arrays_from(arguments[0], arguments[2] == Py_None ? nullptr : arguments[2]);
        check_structures(arguments[0]);
        std::vector<const core::Array*> inputs;
        for (const core::Array& array : arrays) inputs.push_back(&array);
        return given(core::concatenated(inputs, static_cast<int>(axis), nullptr), PyTuple_GET_ITEM(arguments[0], 0));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* scan_source(PyObject*, PyObject* args) {
    const char *type, *expression, *neutral, *preamble, *parameters, *input, *output, *segment_start, *name;
    Py_ssize_t itemsize;
    int find_last;
    if (!PyArg_ParseTuple(args, "snssssssssp:scan_source", &type, &itemsize, &expression, &neutral, &preamble,
                          &parameters, &input, &output, &segment_start, &name, &find_last))
        return nullptr;
    try {
        const core::ScanText text{
            name,   type,         static_cast<std::size_t>(itemsize), expression, neutral, preamble, parameters, input,
            output, segment_start};
        const core::ScanKernelSource source(find_last ? text.finding_last() : text);
        const std::size_t once = source.scratch_bytes(0);
        return Py_BuildValue("(ssIInn)", source.text().c_str(), source.name().c_str(), source.threads(), source.tile(),
                             static_cast<Py_ssize_t>(once), static_cast<Py_ssize_t>(source.scratch_bytes(1) - once));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

}  // namespace pycuda::python::gpuarray
