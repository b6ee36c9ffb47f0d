// Functions and methods that only Python has.
%newobject pycuda::mem_alloc;
%threadallow pycuda::mem_alloc;
%threadallow pycuda::module_from_file;
%newobject pycuda::_pagelocked;
%newobject pycuda::_aligned;
%newobject pycuda::_managed;
%newobject pycuda::_register;
%threadallow pycuda::_pagelocked;
%threadallow pycuda::_managed;
%inline %{
namespace pycuda {
DeviceAllocation* mem_alloc(std::size_t bytes) { return new DeviceAllocation(bytes); }
PagelockedHostAllocation* _pagelocked(std::size_t bytes, unsigned flags) { return new PagelockedHostAllocation(bytes, flags); }
AlignedHostAllocation* _aligned(std::size_t bytes, std::size_t alignment) { return new AlignedHostAllocation(bytes, alignment); }
ManagedAllocation* _managed(std::size_t bytes, unsigned flags) { return new ManagedAllocation(bytes, flags); }
/// `owner` keeps the memory alive, also for graphs that use it longer than the object.
RegisteredHostMemory* _register(std::size_t address, std::size_t bytes, unsigned flags, PyObject* owner) {
    auto kept = python::keep_alive(owner);
    python::GilRelease released;
    auto* const made = new RegisteredHostMemory(reinterpret_cast<void*>(address), bytes, flags, std::move(kept));
    released.end();
    return made;
}
std::shared_ptr<Module> module_from_file(const std::string& filename) { return Module::from_file(filename); }
std::shared_ptr<Module> _load_module(PyObject* image, PyObject* options, PyObject* message_handler) {
    return python::load_module(image, options, message_handler);
}
std::shared_ptr<Library> _load_library(PyObject* image, PyObject* options, PyObject* message_handler) {
    return python::load_library(image, options, message_handler);
}
std::shared_ptr<Library> _load_library_file(const std::string& filename, PyObject* options, PyObject* message_handler) {
    return python::load_library_file(filename, options, message_handler);
}
void _copy_in(PyObject* dest, PyObject* array, PyObject* stream) { python::copy_in(dest, array, stream); }
void _copy_out(PyObject* array, PyObject* source, PyObject* stream) { python::copy_out(array, source, stream); }
/// Also works for another library's streams, which may lack such a method.
void _synchronize(const Stream& stream) {
    python::GilRelease released;
    stream.synchronize();
    released.end();
}
/// Waits for the stream of a __cuda_array_interface__, if it has one.
void _wait_for_producer(PyObject* interface, PyObject* owner) { python::order_after_interface(interface, owner, nullptr); }
/// The driver's handle of a stream, as a number; 0 for None. TypeError for an object that is not a stream.
std::size_t _stream_handle(PyObject* stream) { return reinterpret_cast<std::size_t>(python::stream_handle_of(stream)); }
/// Memory of the pool that arrays of the current context use.
PyObject* _pooled(std::size_t bytes) { return python::new_pooled(default_device_pool(*Context::current()), bytes, nullptr); }
/// Whether an ArgumentHandler can still use `memory` in the current context.
bool _can_hold(PyObject* memory, std::size_t bytes) { return python::can_hold(memory, bytes, Context::current()); }
/// `listener` is called with the number of bytes.
DriverCallback _on_over_budget(const Device& device, PyObject* listener) {
    auto call = python::driver_function(listener, "on_over_budget", 1);
    python::GilRelease released;
    auto made = device.on_over_budget([call = std::move(call)](std::uint64_t bytes) { call(static_cast<std::int64_t>(bytes), 0); });
    released.end();
    return made;
}
/// `listener` is called with the process's id and the device's ordinal.
DriverCallback _on_core_dump(PyObject* listener, bool complete) {
    auto call = python::driver_function(listener, complete ? "on_complete" : "on_start", 2);
    python::GilRelease released;
    auto made = complete ? CoreDumps::on_complete(std::move(call)) : CoreDumps::on_start(std::move(call));
    released.end();
    return made;
}
/// `options`: a dict with the geometry and attributes of a launch.
int _max_active_clusters(const Function& function, PyObject* options) {
    python::OptionalAttributes attributes;
    return function.max_active_clusters(python::read_config(python::options_of_dict(options), attributes));
}
int _max_potential_cluster_size(const Function& function, PyObject* options) {
    python::OptionalAttributes attributes;
    return function.max_potential_cluster_size(python::read_config(python::options_of_dict(options), attributes));
}
PyObject* _stream_attribute(const Stream& stream, PyObject* attribute) {
    const LaunchAttributeInfo& info = python::launch_attribute_of(attribute);
    return python::launch_fields_to_python(info, stream.attribute(info.id));
}
void _set_stream_attribute(const Stream& stream, PyObject* attribute, PyObject* value) {
    const python::GivenAttribute given(attribute, value);
    stream.set_attribute(given.id(), given.value());
}
/// LogicError unless the reference belongs to the function's module.
void _check_module_of(const Function& function, const TextureReference& texref) { texref.check_module(*function.module()); }
/// `layout`: dtype, shape, strides or None, element strides or None, interleave, swizzle, L2 promotion, fill, whether all bytes are contiguous.
TensorMap _tiled_map(PyObject* memory, PyObject* layout, PyObject* box) { return python::tiled_map(memory, layout, box); }
TensorMap _im2col_map(PyObject* memory, PyObject* layout, PyObject* lower, PyObject* upper, std::int64_t channels, std::int64_t pixels) {
    return python::im2col_map(memory, layout, lower, upper, channels, pixels);
}
TensorMap _im2col_wide_map(PyObject* memory, PyObject* layout, std::int64_t lower, std::int64_t upper, std::int64_t channels,
                           std::int64_t pixels, pycuda::TensorMapIm2colWideMode mode) {
    return python::im2col_wide_map(memory, layout, lower, upper, channels, pixels, mode);
}
TensorMap _moved_map(const TensorMap& map, PyObject* memory) { return python::moved_map(map, memory); }
/// The most that a kernel takes, in bytes.
std::size_t _max_parameter_bytes() { return max_parameter_bytes; }
long _live_handles(const std::string& what) { return live_handles(what); }
/// Tuples of kind, place, number and bytes: of all objects without places, or of recorded allocations.
PyObject* _live_objects(bool recorded) { return python::live_objects(recorded); }
void _record_allocations(bool on) {
    python::GilRelease released;
    record_allocations(on);
    released.end();
}
}  // namespace pycuda
%}
%pythoncode %{
def module_from_buffer(buffer, options=[], message_handler=None):
    """A Module loaded from PTX, cubin or fatbin in `buffer`.

    options: list of (jit_option, int). message_handler(success, info, error) is given what the compiler said, also when it failed.
    """
    return _load_module(buffer, options, message_handler)
%}

%extend pycuda::Stream {
    /// Calls `function`, without arguments, after the work queued before it; work queued after it waits for it. It runs
    /// on a thread of the driver, and must not call the driver. Exceptions go to sys.unraisablehook. After a fault it
    /// may never be called.
    void add_callback(PyObject* function) { pycuda::python::add_host_function(*$self, function); }
}
%extend pycuda::Context {
    %pythoncode %{
    def __enter__(self):
        """Push the context for a block of code."""
        self.push()
        return self

    def __exit__(self, *exception):
        if Context.get_current() != self:
            raise LogicError("Context.__exit__: another context is current; pop what was pushed in the block")
        Context.pop()
    %}
}
%extend pycuda::TensorMap {
    std::size_t _address() const { return $self->start(); }
}
%extend pycuda::VirtualMemory {
    std::size_t _size() const { return $self->size(); }
}
