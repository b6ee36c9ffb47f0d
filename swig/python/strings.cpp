#include "strings.hpp"

#include "exceptions.hpp"
#include "lifetime.hpp"

namespace pycuda::python {

std::string string_from_python(PyObject* text) {
    PyObject* encoded = nullptr;
    // Everything that open() accepts: str, bytes, os.PathLike.
    if (!PyUnicode_FSConverter(text, &encoded)) {
        // A source or name may contain characters that a file name may not.
        if (!PyUnicode_Check(text)) throw PythonError{};
        PyErr_Clear();
        if (!(encoded = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"))) throw PythonError{};
    }
    const Ref bytes(encoded);
    return {PyBytes_AS_STRING(encoded), static_cast<std::size_t>(PyBytes_GET_SIZE(encoded))};
}

std::vector<std::string> strings_from_python(PyObject* sequence) {
    if (PyUnicode_Check(sequence) || PyBytes_Check(sequence)) {
        PyErr_Format(PyExc_TypeError, "expected a list of str, not %s", Py_TYPE(sequence)->tp_name);
        throw PythonError{};
    }
    const Ref items(PySequence_Tuple(sequence));
    if (!items) throw PythonError{};
    std::vector<std::string> strings;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
        strings.push_back(string_from_python(PyTuple_GET_ITEM(items.get(), i)));
    return strings;
}

PyObject* string_to_python(const std::string& text) {
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
}

PyObject* strings_to_python(const std::vector<std::string>& strings) {
    Ref list(PyList_New(0));
    for (const std::string& text : strings) {
        const Ref item(string_to_python(text));
        if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
    }
    return list.release();
}

}  // namespace pycuda::python
