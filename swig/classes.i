// Every header and every class that both languages wrap, one line each; declare.i says what a line does. Of several classes in one
// header each has its line.
%define PYCUDA_CLASSES
PYCUDA_HEADER(driver)
PYCUDA_VALUE(Device, device)
PYCUDA_SHARED_HANDLE(Context, context)
PYCUDA_HANDLE(Stream, stream)
PYCUDA_HANDLE(Event, event)
PYCUDA_RETURNS_SELF(Event, record)
PYCUDA_RETURNS_SELF(Event, synchronize)
PYCUDA_MEMORY(DeviceAllocation, device_memory)
PYCUDA_HEADER(memcpy)
PYCUDA_SHARED_HANDLE(Module, module)
PYCUDA_VALUE(Function, function)
%enddef
