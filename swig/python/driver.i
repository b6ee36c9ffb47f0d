// The Python module: pycuda._driver, with its C part pycuda._native. What is Python's own stands beside this file, one concept a
// file; what both languages share is core.i.
%module(package="pycuda", threads="1", naturalvar=1) _driver

%pythoncode %{
from pycuda._device import DeviceMixin as _DeviceMixin, add_lower_case_attributes as _add_lower_case_attributes
from pycuda._function import FunctionMixin as _FunctionMixin
from pycuda._native import PointerHolderBase
%}

// First, so that the typemaps below replace theirs.
%include <stdint.i>
%include <std_string.i>
%include <std_shared_ptr.i>

%include "runtime.i"
%include "exceptions.i"
%include "lifetime.i"
%include "strings.i"
%include "buffers.i"
%include "enums.i"
%include "handles.i"
%include "names.i"
%include "core.i"
%include "compilation.i"
%include "functions.i"
%include "linking.i"

%pythoncode %{
for _class in (Device, Context, Stream, Event, Module, Function):
    _class.handle = property(_class.handle)
Function.name = property(Function.name)
_add_lower_case_attributes(Device, device_attribute)
_add_lower_case_attributes(Function, function_attribute)
_native.enable_vectorcall(Function)
del _class
# pycuda.driver has all this under its public names; the compiler layer's are pycuda.compiler's.
_private = {"SHARED_PTR_DISOWN", "DriverInfo", "set_cpu_library", "take_fallback_notice", "compile",
            "default_nvcc_flags", "CompileRequest", "CompileResult", "CompilerCache", "CacheEntryInfo", "Toolkit", "add_toolkit_search_root", "set_device_include_dir",
            "device_include_dir", "find_toolkits", "find_nvcc", "find_nvrtc", "find_static_library", "toolkit_search_report",
            "Linker", "has_nvjitlink", "Report", "report"}
__all__ = [_name for _name in globals() if not _name.startswith("_") and _name not in _private]
%}
