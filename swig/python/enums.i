// Constants: pycuda._enums creates classes from the core's tables at import; wrapped calls accept members and plain ints.
%{
#include "enums.hpp"
#include "pycuda/constants/constants.hpp"
%}
%define PYCUDA_ENUM_BEGIN(type, class_name, cuda)
namespace pycuda {
enum class type : int;
}
%typemap(in) pycuda::type (int value) {
    if (!pycuda::python::enum_from_python($input, #class_name, value)) SWIG_fail;
    $1 = static_cast<pycuda::type>(value);
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_INTEGER) pycuda::type { $1 = PyIndex_Check($input); }
%typemap(out) pycuda::type {
    $result = pycuda::python::enum_to_python(#class_name, static_cast<int>($1));
    if (!$result) SWIG_fail;
}
%enddef
%include "pycuda/constants/constants.def"

%typemap(out) std::vector<std::pair<pycuda::DeviceAttribute, int>> {
    $result = PyDict_New();
    for (const auto& [attribute, value] : static_cast<const std::vector<std::pair<pycuda::DeviceAttribute, int>>&>($1)) {
        pycuda::python::Ref key(pycuda::python::enum_to_python("device_attribute", static_cast<int>(attribute)));
        pycuda::python::Ref number(PyLong_FromLong(value));
        if (!$result || !key || !number || PyDict_SetItem($result, key.get(), number.get()) < 0) SWIG_fail;
    }
}
%pythoncode %{
from pycuda._enums import make_enum_classes as _make_enum_classes
_enum_classes = _make_enum_classes(_native.enum_tables())
_native.register_enum_classes(_enum_classes)
globals().update(_enum_classes)
globals().update(_native.module_constants())
%}
