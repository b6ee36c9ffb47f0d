// What of the public headers is for C++ only.

// Handles' plumbing.
%ignore pycuda::StreamTraits;
%ignore pycuda::EventTraits;
%ignore pycuda::ModuleTraits;
%ignore pycuda::DeviceMemoryTraits;
%ignore pycuda::raise_closed;
%ignore pycuda::ContextScope;
%ignore pycuda::CleanupScope;
%ignore pycuda::Context::wrap;
%ignore pycuda::Context::owner_of_new;
%ignore pycuda::ContextAttachment;
%ignore pycuda::Context::attachment;
%ignore pycuda::Context::attachment_if_any;
%ignore pycuda::Context::handle_or_null;
%ignore pycuda::Context::origin;
%ignore pycuda::Context::Origin;
%ignore pycuda::Stream::context;
%ignore pycuda::DeviceMemory;
%extend pycuda::DeviceAllocation {
    void free() { $self->free(); }
}
%ignore pycuda::DeviceAllocation::context;
%ignore pycuda::DeviceAllocation::what;
%ignore pycuda::Module::context;
%ignore pycuda::stream_handle;
%ignore pycuda::set_out_of_memory_hook;
%ignore pycuda::set_cpu_library_source;

// Each language spells equality its own way.
%ignore pycuda::Device::operator==;
%ignore pycuda::Context::operator==;

// Launching and loading from memory go through each language's own argument conversion.
%ignore pycuda::LaunchConfig;
%ignore pycuda::Function::layout;
%ignore pycuda::Function::launch;
%ignore pycuda::Function::launch_timed;
%ignore pycuda::JitSetting;
%ignore pycuda::JitLog;
%ignore pycuda::Module::from_buffer;
%ignore pycuda::Module::prepare_launches_with;
%ignore pycuda::Module::has_launch_preparations;
%ignore pycuda::Module::prepare_launch;

// std::enable_shared_from_this is no business of a language: named, so that its absence is no warning, and empty.
%ignore std::enable_shared_from_this;
namespace std {
template <class T>
class enable_shared_from_this {};
}
namespace pycuda {
class Context;
class Module;
}
%template() std::enable_shared_from_this<pycuda::Context>;
%template() std::enable_shared_from_this<pycuda::Module>;
