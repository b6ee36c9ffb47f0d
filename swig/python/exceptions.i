// C++ exceptions become Python's. The classes are pycuda._errors'.
%{
#include "exceptions.hpp"
#include "interpreter/forked_child.hpp"
%}
#define PYCUDA_MAY_CALL pycuda::python::may_call("$symname", "$parentclasssymname")
%define PYCUDA_TRANSLATE_EXCEPTION
pycuda::python::translate_exception(); SWIG_fail;
%enddef
%init %{
    if (pycuda::python::load_exceptions() < 0) return NULL;
%}
%pythoncode %{
from pycuda._errors import CompileError, Error, GraphUpdateError, LaunchError, LogicError, MemoryError, RuntimeError
%}
