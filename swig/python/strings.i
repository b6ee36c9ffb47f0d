// Texts: str or os.PathLike in, str out; lists of them.
%{
#include "pycuda/text/nul.hpp"
#include "strings.hpp"
%}
%typemap(in) const std::string& (std::string utf8) {
    try {
        utf8 = pycuda::python::string_from_python($input);
        pycuda::require_no_nul(utf8, "$1_name");
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
    $1 = &utf8;
}
%typemap(in) const std::vector<std::string>& (std::vector<std::string> texts) {
    try {
        texts = pycuda::python::strings_from_python($input);
        for (const std::string& each : texts) pycuda::require_no_nul(each, "$1_name");
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
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const std::string& path "$1 = 1;"
%typemap(out) std::string { $result = pycuda::python::string_to_python($1); }
%typemap(out) const std::string& { $result = pycuda::python::string_to_python(*$1); }
%typemap(out) std::vector<std::string> {
    $result = pycuda::python::strings_to_python(static_cast<const std::vector<std::string>&>($1));
}
%typemap(out) const std::vector<std::string>& { $result = pycuda::python::strings_to_python(*$1); }

// Lists of structs: a list of objects, each a copy.
%define PYCUDA_LIST_OF(type)
%typemap(out) std::vector<type> {
    $result = PyList_New(0);
    for (const type& item : static_cast<const std::vector<type>&>($1)) {
        pycuda::python::Ref object(SWIG_NewPointerObj(new type(item), $descriptor(type*), SWIG_POINTER_OWN));
        if (!$result || !object || PyList_Append($result, object.get()) < 0) SWIG_fail;
    }
}
%enddef
PYCUDA_LIST_OF(pycuda::Kernel)
PYCUDA_LIST_OF(pycuda::Toolkit)
PYCUDA_LIST_OF(pycuda::CacheEntryInfo)
