#include "enums.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "pycuda/constants/constants.hpp"

namespace pycuda::python {
namespace {

PyObject* enum_classes;

/// Rejects negative numbers: drivers use them as indices, and read memory before a table.
bool is_negative_without_name(const char* name, long number) noexcept {
    if (number >= 0) return false;
    for (const EnumTable& table : enum_tables())
        if (std::strcmp(table.python_name, name) == 0)
            return std::none_of(table.values.begin(), table.values.end(),
                                [&](const EnumValue& value) { return value.value == number; });
    return true;
}

Ref list_of_values(const EnumTable& table) {
    Ref list(PyList_New(0));
    for (const EnumValue& value : table.values) {
        const Ref row(Py_BuildValue("(siO)", value.name, value.value, value.alias ? Py_True : Py_False));
        if (!list || !row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
    }
    return list;
}

}  // namespace

PyObject* enum_tables_as_list(PyObject*, PyObject*) {
    Ref list(PyList_New(0));
    for (const EnumTable& table : enum_tables()) {
        const Ref values = list_of_values(table);
        const Ref row(values ? Py_BuildValue("(sOO)", table.python_name, table.flags ? Py_True : Py_False, values.get())
                             : nullptr);
        if (!list || !row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
    }
    return list.release();
}

PyObject* module_constants_as_dict(PyObject*, PyObject*) {
    Ref dict(PyDict_New());
    for (const EnumValue& constant : module_constants()) {
        const Ref value(PyLong_FromLong(constant.value));
        if (!dict || !value || PyDict_SetItemString(dict.get(), constant.name, value.get()) < 0) return nullptr;
    }
    return dict.release();
}

PyObject* register_enum_classes(PyObject*, PyObject* classes) {
    Py_INCREF(classes);
    enum_classes = classes;
    Py_RETURN_NONE;
}

PyObject* enum_to_python(const char* name, int value) {
    const Ref cls(enum_classes ? dict_item(enum_classes, name) : nullptr);
    const Ref number(PyLong_FromLong(value));
    if (!number) return nullptr;
    if (cls) {
        if (PyObject* const member = PyObject_CallOneArg(cls.get(), number.get())) return member;
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
        PyErr_Clear();
    }
    return PyLong_FromLong(value);
}

bool enum_from_python(PyObject* object, const char* name, int& value) {
    const Ref index(PyNumber_Index(object));
    if (!index) {
        if (!PyIndex_Check(object))
            PyErr_Format(PyExc_TypeError, "expected %s or an int, not %s", name, Py_TYPE(object)->tp_name);
        return false;
    }
    const long number = PyLong_AsLong(index.get());
    if (number == -1 && PyErr_Occurred()) return false;
    if (number > std::numeric_limits<int>::max() || is_negative_without_name(name, number)) {
        PyErr_Format(PyExc_OverflowError, "%ld is not a valid %s", number, name);
        return false;
    }
    value = static_cast<int>(number);
    return true;
}

}  // namespace pycuda::python
