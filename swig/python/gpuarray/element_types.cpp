#include "gpuarray/element_types.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>

#include "exceptions.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::dtype_count;

PyObject* numpy_dtype;                       // the class
std::atomic<PyObject*> dtypes[dtype_count];  // bfloat16: null until the program uses it
struct {
    PyTypeObject* type;
    DType dtype;
} scalar_types[dtype_count + 2];  // two of C's integers are types of their own
int scalar_type_count;

/// Returns the first such object, for which it stores this one if there is none.
PyObject* remember_bfloat16(PyObject* dtype) {
    PyObject* known = nullptr;
    if (!dtypes[static_cast<int>(DType::BFloat16)].compare_exchange_strong(known, dtype)) return known;
    Py_INCREF(dtype);
    return dtype;
}

DType find_code(PyObject* dtype) {
    const Ref character(PyObject_GetAttrString(dtype, "char")), native(PyObject_GetAttrString(dtype, "isnative"));
    const Ref kind(PyObject_GetAttrString(dtype, "kind")), name(PyObject_GetAttrString(dtype, "name"));
    const Ref has_objects(PyObject_GetAttrString(dtype, "hasobject"));
    if (!character || !native || !kind || !name || !has_objects) throw PythonError{};
    if (has_objects.get() == Py_True) {
        PyErr_Format(PyExc_TypeError, "arrays of dtype %S hold Python objects and cannot be copied to the device",
                     dtype);
        throw PythonError{};
    }
    const char* const text = PyUnicode_AsUTF8(character.get());
    const char* const kind_text = PyUnicode_AsUTF8(kind.get());
    const char* const name_text = PyUnicode_AsUTF8(name.get());
    if (!text || !kind_text || !name_text) throw PythonError{};
    const bool is_bfloat16 = std::string_view(name_text) == "bfloat16";
    if (native.get() != Py_True) return DType::Opaque;
    if (!is_bfloat16 && std::string_view("biufc").find(kind_text[0]) == std::string_view::npos) return DType::Opaque;
    try {
        const DType type = is_bfloat16 ? DType::BFloat16 : pycuda::gpuarray::dtype_of_code(text[0]);
        if (is_bfloat16) remember_bfloat16(dtype);
        return type;
    } catch (const std::invalid_argument&) {
        return DType::Opaque;  // long double and others
    }
}

}  // namespace

DType dtype_code(PyObject* dtype) {
    for (int i = 0; i < dtype_count; ++i)
        if (dtypes[i].load(std::memory_order_relaxed) == dtype) return static_cast<DType>(i);
    return find_code(dtype);
}

PyObject* dtype_object(DType type) {
    PyObject* const dtype = type == DType::Opaque ? nullptr : dtypes[static_cast<int>(type)].load();
    if (dtype) return dtype;
    if (type == DType::BFloat16) {
        const Ref module(PyImport_ImportModule("ml_dtypes"));
        const Ref scalar(module ? PyObject_GetAttrString(module.get(), "bfloat16") : nullptr);
        if (!scalar) throw PythonError{};
        return remember_bfloat16(Ref(to_dtype(scalar.get())).get());
    }
    PyErr_SetString(PyExc_TypeError, "a structured dtype has no element type code");
    throw PythonError{};
}

PyObject* to_dtype(PyObject* what) {
    if (is_numpy_dtype(what)) {
        Py_INCREF(what);
        return what;
    }
    PyObject* const dtype = PyObject_CallOneArg(numpy_dtype, what);
    if (!dtype) throw PythonError{};
    return dtype;
}

std::optional<Scalar> read_scalar(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    if (type == &PyFloat_Type) return Scalar::weak(PyFloat_AS_DOUBLE(object));
    if (type == &PyLong_Type || type == &PyBool_Type) {
        if (type == &PyBool_Type) return Scalar::weak(object == Py_True);
        int overflow;
        const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
        if (!overflow) return Scalar::weak(static_cast<std::int64_t>(value));
        if (overflow > 0) {
            const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
            if (!PyErr_Occurred()) return Scalar::weak_unsigned(wide);
            PyErr_Clear();
        }
        return std::nullopt;
    }
    if (type == &PyComplex_Type) return Scalar::weak({PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)});
    for (int i = 0; i < scalar_type_count; ++i)
        if (scalar_types[i].type == type)
            return Scalar::typed(scalar_types[i].dtype, find_scalar_type(type)->value(object));
    if (PyFloat_Check(object)) return Scalar::weak(PyFloat_AsDouble(object));
    if (PyLong_Check(object)) {
        const Ref plain(PyNumber_Long(object));
        if (!plain) throw PythonError{};
        if (Py_TYPE(plain.get()) == &PyLong_Type) return read_scalar(plain.get());
    }
    return std::nullopt;
}

int load_element_types() {
    const Ref numpy(PyImport_ImportModule("numpy"));
    if (!numpy || !(numpy_dtype = PyObject_GetAttrString(numpy.get(), "dtype"))) return -1;
    try {
        for (int i = 0; i < dtype_count; ++i) {
            const DType type = static_cast<DType>(i);
            if (type == DType::BFloat16) continue;
            const char character[] = {pycuda::gpuarray::info(type).code, 0};
            const Ref text(PyUnicode_FromString(character));
            if (!text) return -1;
            dtypes[i] = to_dtype(text.get());
            PyObject* const scalar = PyObject_GetAttrString(dtypes[i], "type");
            if (!scalar) return -1;
            scalar_types[scalar_type_count++] = {reinterpret_cast<PyTypeObject*>(scalar), type};
        }
    } catch (...) {
        translate_exception();
        return -1;
    }
    // long and long long on Linux, int and long on Windows.
    for (const auto& [name, type] : {std::pair{"longlong", DType::Int64},
                                     {"ulonglong", DType::UInt64},
                                     {"int32", DType::Int32},
                                     {"uint32", DType::UInt32}}) {
        Ref scalar(PyObject_GetAttrString(numpy.get(), name));
        if (!scalar) return -1;
        auto* const found = reinterpret_cast<PyTypeObject*>(scalar.get());
        const auto end = std::begin(scalar_types) + scalar_type_count;
        if (std::any_of(std::begin(scalar_types), end, [&](const auto& known) { return known.type == found; }))
            continue;
        scalar.release();
        scalar_types[scalar_type_count++] = {found, type};
    }
    return 0;
}

}  // namespace pycuda::python::gpuarray
