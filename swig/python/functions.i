// Functions and methods that only Python has.
%newobject pycuda::mem_alloc;
%threadallow pycuda::mem_alloc;
%threadallow pycuda::module_from_file;
%feature("docstring") pycuda::mem_alloc "A DeviceAllocation of at least so many bytes, in the current context.";
%feature("docstring") pycuda::module_from_file "A Module loaded from a file: cubin, fatbin or PTX.";
%inline %{
namespace pycuda {
DeviceAllocation* mem_alloc(std::size_t bytes) { return new DeviceAllocation(bytes); }
std::shared_ptr<Module> module_from_file(const std::string& filename) { return Module::from_file(filename); }
std::shared_ptr<Module> _load_module(PyObject* image, PyObject* options, PyObject* message_handler) {
    return python::load_module(image, options, message_handler);
}
void _staged_htod(DevicePtr dest, const void* src, std::size_t nbytes, const Stream& stream) {
    python::GilRelease released;
    staged_htod(dest, src, nbytes, stream);
    released.end();
}
void _staged_dtoh(void* dest, std::size_t nbytes, DevicePtr src, const Stream& stream, PyObject* keep_alive) {
    auto kept = python::keep_alive(keep_alive);
    python::GilRelease released;
    staged_dtoh(dest, nbytes, src, stream, std::move(kept));
    released.end();
}
/// Keeps the object until the stream has done what is queued now.
void _keep_until_done(const Stream& stream, PyObject* object) {
    stream.keep_until_done(python::keep_alive(object));
}
long _live_handles(const std::string& what) { return live_handles(what); }
}  // namespace pycuda
%}
%pythoncode %{
def module_from_buffer(buffer, options=[], message_handler=None):
    """A Module loaded from PTX, cubin or fatbin in `buffer`.

    options: list of (jit_option, int). message_handler(success, info, error) is given what the compiler said, also when it failed.
    """
    return _load_module(buffer, options, message_handler)
%}
