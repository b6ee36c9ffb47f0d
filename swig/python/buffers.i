// Memory and numbers: host buffers, device addresses, integers (anything with __index__, so also NumPy's), small structs as tuples.
%{
#include <algorithm>
#include <span>

#include "buffers.hpp"
#include "device_arrays.hpp"
#include "pointers.hpp"

// SWIG's wrappers have their arguments in an array; those of overloaded functions have its start and `nobjs`.
constexpr Py_ssize_t nobjs = 0;
template <std::size_t count>
std::span<PyObject* const> arguments_of_call(PyObject* (&args)[count], Py_ssize_t) { return args; }
inline std::span<PyObject* const> arguments_of_call(PyObject**& args, Py_ssize_t count) {
    return {args, static_cast<std::size_t>(count)};
}
%}

%typemap(in, numinputs=1) (const void* src, std::size_t nbytes) (Py_buffer view = {}) {
    if (!pycuda::python::take_source($input, view)) SWIG_fail;
    $1 = view.buf;
    $2 = static_cast<std::size_t>(view.len);
}
%typemap(in, numinputs=1) (void* dest, std::size_t nbytes) (Py_buffer view = {}) {
    if (!pycuda::python::take_destination($input, view)) SWIG_fail;
    $1 = view.buf;
    $2 = static_cast<std::size_t>(view.len);
}
%typemap(freearg) (const void* src, std::size_t nbytes), (void* dest, std::size_t nbytes) {
    if (view$argnum.obj) PyBuffer_Release(&view$argnum);
}

%define PYCUDA_INTEGER(type)
%typemap(in) type {
    if (!pycuda::python::integer_from_python<type>($input, $1)) SWIG_fail;
}
%enddef
PYCUDA_INTEGER(int)
PYCUDA_INTEGER(unsigned int)
PYCUDA_INTEGER(std::size_t)
PYCUDA_INTEGER(size_t)
PYCUDA_INTEGER(std::uint8_t)
PYCUDA_INTEGER(std::uint16_t)
PYCUDA_INTEGER(std::uint32_t)
PYCUDA_INTEGER(std::uint64_t)

// A device is named by its ordinal, or by the object.
%typemap(in) int device {
    void* given = nullptr;
    if (SWIG_IsOK(SWIG_ConvertPtr($input, &given, SWIGTYPE_p_pycuda__Device, SWIG_POINTER_NO_NULL)))
        $1 = static_cast<pycuda::Device*>(given)->handle();
    else if (!pycuda::python::integer_from_python<int>($input, $1))
        SWIG_fail;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_INTEGER) int device "$1 = 1;"

// Optional arguments create overloads that only differ in number: there, the conversion finds the error and describes it better.
%typemap(typecheck, precedence=SWIG_TYPECHECK_INTEGER) int, unsigned int, std::size_t, size_t { $1 = PyIndex_Check($input); }
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) pycuda::DevicePtr, const pycuda::HeldAddress&, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t,
    (const void* src, std::size_t nbytes), (void* dest, std::size_t nbytes) "$1 = 1;"

// Parameters named `dest` are written.
%define PYCUDA_DEVICE_POINTER(PARAMETER, ACCESS, ADDRESS...)
%typemap(in) PARAMETER (pycuda::python::Owners owners) {
    try {
        pycuda::python::check_device_array($input, pycuda::python::Access::ACCESS);
        $1 = ADDRESS;
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
}
%enddef
PYCUDA_DEVICE_POINTER(pycuda::DevicePtr, Read, pycuda::python::device_pointer($input, owners))
// Memory that a copy or fill uses, on its stream or on the default one. Other addresses are used for longer than the call.
PYCUDA_DEVICE_POINTER(pycuda::DevicePtr src, Read, pycuda::python::device_pointer_for_call($input, owners, arguments_of_call(swig_obj, nobjs)))
PYCUDA_DEVICE_POINTER(pycuda::DevicePtr dest, Write, pycuda::python::device_pointer_for_call($input, owners, arguments_of_call(swig_obj, nobjs)))
// An address that the object keeps, and what owns its memory.
%typemap(in) const pycuda::HeldAddress& (pycuda::HeldAddress held) {
    try {
        pycuda::python::check_device_array($input, pycuda::python::Access::Read);
        held.address = pycuda::python::device_pointer($input, held.owner);
        $1 = &held;
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
}
%typemap(out) pycuda::DevicePtr {
    $result = PyLong_FromUnsignedLongLong($1);
}

%typemap(out) pycuda::MemInfo {
    const pycuda::MemInfo& info = $1;
    $result = Py_BuildValue("(nn)", static_cast<Py_ssize_t>(info.free), static_cast<Py_ssize_t>(info.total));
}
%typemap(out) pycuda::GlobalSymbol {
    const pycuda::GlobalSymbol& symbol = $1;
    $result = Py_BuildValue("(Kn)", static_cast<unsigned long long>(symbol.pointer), static_cast<Py_ssize_t>(symbol.size));
}
%typemap(out) pycuda::AddressRange {
    const pycuda::AddressRange& range = $1;
    $result = Py_BuildValue("(Kn)", static_cast<unsigned long long>(range.base), static_cast<Py_ssize_t>(range.size));
}
%typemap(out) pycuda::MappedMemory {
    const pycuda::MappedMemory& memory = $1;
    $result = Py_BuildValue("(Kn)", static_cast<unsigned long long>(memory.pointer), static_cast<Py_ssize_t>(memory.size));
}
%typemap(out) std::vector<pycuda::KernelParameter> {
    $result = PyList_New(0);
    for (const pycuda::KernelParameter& parameter : static_cast<const std::vector<pycuda::KernelParameter>&>($1)) {
        const pycuda::python::Ref item(
            Py_BuildValue("(nn)", static_cast<Py_ssize_t>(parameter.offset), static_cast<Py_ssize_t>(parameter.size)));
        if (!$result || !item || PyList_Append($result, item.get()) < 0) SWIG_fail;
    }
}
%typemap(out) std::vector<pycuda::MemoryLocation> {
    $result = PyList_New(0);
    for (const pycuda::MemoryLocation& location : static_cast<const std::vector<pycuda::MemoryLocation>&>($1)) {
        PyObject* const type = pycuda::python::enum_to_python("mem_location_type", static_cast<int>(location.type));
        const pycuda::python::Ref item(type ? Py_BuildValue("(Ni)", type, location.id) : nullptr);
        if (!$result || !item || PyList_Append($result, item.get()) < 0) SWIG_fail;
    }
}
%typemap(out) pycuda::ArrayMemory {
    const pycuda::ArrayMemory& memory = $1;
    $result = Py_BuildValue("(nn)", static_cast<Py_ssize_t>(memory.size), static_cast<Py_ssize_t>(memory.alignment));
}
%typemap(out) pycuda::ComputeCapability {
    const pycuda::ComputeCapability& capability = $1;
    $result = Py_BuildValue("(ii)", capability.major, capability.minor);
}
%typemap(out) std::array<int, 3> {
    const std::array<int, 3>& numbers = $1;
    $result = Py_BuildValue("(iii)", numbers[0], numbers[1], numbers[2]);
}
%typemap(out) pycuda::StreamPriorityRange {
    const pycuda::StreamPriorityRange& range = $1;
    $result = Py_BuildValue("(ii)", range.least, range.greatest);
}
%typemap(out) pycuda::PotentialBlockSize {
    const pycuda::PotentialBlockSize& best = $1;
    $result = Py_BuildValue("(ii)", best.min_grid_size, best.block_size);
}
%ignore pycuda::StreamPriorityRange;
%ignore pycuda::PotentialBlockSize;
%ignore pycuda::MemInfo;
%ignore pycuda::GlobalSymbol;
%ignore pycuda::MappedMemory;
%ignore pycuda::AddressRange;
%ignore pycuda::ArrayMemory;
%ignore pycuda::MemoryLocation;
%ignore pycuda::ComputeCapability;

// Binary data: bytes out, any buffer in.
%typemap(out) pycuda::Bytes {
    const pycuda::Bytes& data = $1;
    $result = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(data.data()), static_cast<Py_ssize_t>(data.size()));
}
%typemap(out) const pycuda::Bytes& {
    $result = PyBytes_FromStringAndSize(reinterpret_cast<const char*>($1->data()), static_cast<Py_ssize_t>($1->size()));
}
%typemap(out) pycuda::PitchedAllocation {
    pycuda::PitchedAllocation pitched = $1;
    $result = Py_BuildValue("(Nn)",
        SWIG_NewPointerObj(new pycuda::DeviceAllocation(std::move(pitched.allocation)), $descriptor(pycuda::DeviceAllocation*), SWIG_POINTER_OWN),
        static_cast<Py_ssize_t>(pitched.pitch));
}
%feature("valuewrapper") pycuda::PitchedAllocation;
%ignore pycuda::PitchedAllocation;
%typemap(out) pycuda::IpcEventHandle {
    const pycuda::IpcEventHandle& data = $1;
    $result = PyBytes_FromStringAndSize(reinterpret_cast<const char*>(data.data()), static_cast<Py_ssize_t>(data.size()));
}
%typemap(in) const pycuda::IpcEventHandle& (pycuda::IpcEventHandle bytes) {
    Py_buffer view;
    if (!pycuda::python::take_source($input, view)) SWIG_fail;
    const bool fits = static_cast<std::size_t>(view.len) == bytes.size();
    if (fits) std::copy_n(static_cast<const unsigned char*>(view.buf), bytes.size(), bytes.begin());
    PyBuffer_Release(&view);
    if (!fits) SWIG_exception_fail(SWIG_ValueError, "an IPC handle of another size was given");
    $1 = &bytes;
}
%apply pycuda::IpcEventHandle { pycuda::IpcMemHandle, pycuda::PoolPointerHandle };
%apply const pycuda::IpcEventHandle& { const pycuda::IpcMemHandle&, const pycuda::PoolPointerHandle& };
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const pycuda::IpcEventHandle&, const pycuda::IpcMemHandle&, const pycuda::PoolPointerHandle& "$1 = 1;"
