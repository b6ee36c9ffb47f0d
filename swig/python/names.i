// Python's names and shapes where they differ from C++'s.
%rename(get_version) pycuda::version;
%rename(get_driver_version) pycuda::driver_version;
%rename(get_current) pycuda::Context::current_or_null;
%ignore pycuda::Context::current;
%ignore pycuda::Context::is_valid;
%ignore pycuda::Module::from_file;
%ignore pycuda::Function::module;
// Functions make these.
%ignore pycuda::DeviceAllocation::DeviceAllocation;
%ignore pycuda::ManagedAllocation::ManagedAllocation;
%ignore pycuda::ManagedAllocation::data;
// memory_types.cpp has the class, and makes it.
%ignore pycuda::PooledDeviceAllocation;
%ignore pycuda::DeviceMemoryPool::allocate;
// Python allocates arrays.
%rename(_PageLockedMemoryPool) pycuda::PageLockedMemoryPool;
%rename(_allocate) pycuda::PageLockedMemoryPool::allocate;

%rename(_DriverInfo) pycuda::DriverInfo;
%ignore pycuda::DriverInfo::DriverInfo;
%immutable pycuda::DriverInfo::is_cpu_device;
%immutable pycuda::DriverInfo::library;

