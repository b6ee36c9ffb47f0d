#include "numpy_scalars.hpp"

#include <algorithm>
#include <iterator>

#include "exceptions.hpp"
#include "lifetime.hpp"

namespace pycuda::python {
namespace {

struct KnownType {
    const char* name;
    ScalarKind kind;
};

// The most frequent ones first: the table is searched from the front.
constexpr KnownType known_types[] = {
    {"int32", ScalarKind::Signed},   {"float32", ScalarKind::Float},     {"int64", ScalarKind::Signed},
    {"float64", ScalarKind::Float},  {"uint32", ScalarKind::Unsigned},   {"uint64", ScalarKind::Unsigned},
    {"float16", ScalarKind::Float},  {"complex64", ScalarKind::Complex}, {"complex128", ScalarKind::Complex},
    {"int16", ScalarKind::Signed},   {"uint16", ScalarKind::Unsigned},   {"int8", ScalarKind::Signed},
    {"uint8", ScalarKind::Unsigned}, {"bool_", ScalarKind::Bool}};
// Two of these are types of their own: long long on Linux, where long has 64 bits, and int on Windows.
constexpr KnownType other_types[] = {{"longlong", ScalarKind::Signed},
                                     {"ulonglong", ScalarKind::Unsigned},
                                     {"intc", ScalarKind::Signed},
                                     {"uintc", ScalarKind::Unsigned}};

ScalarType table[std::size(known_types) + 2];
PyTypeObject *generic_type, *array_type, *dtype_type;
PyObject *name_dtype, *name_hasobject, *name_isnative;

PyTypeObject* get_type(PyObject* numpy, const char* name) {
    PyObject* const type = PyObject_GetAttrString(numpy, name);
    if (type && !PyType_Check(type)) {
        PyErr_Format(PyExc_TypeError, "numpy.%s is not a type", name);
        Py_DECREF(type);
        return nullptr;
    }
    return reinterpret_cast<PyTypeObject*>(type);
}

// A scalar's buffer is the value inside the object, so it shows the value's offset.
int read_layout(PyObject* numpy, ScalarType& row) {
    PyObject* const type = reinterpret_cast<PyObject*>(row.type);
    const Ref scalar(PyObject_CallFunction(type, "i", 1)), dtype(PyObject_CallMethod(numpy, "dtype", "O", type));
    const Ref alignment(dtype ? PyObject_GetAttrString(dtype.get(), "alignment") : nullptr);
    Py_buffer view;
    if (!scalar || !alignment || PyObject_GetBuffer(scalar.get(), &view, PyBUF_SIMPLE) < 0) return -1;
    row.size = static_cast<std::size_t>(view.len);
    row.offset = static_cast<std::size_t>(static_cast<char*>(view.buf) - reinterpret_cast<char*>(scalar.get()));
    row.alignment = PyLong_AsSize_t(alignment.get());
    PyBuffer_Release(&view);
    if (row.offset + row.size > static_cast<std::size_t>(row.type->tp_basicsize)) {
        PyErr_Format(PyExc_RuntimeError, "%s does not hold its value", row.type->tp_name);
        return -1;
    }
    return PyErr_Occurred() ? -1 : 0;
}

}  // namespace

const ScalarType* find_scalar_type(PyTypeObject* type) noexcept {
    for (const ScalarType& row : table)
        if (row.type == type) return &row;
    return nullptr;
}

bool is_numpy_scalar(PyObject* object) noexcept {
    return PyObject_TypeCheck(object, generic_type);
}
bool is_numpy_array(PyObject* object) noexcept {
    return PyObject_TypeCheck(object, array_type);
}
bool is_numpy_dtype(PyObject* object) noexcept {
    return PyObject_TypeCheck(object, dtype_type);
}

std::size_t attribute_as_size(PyObject* object, const char* name) {
    const Ref value(PyObject_GetAttrString(object, name));
    const std::size_t size = value ? PyLong_AsSize_t(value.get()) : 0;
    if (PyErr_Occurred()) throw PythonError{};
    return size;
}

int holds_objects(PyObject* array) {
    const Ref dtype(PyObject_GetAttr(array, name_dtype));
    const Ref answer(dtype ? PyObject_GetAttr(dtype.get(), name_hasobject) : nullptr);
    return answer ? PyObject_IsTrue(answer.get()) : -1;
}

int has_other_byte_order(PyObject* array_or_dtype) {
    const Ref dtype(is_numpy_dtype(array_or_dtype) ? borrow(array_or_dtype)
                                                   : Ref(PyObject_GetAttr(array_or_dtype, name_dtype)));
    const Ref native(dtype ? PyObject_GetAttr(dtype.get(), name_isnative) : nullptr);
    const int answer = native ? PyObject_IsTrue(native.get()) : -1;
    return answer < 0 ? -1 : !answer;
}

int load_numpy_scalars() {
    if (!(name_dtype = PyUnicode_InternFromString("dtype")) ||
        !(name_isnative = PyUnicode_InternFromString("isnative")) ||
        !(name_hasobject = PyUnicode_InternFromString("hasobject")))
        return -1;
    const Ref numpy(PyImport_ImportModule("numpy"));
    if (!numpy) return -1;
    if (!(generic_type = get_type(numpy.get(), "generic")) || !(array_type = get_type(numpy.get(), "ndarray")) ||
        !(dtype_type = get_type(numpy.get(), "dtype")))
        return -1;
    ScalarType* next = table;
    const auto add = [&](const KnownType& known) {
        const auto [name, kind] = known;
        PyTypeObject* const type = get_type(numpy.get(), name);
        if (!type) return false;
        if (find_scalar_type(type)) {
            Py_DECREF(type);
            return true;
        }
        next->kind = kind;
        next->type = type;
        return read_layout(numpy.get(), *next++) == 0;
    };
    if (!std::all_of(std::begin(known_types), std::end(known_types), add)) return -1;
    if (!std::all_of(std::begin(other_types), std::end(other_types), add)) return -1;
    return 0;
}

}  // namespace pycuda::python
