// Python's names and shapes where they differ from C++'s.
%rename(get_version) pycuda::version;
%rename(get_driver_version) pycuda::driver_version;
%rename(get_current) pycuda::Context::current_or_null;
%ignore pycuda::Context::current;
%ignore pycuda::Context::is_valid;
%ignore pycuda::Stream::close;
%ignore pycuda::Event::close;
%ignore pycuda::Module::close;
%ignore pycuda::DeviceAllocation::close;
// mem_alloc makes them, int() reads the address.
%ignore pycuda::DeviceAllocation::DeviceAllocation;
%ignore pycuda::DeviceAllocation::pointer;
%ignore pycuda::DeviceAllocation::size;
%ignore pycuda::Module::from_file;
%ignore pycuda::Function::module;
%ignore pycuda::Stream::Stream(unsigned, int);

%feature("pythonappend") pycuda::Event::record %{ val = self %}
%feature("pythonappend") pycuda::Event::synchronize %{ val = self %}

%ignore pycuda::DriverInfo::DriverInfo;
%immutable pycuda::DriverInfo::is_cpu_device;
%immutable pycuda::DriverInfo::library;

