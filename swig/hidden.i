// C++-only names of the public headers that no rule of declare.i hides.
%ignore pycuda::raise_closed;
%ignore pycuda::Context::wrap;
%ignore pycuda::Context::owner_of_new;
%ignore pycuda::Context::current_in_cleanup;
%ignore pycuda::ContextAttachment;
%ignore pycuda::Context::attachment;
%ignore pycuda::Context::attachment_if_any;
%ignore pycuda::Context::origin;
%ignore pycuda::Context::Origin;
%ignore pycuda::DeviceMemory;
%ignore pycuda::ended_contexts;
%ignore pycuda::ContextHold;
%ignore pycuda::Context::live_handle;
%ignore pycuda::Stream::add_host_function;
%ignore pycuda::Stream::keep_until_done;
%ignore pycuda::HostPointer;
%ignore pycuda::HeldAddress;
%ignore pycuda::PoolHandle;
%ignore pycuda::PooledDeviceAllocation::PooledDeviceAllocation;
%ignore pycuda::PooledDeviceAllocation::name;
%ignore pycuda::StreamOrderedAllocation::StreamOrderedAllocation;
%ignore pycuda::StreamOrderedAllocation::name;
%ignore pycuda::VirtualMemory::name;
%ignore pycuda::ExternalBuffer::name;
%ignore pycuda::PooledHostAllocation::PooledHostAllocation;
%ignore pycuda::PooledHostAllocation::name;
%ignore pycuda::RegisteredObject;
%ignore pycuda::RegisteredMapping::what;
%ignore pycuda::use_of;
%ignore pycuda::set_out_of_memory_hook;
%ignore pycuda::set_cpu_library_source;

%feature("valuewrapper") pycuda::DriverCallback;  // move-only, as handles are

// Launching and loading from memory go through each language's own argument conversion.
%ignore pycuda::LaunchConfig;
%ignore pycuda::Function::layout;
%ignore pycuda::TensorLayout;
%ignore pycuda::TensorMap::at_address;
%ignore pycuda::TensorMap::text;
%ignore pycuda::TensorMap::start;
%ignore pycuda::parameter_layout;
%ignore pycuda::Function::launch;
%ignore pycuda::Function::launch_timed;
%ignore pycuda::Function::require_timed_stream;
%ignore pycuda::JitSetting;
%ignore pycuda::JitLog;
%ignore pycuda::Module::from_buffer;
%ignore pycuda::Module::prepare_launches_with;
%ignore pycuda::Module::is_of_library;
%ignore pycuda::Library::from_buffer;
%ignore pycuda::Library::from_file;
%ignore pycuda::Module::has_launch_preparations;
%ignore pycuda::Module::keep_in;
%ignore pycuda::Event::keep_in;
%nodefaultctor pycuda::ResourceDescriptor;  // the driver describes a resource
%nodefaultctor pycuda::SparseProperties;    // and the tiles of an array
%immutable pycuda::SparseProperties::tile_width;
%immutable pycuda::SparseProperties::tile_height;
%immutable pycuda::SparseProperties::tile_depth;
%immutable pycuda::SparseProperties::mip_tail_first_level;
%immutable pycuda::SparseProperties::mip_tail_size;
%immutable pycuda::SparseProperties::has_single_mip_tail;
namespace pycuda {
struct KernelParameter;  // for the typemaps of its lists
}
