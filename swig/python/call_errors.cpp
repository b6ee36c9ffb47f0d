#include "call_errors.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pycuda/constants/constants.hpp"

namespace pycuda::python {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

std::string between(std::string_view text, std::string_view before, std::string_view after, std::size_t from = 0) {
    const std::size_t found = text.find(before, from);
    if (found == std::string_view::npos) return {};
    const std::size_t begin = found + before.size(), end = text.find(after, begin);
    return std::string(text.substr(begin, end == std::string_view::npos ? end : end - begin));
}

/// "jit_input_type" for "pycuda::JitInputType".
std::string with_names_of_enums(const std::string& types) {
    constexpr std::string_view scope = "pycuda::";
    std::string named;
    for (std::size_t at = 0; at < types.size();) {
        const std::size_t begin = std::min(types.find(scope, at), types.size());
        const std::size_t end = std::min(types.find_first_of(" ,>", begin), types.size());
        const std::string_view type = std::string_view(types).substr(begin, end - begin);
        const auto tables = enum_tables();
        const auto table = std::find_if(tables.begin(), tables.end(), [&](const EnumTable& one) {
            return type.size() > scope.size() && type.substr(scope.size()) == one.cpp_name;
        });
        named.append(types, at, begin - at).append(table == tables.end() ? type : table->python_name);
        at = end;
    }
    return named;
}

/// The Python name of a C++ type, or of several.
std::string python_types(std::string types) {
    types = with_names_of_enums(types);
    static constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"void const *,std::size_t,std::shared_ptr< void >", "buffer"},
        {"void *,std::size_t,std::shared_ptr< void >", "buffer"},
        {"void const *,std::size_t", "buffer"},
        {"void *,std::size_t", "buffer"},
        {"pycuda::DevicePtr,std::shared_ptr< void >", "device memory"},
        {"pycuda::DevicePtr", "device memory"},
        {"std::array< float,4 >", "4 floats"},
        {"std::string", "str"},
        {"std::shared_ptr<", ""},
        {"std::vector<", "list of "},
        {"std::", ""},
        {"pycuda::", ""},
        {"unsigned int", "int"},
        {"unsigned char", "int"},
        {"size_t", "int"},
        {"int64_t", "int"},
        {"uint8_t", "int"},
        {"uint16_t", "int"},
        {"uint32_t", "int"},
        {"double", "float"},
        {" const", ""},
        {" *", ""},
        {" &", ""},
        {" >", ""},
        {",", ", "}};
    for (const auto& [cxx, python] : words) replace_all(types, cxx, python);
    types.erase(0, types.find_first_not_of(' '));
    return types;
}

/// "Stream.wait_for_event" for SWIG's "Stream_wait_for_event", "Event" for "new_Event"; functions keep their names.
std::string python_name(std::string name) {
    if (name.starts_with("new_")) return name.substr(4);
    // Only the method, for a class that has another name in Python.
    if (name.starts_with('_') && name.find('_', 1) != std::string::npos) return name.substr(name.find('_', 1) + 1);
    const std::size_t class_end = name.find('_');
    if (class_end != std::string::npos && class_end != 0 && name[0] >= 'A' && name[0] <= 'Z') name[class_end] = '.';
    return name;
}

/// The arguments of each prototype: the lines that follow "prototypes are:".
std::vector<std::string> overloads_in(std::string_view text) {
    std::vector<std::string> overloads;
    const std::size_t start = text.find("are:\n");
    if (start == std::string_view::npos) return overloads;
    for (std::size_t at = text.find('(', start); at != std::string_view::npos; at = text.find('(', at + 1))
        overloads.push_back(python_types(between(text, "(", ")", at)));
    return overloads;
}

/// The type of an argument, for messages: its class, or the name of a class.
std::string kind_of(PyObject* object) {
    if (object == Py_None) return "None";
    if (PyType_Check(object)) return std::string("the class ") + reinterpret_cast<PyTypeObject*>(object)->tp_name;
    return Py_TYPE(object)->tp_name;
}

}  // namespace

void set_no_overload(const char* text, PyObject* const* args, Py_ssize_t count) {
    const std::string name = python_name(between(text, "function '", "'"));
    const std::string class_name = name.substr(0, name.find('.'));
    std::string given, calls;
    for (Py_ssize_t i = 0; i < count && args[i]; ++i) {
        const std::string type = Py_TYPE(args[i])->tp_name;
        const bool is_self = i == 0 && name != class_name && type.ends_with(class_name);
        if (!is_self) given += (given.empty() ? "" : ", ") + type;
    }
    for (const std::string& overload : overloads_in(text))
        calls += (calls.empty() ? "" : " or ") + name + "(" + overload + ")";
    PyErr_Format(PyExc_TypeError, "%s: wrong number or types of arguments: expected %s, given (%s)", name.c_str(),
                 calls.c_str(), given.c_str());
}

void set_call_error(PyObject* error, const char* text, PyObject* const* given) {
    const std::string name = between(text, "in method '", "'"), type = between(text, "of type '", "'");
    if (name.empty() || type.empty()) return PyErr_SetString(error, text);
    const int position = std::atoi(between(text, "argument ", " ").c_str());
    if (given && position > 0)
        PyErr_Format(PyExc_TypeError, "%s: expected %s, not %s", python_name(name).c_str(), python_types(type).c_str(),
                     kind_of(given[position - 1]).c_str());
    else
        PyErr_Format(error, "%s: an argument is of the wrong type: expected %s", python_name(name).c_str(),
                     python_types(type).c_str());
}

void refuse_argument(const char* wanted, PyObject* given) {
    PyErr_Format(PyExc_TypeError, "expected %s, not %s", wanted, kind_of(given).c_str());
}

}  // namespace pycuda::python
