// Texts: str or os.PathLike in, str out; lists of them.
%{
#include "strings.hpp"
%}
%naturalvar std::string;
%naturalvar std::vector<std::string>;
%typemap(in) const std::string& (std::string text) {
    try {
        text = pycuda::python::string_from_python($input);
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
    $1 = &text;
}
%typemap(in) const std::vector<std::string>& (std::vector<std::string> texts) {
    try {
        texts = pycuda::python::strings_from_python($input);
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
    $1 = &texts;
}
%typemap(freearg) const std::string&, const std::vector<std::string>& ""
%typemap(typecheck, precedence=SWIG_TYPECHECK_STRING) const std::string& {
    $1 = PyUnicode_Check($input);
}
%typemap(out) std::string { $result = pycuda::python::string_to_python($1); }
%typemap(out) const std::string& { $result = pycuda::python::string_to_python(*$1); }
%typemap(out) std::vector<std::string> {
    $result = pycuda::python::strings_to_python(static_cast<const std::vector<std::string>&>($1));
}
%typemap(out) const std::vector<std::string>& { $result = pycuda::python::strings_to_python(*$1); }
