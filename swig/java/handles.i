// Members that every class of a kind has in Java (declare.i).
%define PYCUDA_JAVA_HANDLE(CLASS, BASE, GETTER)
PYCUDA_JAVA_PROXY(CLASS, BASE)
%rename(nativeHandle) pycuda::CLASS::GETTER;
%javamethodmodifiers pycuda::CLASS::GETTER "@Override";
%ignore pycuda::CLASS::close;
%javamethodmodifiers pycuda::CLASS::native_close "@Override";
%extend pycuda::CLASS {
    void native_close() { $self->close(); }
}
%enddef

%define PYCUDA_LANGUAGE_VALUE(CLASS)
PYCUDA_JAVA_PROXY(CLASS, Proxy)
%enddef

#define PYCUDA_LANGUAGE_HANDLE(CLASS) PYCUDA_JAVA_HANDLE(CLASS, DriverObject, handle)

%define PYCUDA_LANGUAGE_MEMORY(CLASS)
PYCUDA_JAVA_HANDLE(CLASS, DeviceMemory, pointer)
PYCUDA_JAVA_LONG_RESULT(pycuda::CLASS::pointer)
%ignore pycuda::CLASS::free;
%enddef

%define PYCUDA_LANGUAGE_HOST_MEMORY(CLASS)
PYCUDA_JAVA_HANDLE(CLASS, HostPointer, data)
PYCUDA_JAVA_LONG_RESULT(pycuda::CLASS::get_device_pointer)
%javamethodmodifiers pycuda::CLASS::CLASS ""  // a function of Driver makes it
%ignore pycuda::CLASS::free;
%javamethodmodifiers pycuda::CLASS::native_size "@Override";
%javamethodmodifiers pycuda::CLASS::get_device_pointer "@Override public";
%ignore pycuda::CLASS::size;
%extend pycuda::CLASS {
    std::size_t native_size() const { return $self->size(); }
    /// The memory's device address (cuMemHostGetDevicePointer). LogicError if it is not mapped.
    pycuda::DevicePtr get_device_pointer() const { return $self->get_device_pointer(); }
}
%enddef

%define PYCUDA_LANGUAGE_HOST_READABLE(CLASS)
%typemap(javabase) pycuda::CLASS "HostReadableMemory"
%ignore pycuda::CLASS::data;
%enddef

%define PYCUDA_JAVA_INTERFACES_DeviceMemoryPool
"Allocator, AutoCloseable" %enddef
%define PYCUDA_JAVA_INTERFACES_PageLockedMemoryPool
"AutoCloseable" %enddef
%define PYCUDA_LANGUAGE_POOL(CLASS)
PYCUDA_JAVA_PROXY(CLASS, Proxy)
%typemap(javainterfaces) pycuda::CLASS PYCUDA_JAVA_INTERFACES_##CLASS
%javamethodmodifiers pycuda::CLASS::close "@Override public";
%extend pycuda::CLASS {
    /// Same as stopHolding: blocks in use stay valid, and keep the pool alive. The context's own pool, which arrays use too, stays usable.
    void close() { $self->close(); }
}
%enddef

%define PYCUDA_LANGUAGE_STRUCT(CLASS)
PYCUDA_JAVA_PROXY(CLASS, Proxy)
%javamethodmodifiers pycuda::CLASS::CLASS() "public";
%enddef

%define PYCUDA_JAVA_DERIVED(CLASS, BASE)
%typemap(javabase, replace="1") pycuda::CLASS "BASE"
PYCUDA_JAVA_BODY(javabody_derived, CLASS)
%javamethodmodifiers pycuda::CLASS::CLASS() "public";
%enddef

%define PYCUDA_LANGUAGE_DERIVED(CLASS, BASE)
PYCUDA_JAVA_PROXY(CLASS, BASE)
PYCUDA_JAVA_DERIVED(CLASS, BASE)
%enddef

%define PYCUDA_LANGUAGE_BASE(CLASS, BASE)
PYCUDA_JAVA_OBJECT(CLASS, BASE)
PYCUDA_JAVA_DERIVED(CLASS, BASE)
%typemap(javaclassmodifiers) pycuda::CLASS "public abstract class"
PYCUDA_JAVA_BASE_BODY(javabody, CLASS)
PYCUDA_JAVA_BASE_BODY(javabody_derived, CLASS)
%enddef
%rename("%(lowercamelcase)s", %$isvariable) "";

%define PYCUDA_LANGUAGE_SHARED_HANDLE(CLASS)
PYCUDA_JAVA_HANDLE(CLASS, DriverObject, handle)
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") std::shared_ptr<pycuda::CLASS>
    %{CLASS.getCPtr(java.util.Objects.requireNonNull($javainput, "$javainput"))%}
%javamethodmodifiers pycuda::CLASS::identity "@Override";
%extend pycuda::CLASS {
    std::uint64_t identity() const { return reinterpret_cast<std::uintptr_t>($self); }
}
%enddef

%define PYCUDA_LANGUAGE_RETURNS_SELF(CLASS, CALL)
%typemap(jstype) void pycuda::CLASS::CALL "CLASS"
%typemap(javaout) void pycuda::CLASS::CALL {
    $jnicall;
    return this;
  }
%enddef

// A class that is hand-written in Java, in <CLASS>.java, on top of its proxy, which is then called <CLASS>Proxy. Must precede the class.
%define PYCUDA_JAVA_HANDWRITTEN(CLASS)
%rename(CLASS##Proxy) pycuda::CLASS;
%typemap(javaclassmodifiers) pycuda::CLASS "public abstract class"
%enddef

