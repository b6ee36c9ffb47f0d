#include "gpuarray/fast_functions.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/fast_operation.hpp"
#include "gpuarray/traced.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Op;
using pycuda::gpuarray::Reduction;
using pycuda::gpuarray::ResultType;

template <auto find>
PyObject* code_of(PyObject* name) {
    return guarded([&]() -> PyObject* {
        const char* const text = PyUnicode_AsUTF8(name);
        return text ? PyLong_FromLong(static_cast<long>(find(text))) : nullptr;
    });
}

/// An array of numbers with memory and a consistent form.
Array* fast_array(PyObject* object) {
    if (!is_array(object)) return nullptr;
    Array* const array = as_array(object);
    const ArrayForm* const form = array->form;
    return form && form->fits && form->type != DType::Opaque && form->layout.size() != 0 && !is_traced(array) ? array
                                                                                                              : nullptr;
}

// ---- functions of one array

constexpr auto op_count = static_cast<std::size_t>(pycuda::gpuarray::op_count);
std::array<PyObject*, op_count> slow_functions;

template <std::size_t op>
PyObject* call_function(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    const auto slowly = [=] {
        return PyObject_Vectorcall(slow_functions[op], arguments, static_cast<std::size_t>(count), keywords);
    };
    if (count != 1 || keywords || !is_array(arguments[0])) return slowly();
    Array* const x = as_array(arguments[0]);
    return fast_operation_else(static_cast<Op>(op), ResultType::First, x, nullptr, nullptr, slowly);
}

using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
constexpr auto functions = []<std::size_t... op>(std::index_sequence<op...>) {
    return std::array<Function, op_count>{call_function<op>...};
}(std::make_index_sequence<op_count>());

}  // namespace

PyObject* fast_function(PyObject*, PyObject* args) {
    const char *name, *doc;
    PyObject *slow, *module;
    if (!PyArg_ParseTuple(args, "ssOO!:fast_function", &name, &doc, &slow, &PyModule_Type, &module)) return nullptr;
    return guarded([&]() -> PyObject* {
        const auto op = static_cast<std::size_t>(pycuda::gpuarray::op_of_name(name));
        const Ref module_name(PyModule_GetNameObject(module));
        if (!module_name) return nullptr;
        Py_INCREF(slow);
        Py_XSETREF(slow_functions[op], slow);
        // Kept for the life of the process, because the function points to it.
        auto* const definition =
            new PyMethodDef{strdup(name), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(functions[op])),
                            METH_FASTCALL | METH_KEYWORDS, strdup(doc)};
        return PyCFunction_NewEx(definition, module, module_name.get());
    });
}

PyObject* operation_code(PyObject*, PyObject* name) {
    return code_of<pycuda::gpuarray::op_of_name>(name);
}

PyObject* operation_table(PyObject*, PyObject*) {
    Ref list(PyList_New(0));
    for (int k = 0; list && k < pycuda::gpuarray::op_count; ++k) {
        const auto& row = pycuda::gpuarray::info(static_cast<Op>(k));
        const Ref item(Py_BuildValue("(sissss)", row.name, row.arity, row.names.python, row.names.ufunc, row.names.java,
                                     row.names.sentence));
        if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
    }
    return list.release();
}

PyObject* reduction_code(PyObject*, PyObject* name) {
    return code_of<pycuda::gpuarray::reduction_of_name>(name);
}

PyObject* reduce_all(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "reduce_all(code, x)");
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        Array* const x = fast_array(arguments[1]);
        if (!x || x->allocator) Py_RETURN_NONE;
        const auto op = static_cast<Reduction>(PyLong_AsLong(arguments[0]));
        if (PyErr_Occurred()) return nullptr;
        Ref result(as_object(new_scalar(x->form->type)));
        const pycuda::gpuarray::Current& now = pycuda::gpuarray::current();
        const auto kernels = now.kernels;
        const CUstream stream = now.stream;
        const Use input(x, stream, &now), out(as_array(result.get()), stream, nullptr);
        pycuda::gpuarray::reduce(*kernels, op, out.ref(), {&input.ref(), 1}, pycuda::gpuarray::all_axes, stream);
        return result.release();
    });
}

}  // namespace pycuda::python::gpuarray
