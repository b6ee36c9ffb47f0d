// The Python module: pycuda._driver, with its C part pycuda._native. What is Python's own stands beside this file, one concept a
// file; what both languages share is core.i.
%module(package="pycuda", interface="_native", threads="1") _driver

%pythoncode %{
from pycuda._device import DeviceMixin as _DeviceMixin
from pycuda._function import FunctionMixin as _FunctionMixin
from pycuda._native import PointerHolderBase
%}

// First, so that the typemaps below replace theirs.
%include <stdint.i>
%include <std_string.i>
%include <std_shared_ptr.i>

%include "exceptions.i"
%include "lifetime.i"
%include "strings.i"
%include "buffers.i"
%include "enums.i"
%include "handles.i"
%include "names.i"
%include "core.i"
%include "functions.i"

%pythoncode %{
for _class in (Device, Context, Stream, Event, Module, Function):
    _class.handle = property(_class.handle)
Function.name = property(Function.name)
_native.enable_vectorcall(Function)
del _class
%}
