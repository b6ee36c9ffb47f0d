#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/fast_functions.hpp"
#include "gpuarray/operate.hpp"
#include "gpuarray/protocols.hpp"
#include "gpuarray/rearranging.hpp"
#include "gpuarray/subscripts.hpp"
#include "gpuarray/type_parts.hpp"
#include "gpuarray/views.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/own/geometry.hpp"
#include "pycuda/gpuarray/reduction.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::ArrayRef;

PyObject* is_array_function(PyObject*, PyObject* object) {
    return PyBool_FromLong(is_array(object));
}

/// require_one_kind(kind, values...), where `kind` is an array or a class of arrays
PyObject* require_one_kind(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count < 1) return PyErr_Format(PyExc_TypeError, "require_one_kind: expected a kind of arrays");
    auto* const kind =
        PyType_Check(arguments[0]) ? reinterpret_cast<PyTypeObject*>(arguments[0]) : Py_TYPE(arguments[0]);
    return guarded([&]() -> PyObject* {
        for (Py_ssize_t i = 1; i < count; ++i)
            if (is_array(arguments[i])) require_same_rules(kind, Py_TYPE(arguments[i]));
        Py_RETURN_NONE;
    });
}

/// new_array(...): GPUArray(...)
PyObject* new_array(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    return PyObject_Vectorcall(reinterpret_cast<PyObject*>(array_class), arguments, static_cast<std::size_t>(count),
                               keywords);
}

/// lowest(array, stream)
PyObject* lowest(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "array_lowest(array, stream)");
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        const Use use(array_from(arguments[0]), stream_of_operation(arguments[1]), nullptr);
        const ArrayRef& array = use.ref();
        return PyLong_FromUnsignedLongLong(array.address + static_cast<DevicePtr>(array.layout->lowest()));
    });
}

PyObject* splay_function(PyObject*, PyObject* args) {
    long long n;
    unsigned multiprocessors = 0, warp_size = 32;
    if (!PyArg_ParseTuple(args, "L|II:splay", &n, &multiprocessors, &warp_size)) return nullptr;
    return guarded([&]() -> PyObject* {
        const pycuda::gpuarray::Geometry geometry =
            multiprocessors ? pycuda::gpuarray::splay(n, multiprocessors, warp_size) : pycuda::gpuarray::splay(n);
        return Py_BuildValue("((Ii)(Iii))", geometry.blocks, 1, geometry.threads, 1, 1);
    });
}

}  // namespace

PyMethodDef array_functions[] = {
    {"array_type", array_type, METH_O, "array_type(cls)\n--\n\nGPUArray, of a class of methods."},
    {"is_array", is_array_function, METH_O, "is_array(object)\n--\n\nWhether it is a GPUArray."},
    {"require_one_kind", method(require_one_kind), METH_FASTCALL,
     "require_one_kind(kind, *values)\n--\n\nTypeError for arrays that follow other rules than those of a kind."},
    {"new_array", method(new_array), METH_FASTCALL | METH_KEYWORDS, "A new GPUArray."},
    {"array_operate", method(array_operate), METH_FASTCALL,
     "array_operate(code, operands, type, out, stream, casting)\n--\n\nAn elementwise operation, in a new array or "
     "in `out`."},
    {"array_write", method(array_write), METH_FASTCALL,
     "array_write(code, out, operands, stream)\n--\n\nout[...] = operation(operands), which are broadcast to it."},
    {"array_lowest", method(lowest), METH_FASTCALL,
     "array_lowest(array, stream)\n--\n\nThe address of the first byte of all elements, for work on the stream."},
    {"array_index", method(array_index), METH_FASTCALL, "array_index(array, index)\n--\n\nThe view at a basic index."},
    {"array_reshape", method(array_reshape), METH_FASTCALL,
     "array_reshape(array, shape, order)\n--\n\nThe same elements with another shape."},
    {"array_transpose", method(array_transpose), METH_FASTCALL,
     "array_transpose(array, axes)\n--\n\nThe axes in another order."},
    {"array_squeeze", method(array_squeeze), METH_FASTCALL,
     "array_squeeze(array, axes)\n--\n\nWithout axes of length 1."},
    {"array_broadcast_to", method(array_broadcast_to), METH_FASTCALL,
     "array_broadcast_to(array, shape)\n--\n\nSeen in a shape that it broadcasts to."},
    {"array_view", method(array_view), METH_FASTCALL, "array_view(array, dtype)\n--\n\nThe bytes as another dtype."},
    {"array_field", method(array_field), METH_FASTCALL,
     "array_field(array, dtype, offset)\n--\n\nA part of each element."},
    {"array_strided", method(array_strided), METH_FASTCALL,
     "array_strided(array, shape, strides, dtype)\n--\n\nAny view from the first element on."},
    {"packed_strides", packed_strides, METH_VARARGS, "The strides without gaps of axes in this order."},
    {"array_call", method(array_call), METH_FASTCALL,
     "array_call(name, arrays, numbers, stream, allocator)\n--\n\nA function of the core's, on arrays."},
    {"operation_table", operation_table, METH_NOARGS, "The rows of operations.def."},
    {"operation_code", operation_code, METH_O, "What array_operate takes for an operation's name."},
    {"reduction_code", reduction_code, METH_O, "What reduce_all takes for a reduction's name."},
    {"fast_function", fast_function, METH_VARARGS,
     "fast_function(name, doc, slow, module)\n--\n\nA function of one array."},
    {"reduce_all", method(reduce_all), METH_FASTCALL,
     "reduce_all(code, x)\n--\n\nThe reduction of a plain array, else None."},
    {"remember_operator", method(remember_operator), METH_FASTCALL,
     "remember_operator(ufunc, left, right)\n--\n\nThe operator's methods that answer a universal function."},
    {"remember_operation", method(remember_operation), METH_FASTCALL,
     "remember_operation(ufunc, operands, code, type)\n--\n\nThe operation that answers it for these dtypes."},
    {"answer_functions", answer_functions, METH_O, "answer_functions(functions)\n--\n\nNumPy's, and ours for each."},
    {"splay", splay_function, METH_VARARGS, "splay(n)\n--\n\n(grid, block) for n elements."},
    {}};

}  // namespace pycuda::python::gpuarray
