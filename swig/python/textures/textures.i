// Arrays, textures and structured copies: ends of copies keep their Python objects alive; colours and formats are tuples.
%{
#include <string_view>

#include "textures/texture_arguments.hpp"
%}

// An end of a copy: host memory, whose buffer stays exported, or device memory.
%define PYCUDA_HOST_END(POINTER, TAKE)
%typemap(in, numinputs=1) (POINTER, std::size_t nbytes, std::shared_ptr<void> owner) (Py_buffer view = {}) {
    if (!pycuda::python::TAKE($input, view)) SWIG_fail;
    const pycuda::python::Ref exported(PyMemoryView_FromObject($input));
    if (!exported) SWIG_fail;
    $1 = view.buf;
    $2 = static_cast<std::size_t>(view.len);
    $3 = pycuda::python::keep_alive(exported.get());
}
%typemap(freearg) (POINTER, std::size_t nbytes, std::shared_ptr<void> owner) {
    if (view$argnum.obj) PyBuffer_Release(&view$argnum);
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) (POINTER, std::size_t nbytes, std::shared_ptr<void> owner) {
    // Both NumPy scalars, which are addresses, and arrays have __index__.
    $1 = PyObject_CheckBuffer($input) && (!PyIndex_Check($input) || pycuda::python::is_numpy_array($input));
}
%enddef
PYCUDA_HOST_END(const void* src, take_source)
PYCUDA_HOST_END(void* dest, take_destination)

%typemap(in, numinputs=1) (pycuda::DevicePtr devptr, std::shared_ptr<void> owner) (std::shared_ptr<void> kept) {
    constexpr bool is_destination = std::string_view("$symname").find("_dst_") != std::string_view::npos;
    try {
        pycuda::python::check_device_array(
            $input, is_destination ? pycuda::python::Access::BoxWrite : pycuda::python::Access::Box);
        $1 = pycuda::python::device_pointer($input, kept);
    } catch (...) {
        pycuda::python::translate_exception();
        SWIG_fail;
    }
    $2 = std::move(kept);
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_VOIDPTR) (pycuda::DevicePtr devptr, std::shared_ptr<void> owner) "$1 = 1;"

%typemap(in) const std::array<float, 4>& (std::array<float, 4> color) {
    if (!pycuda::python::color_from_python($input, color)) SWIG_fail;
    $1 = &color;
}
%typemap(out) std::array<float, 4> {
    const std::array<float, 4>& color = $1;
    $result = Py_BuildValue("(ffff)", color[0], color[1], color[2], color[3]);
}
%typemap(out) pycuda::TextureFormat {
    const pycuda::TextureFormat& format = $1;
    $result = Py_BuildValue("(Ni)", pycuda::python::enum_to_python("array_format", static_cast<int>(format.format)),
                            format.num_components);
}
%ignore pycuda::TextureFormat;
%ignore pycuda::TextureObject::note_in_graph;
%ignore pycuda::SurfaceObject::note_in_graph;

%rename(_StructuredCopy) pycuda::StructuredCopy;
%rename(_StructuredCopy3D) pycuda::StructuredCopy3D;
%rename(_execute) execute;
%rename(_execute_async) execute_async;
%feature("python:abc") pycuda::Memcpy2D "_Memcpy2DMixin"
%feature("python:abc") pycuda::Memcpy3D "_Memcpy3DMixin"
%feature("python:abc") pycuda::Memcpy3DPeer "_Memcpy3DMixin"

// Reads the texrefs of launches. Defined here, where SWIG's types are known.
%{
namespace pycuda::python {
const TextureReference* texture_reference_in(PyObject* object) {
    void* pointer = nullptr;
    const int found = SWIG_ConvertPtr(object, &pointer, SWIGTYPE_p_pycuda__TextureReference, 0);
    return SWIG_IsOK(found) ? static_cast<const TextureReference*>(pointer) : nullptr;
}
}  // namespace pycuda::python
%}
