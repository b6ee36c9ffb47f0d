// Python's names and signatures where they differ from C++'s.
%rename(get_version) pycuda::version;
%rename(get_driver_version) pycuda::driver_version;
%rename(get_current) pycuda::Context::current_or_null;
%ignore pycuda::Context::current;
%ignore pycuda::Context::is_valid;
%ignore pycuda::Module::from_file;
%ignore pycuda::Function::module;
%ignore pycuda::Function::max_active_clusters;
%ignore pycuda::Function::max_potential_cluster_size;
%ignore pycuda::TensorMap::check_address;
%ignore pycuda::MemoryOperations::keep;
%ignore pycuda::MemoryRanges::keep;
%ignore pycuda::CopyBatch::keep;
// Functions create these.
%ignore pycuda::DeviceAllocation::DeviceAllocation;
%ignore pycuda::ManagedAllocation::ManagedAllocation;
%ignore pycuda::ManagedAllocation::data;
// memory_types.cpp defines the class, and creates its objects.
%ignore pycuda::PooledDeviceAllocation;
%ignore pycuda::DeviceMemoryPool::allocate;
// Python allocates arrays.
%rename(_PageLockedMemoryPool) pycuda::PageLockedMemoryPool;
%rename(_allocate) pycuda::PageLockedMemoryPool::allocate;

%rename(_enabled) pycuda::CoreDumps::enabled;
%rename(_set_enabled) pycuda::CoreDumps::set_enabled;
%rename(_file) pycuda::CoreDumps::file;
%rename(_set_file) pycuda::CoreDumps::set_file;
%rename(_flags) pycuda::CoreDumps::flags;
%rename(_set_flags) pycuda::CoreDumps::set_flags;
%rename(_user_trigger) pycuda::CoreDumps::user_trigger;
%rename(_set_user_trigger) pycuda::CoreDumps::set_user_trigger;
%rename(_pipe) pycuda::CoreDumps::pipe_path;
%rename(_set_pipe) pycuda::CoreDumps::set_pipe;
%rename(_with_allocation_class) pycuda::TensorMap::with_allocation_class;
%rename(_DriverInfo) pycuda::DriverInfo;
%ignore pycuda::DriverInfo::DriverInfo;
%immutable pycuda::DriverInfo::is_cpu_device;
%immutable pycuda::DriverInfo::library;


// SWIG has no Python value for a default that is a constant, and then drops the names of the parameters.
%feature("shadow") pycuda::StreamOrderedPool::StreamOrderedPool "    def __init__(self, location=1, id=-1, max_size=0, handle_type=0, managed=False):
        _native.StreamOrderedPool_swiginit(self, _native.new_StreamOrderedPool(location, id, max_size, handle_type, managed))
"
%feature("shadow") pycuda::StreamOrderedPool::set_access "    def set_access(self, device, access=3):
        _native.StreamOrderedPool_set_access(self, device, access)
"
%feature("shadow") pycuda::PhysicalMemory::PhysicalMemory "    def __init__(self, size, location=1, id=-1, handle_type=0):
        _native.PhysicalMemory_swiginit(self, _native.new_PhysicalMemory(size, location, id, handle_type))
"
%feature("shadow") pycuda::ExternalMemory::ExternalMemory "    def __init__(self, descriptor, size, dedicated=False, handle_type=1):
        _native.ExternalMemory_swiginit(self, _native.new_ExternalMemory(descriptor, size, dedicated, handle_type))
"
%feature("shadow") pycuda::ExternalSemaphore::ExternalSemaphore "    def __init__(self, descriptor, handle_type=1):
        _native.ExternalSemaphore_swiginit(self, _native.new_ExternalSemaphore(descriptor, handle_type))
"
%feature("shadow") pycuda::VirtualMemory::VirtualMemory "    def __init__(self, size=0, reserve=0, handle_type=0):
        _native.VirtualMemory_swiginit(self, _native.new_VirtualMemory(size, reserve, handle_type))
"
%feature("shadow") pycuda::VirtualMemory::set_access "    def set_access(self, device, access=3):
        _native.VirtualMemory_set_access(self, device, access)
"
%feature("shadow") pycuda::CopyBatch::add "    def add(self, destination, source, nbytes, order=1, flags=0):
        _native.CopyBatch_add(self, destination, source, nbytes, order, flags)
        return self
"
%feature("shadow") pycuda::CopyBatch::add_box "    def add_box(self, copy, order=1, flags=0):
        _native.CopyBatch_add_box(self, copy, order, flags)
        return self
"
