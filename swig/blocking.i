// Calls that may wait for a device, a disk or a compiler. A language that has a global lock gives it up around them, and
// around nothing else: the other calls take less time than the lock's release.
%nothreadallow;
%threadallow pycuda::init;
%threadallow pycuda::Device::make_context;
%threadallow pycuda::Device::retain_primary_context;
%threadallow pycuda::Context::detach;
%threadallow pycuda::Context::synchronize;
%threadallow pycuda::Context::~Context;
%threadallow pycuda::Stream::synchronize;
%threadallow pycuda::Stream::close;
%threadallow pycuda::Stream::~Stream;
%threadallow pycuda::Event::synchronize;
%threadallow pycuda::DeviceAllocation::free;
%threadallow pycuda::DeviceAllocation::close;
%threadallow pycuda::DeviceAllocation::~DeviceAllocation;
%threadallow pycuda::memcpy_htod;
%threadallow pycuda::memcpy_htod_async;
%threadallow pycuda::memcpy_dtoh;
%threadallow pycuda::memcpy_dtoh_async;
%threadallow pycuda::memcpy_dtod;
%threadallow pycuda::memcpy_dtod_async;
%threadallow pycuda::memset_d8;
%threadallow pycuda::memset_d16;
%threadallow pycuda::memset_d32;
%threadallow pycuda::Module::from_file;
%threadallow pycuda::Module::close;
%threadallow pycuda::Module::~Module;
