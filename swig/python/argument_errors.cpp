#include "argument_errors.hpp"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace pycuda::python {
namespace {

/// What Python calls a C++ type: of "std::shared_ptr< pycuda::Array > const &" it is "Array".
std::string python_name(std::string_view type) {
    constexpr std::string_view ours = "pycuda::";
    if (const auto at = type.find(ours); at != type.npos) {
        type.remove_prefix(at + ours.size());
        std::size_t length = 0;
        while (length < type.size() && (std::isalnum(static_cast<unsigned char>(type[length])) || type[length] == '_'))
            ++length;
        return std::string(type.substr(0, length));
    }
    if (type == "bool") return "bool";
    if (type == "float" || type == "double") return "float";
    return std::string(type);
}

}  // namespace

void refuse_argument(const char* wanted, PyObject* given) {
    const char* const article = std::strchr("AEIOaeio", *wanted) ? "an" : "a";
    const char* const name = given == Py_None ? "None" : Py_TYPE(given)->tp_name;
    const char* const kind = PyType_Check(given) ? "the class " : "";
    PyErr_Format(PyExc_TypeError, "expected %s %s, not %s%s", article, wanted, kind,
                 PyType_Check(given) ? reinterpret_cast<PyTypeObject*>(given)->tp_name : name);
}

bool explain_argument_error(const char* text, PyObject* const* given) {
    constexpr const char number_mark[] = "argument ", type_mark[] = " of type '";
    const char* const number = std::strstr(text, number_mark);
    const char* const type = number ? std::strstr(number, type_mark) : nullptr;
    if (!given || !type) return false;
    const int position = std::atoi(number + sizeof number_mark - 1);
    std::string_view name = type + sizeof type_mark - 1;
    name = name.substr(0, name.rfind('\''));
    PyErr_Clear();
    refuse_argument(python_name(name).c_str(), given[position - 1]);
    return true;
}

}  // namespace pycuda::python
