// What of the public headers is for C++ only and no rule of declare.i hides.
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
%ignore pycuda::PoolOfMemory;
%ignore pycuda::PooledDeviceAllocation::PooledDeviceAllocation;
%ignore pycuda::PooledDeviceAllocation::name;
%ignore pycuda::StreamOrderedAllocation::StreamOrderedAllocation;
%ignore pycuda::StreamOrderedAllocation::name;
%ignore pycuda::PooledHostAllocation::PooledHostAllocation;
%ignore pycuda::PooledHostAllocation::name;
%ignore pycuda::stream_handle;
%ignore pycuda::set_out_of_memory_hook;
%ignore pycuda::set_cpu_library_source;

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
