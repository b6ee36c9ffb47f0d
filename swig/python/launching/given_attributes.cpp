#include "launching/given_attributes.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "pointers.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::python {
namespace {

[[noreturn]] void raise_wrong_attribute(const LaunchAttributeInfo& info, const char* expected, PyObject* value) {
    PyErr_Format(PyExc_TypeError, "launch attribute '%s': expected %s, not %s", info.name, expected,
                 Py_TYPE(value)->tp_name);
    throw PythonError{};
}

LaunchFieldValue real_field(const LaunchAttributeInfo& info, PyObject* value) {
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) raise_wrong_attribute(info, "a number", value);
        throw PythonError{};
    }
    return {.type = LaunchFieldValue::Type::Real, .real = number};
}

LaunchFieldValue integer_field(const LaunchAttributeInfo& info, PyObject* value) {
    if (!PyIndex_Check(value)) raise_wrong_attribute(info, "an integer", value);
    const Ref index(PyNumber_Index(value));
    if (!index) throw PythonError{};
    const long long number = PyLong_AsLongLong(index.get());
    if (number == -1 && PyErr_Occurred()) throw PythonError{};
    return {.type = LaunchFieldValue::Type::Integer, .integer = number};
}

LaunchFieldValue flag_field(PyObject* value) {
    const int truth = PyObject_IsTrue(value);
    if (truth < 0) throw PythonError{};
    return {.type = LaunchFieldValue::Type::Integer, .integer = truth};
}

LaunchFieldValue event_field(const LaunchAttributeInfo& info, PyObject* value, Owners& owners) {
    if (!PyObject_TypeCheck(value, event_base)) raise_wrong_attribute(info, "an Event", value);
    const auto* const event = static_cast<const Event*>(checked_pointer(value));
    owners.push_back(borrow(value));
    return {.type = LaunchFieldValue::Type::Event, .event = event};
}

}  // namespace

const LaunchAttributeInfo& launch_attribute_of(PyObject* key) {
    if (PyUnicode_Check(key)) {
        const char* const name = PyUnicode_AsUTF8(key);
        if (!name) throw PythonError{};
        return launch_attribute(name);
    }
    const Ref index(PyIndex_Check(key) ? PyNumber_Index(key) : nullptr);
    if (!index) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "a launch attribute is named by a str or a launch_attribute, not %s",
                         Py_TYPE(key)->tp_name);
        throw PythonError{};
    }
    int overflow = 0;
    const long number = PyLong_AsLongAndOverflow(index.get(), &overflow);
    if (overflow != 0 || number < 0 || number > std::numeric_limits<int>::max()) {
        PyErr_Format(PyExc_ValueError, "a launch has no attribute %S", index.get());
        throw PythonError{};
    }
    return launch_attribute(static_cast<LaunchAttribute>(number));
}

PyObject* launch_fields_to_python(const LaunchAttributeInfo& info, const CUlaunchAttributeValue& value) {
    const auto fields = launch_fields(info, value);
    const auto number = [](const LaunchFieldValue& field) {
        return field.type == LaunchFieldValue::Type::Real ? PyFloat_FromDouble(field.real)
                                                          : PyLong_FromLongLong(field.integer);
    };
    if (fields.size() == 1) return number(fields.front());
    const Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(fields.size())));
    for (std::size_t i = 0; tuple && i < fields.size(); ++i) {
        PyObject* const item = number(fields[i]);
        if (!item) return nullptr;
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item);
    }
    return tuple ? Py_NewRef(tuple.get()) : nullptr;
}

void GivenAttributes::read(PyObject* mapping, CUstream stream) {
    if (!mapping || mapping == Py_None) return;
    if (!PyDict_Check(mapping) && !PyObject_HasAttrString(mapping, "items")) {
        PyErr_Format(PyExc_TypeError, "attributes must be a mapping from names of launch attributes to values, not %s",
                     Py_TYPE(mapping)->tp_name);
        throw PythonError{};
    }
    const Ref items(PyMapping_Items(mapping));  // a copy, because a value's code may change the mapping
    if (!items) throw PythonError{};
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        PyObject *key, *value;
        const Ref pair(PySequence_Tuple(PyList_GET_ITEM(items.get(), i)));
        if (!pair || !PyArg_ParseTuple(pair.get(), "OO", &key, &value)) throw PythonError{};
        add(key, value, &stream);
    }
}

void GivenAttributes::add(PyObject* key, PyObject* value, const CUstream* stream) {
    const LaunchAttributeInfo& info = launch_attribute_of(key);
    const bool several = PyTuple_Check(value) || PyList_Check(value);
    const Ref parts(several ? PySequence_Tuple(value) : PyTuple_Pack(1, value));
    if (!parts) throw PythonError{};
    std::vector<LaunchFieldValue> fields(static_cast<std::size_t>(PyTuple_GET_SIZE(parts.get())),
                                         {.type = LaunchFieldValue::Type::Integer});
    for (std::size_t i = 0; i < std::min(fields.size(), info.field_count); ++i) {
        PyObject* const part = PyTuple_GET_ITEM(parts.get(), static_cast<Py_ssize_t>(i));
        switch (info.fields[i].kind) {
            case LaunchFieldKind::Flag:
                fields[i] = flag_field(part);
                break;
            case LaunchFieldKind::Real:
                fields[i] = real_field(info, part);
                break;
            case LaunchFieldKind::Event:
                fields[i] = event_field(info, part, owners_);
                break;
            case LaunchFieldKind::Address:
                fields[i] = {.type = LaunchFieldValue::Type::Address, .address = device_pointer(part, owners_, stream)};
                break;
            default:
                fields[i] = integer_field(info, part);
        }
    }
    values.set(info, fields);
}

}  // namespace pycuda::python
