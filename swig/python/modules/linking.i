// The linker under pycuda.compiler.DynamicModule. Options and messages are Python objects.
%ignore pycuda::Linker::Linker;
%ignore pycuda::Linker::operator=;
%ignore pycuda::Linker::log;
%ignore pycuda::LtoInput;
%ignore pycuda::link_lto;
%apply (const void* src, std::size_t nbytes) { (const void* image, std::size_t nbytes) };
PYCUDA_HEADER(modules/linker)

%extend pycuda::Linker {
    std::string _info_log() const { return $self->log().info; }
    std::string _error_log() const { return $self->log().error; }
}
%newobject pycuda::_make_linker;
%inline %{
namespace pycuda {
Linker* _make_linker(PyObject* options, bool verbose) { return new Linker(python::jit_settings_from_python(options), verbose); }
}  // namespace pycuda
%}
