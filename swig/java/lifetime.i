// Life and death of proxies.
//
// close() ends the driver's object through the core and leaves the small C++ object behind, which the Cleaner deletes when the
// proxy is unreachable. So no method can meet a deleted C++ object, not even when another thread calls close() meanwhile;
// and use after close is the core's own LogicError. There is no finalize().

// blocking.i says which calls wait; Java has no lock to give up around them.
#define %threadallow %feature("threadallow")
#define %nothreadallow %feature("nothreadallow")

%include <std_shared_ptr.i>
%include "../ownership.i"

%typemap(javafinalize) SWIGTYPE ""
%typemap(javaclassmodifiers) SWIGTYPE "public final class"
// The destructor is called by the Cleaner only: no method for it.
%typemap(javadestruct, methodname="swigDelete", methodmodifiers="private") SWIGTYPE ""
%typemap(javadestruct, methodname="swigDelete", methodmodifiers="private") pycuda::Context, pycuda::Module ""

%define PYCUDA_JAVA_BODY(TYPE, FIELDS, CONSTRUCTION)
%typemap(javabody) TYPE %{
  private final long swigCPtr;
  FIELDS

  $javaclassname(long cPtr, boolean cMemoryOwn) {
    swigCPtr = cPtr;
    Cleanup.register(this, () -> $imclassname.delete_$javaclassname(cPtr));
    CONSTRUCTION
  }

  static long getCPtr($javaclassname obj) {
    return obj == null ? 0 : obj.swigCPtr;
  }
%}
%enddef
PYCUDA_JAVA_BODY(SWIGTYPE, , )
PYCUDA_JAVA_BODY(pycuda::Context, , )
PYCUDA_JAVA_BODY(pycuda::Module, , )

%define PYCUDA_JAVA_CLOSEABLE(TYPE)
%typemap(javainterfaces) TYPE "AutoCloseable"
%javamethodmodifiers TYPE::close "@Override public synchronized"
%enddef
PYCUDA_JAVA_CLOSEABLE(pycuda::Event)
PYCUDA_JAVA_CLOSEABLE(pycuda::Module)
// These say more about close() themselves (handles.i).
%typemap(javainterfaces) pycuda::Context, pycuda::Stream "AutoCloseable"
%typemap(javainterfaces) pycuda::DeviceAllocation "PointerHolderBase, AutoCloseable"

// The address is asked for once: a launch reads it from a field.
PYCUDA_JAVA_BODY(pycuda::DeviceAllocation,
    private volatile long pointer;,
    pointer = $imclassname.DeviceAllocation_readPointer(cPtr, this);)

// A stream keeps the host memory of pending copies. Dropped with copies pending, it is waited for.
%typemap(javabody) pycuda::Stream %{
  private final long swigCPtr;
  private final PendingData pending = new PendingData();
  private volatile long handle;

  Stream(long cPtr, boolean cMemoryOwn) {
    swigCPtr = cPtr;
    handle = $imclassname.Stream_readHandle(cPtr, this);
    PendingData data = pending;
    Cleanup.register(this, () -> {
      if (!data.isEmpty()) {
        $imclassname.Stream_drain(cPtr, null);
      }
      $imclassname.delete_Stream(cPtr);
      data.releaseAll();
    });
  }

  static long getCPtr(Stream obj) {
    return obj == null ? 0 : obj.swigCPtr;
  }
%}
