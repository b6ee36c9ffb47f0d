// The lifetime of proxies: hand-written base classes hold the address of the C++ object, which a clean-up deletes (Proxy), and destroy the
// driver's object in close() (Handle). There is no finalize().
%typemap(javafinalize) SWIGTYPE ""
%typemap(javaclassmodifiers) SWIGTYPE "public final class"

%define PYCUDA_JAVA_BODY(KIND, CLASS)
%typemap(KIND) pycuda::CLASS %{
  $javaclassname(long cPtr, boolean cMemoryOwn) {
    super(cPtr, cMemoryOwn, $imclassname::delete_$javaclassname);
  }

  static long getCPtr($javaclassname object) {
    return object == null ? 0 : object.swigCPtr;
  }
%}
%enddef

// For an abstract base class, whose C++ object has the address of the derived object.
%define PYCUDA_JAVA_BASE_BODY(KIND, CLASS)
%typemap(KIND) pycuda::CLASS %{
  $javaclassname(long cPtr, boolean cMemoryOwn, java.util.function.LongConsumer delete) {
    super(cPtr, cMemoryOwn, delete);
  }

  static long getCPtr($javaclassname object) {
    return object == null ? 0 : object.swigCPtr;
  }
%}
%enddef

// Members that every class has.
%define PYCUDA_JAVA_OBJECT(CLASS, BASE)
%typemap(javabase) pycuda::CLASS "BASE"
// Only the clean-up calls the destructor: there is no method for it.
%typemap(javadestruct, methodname="swigDelete", methodmodifiers="private") pycuda::CLASS ""
PYCUDA_JAVA_BODY(javabody, CLASS)
%typemap(jstype) pycuda::CLASS, pycuda::CLASS*, const pycuda::CLASS*, const pycuda::CLASS& "CLASS"
%typemap(javaout) pycuda::CLASS {
    return new CLASS($jnicall, true);
  }
%typemap(javain) const pycuda::CLASS& %{$javaclassname.getCPtr(java.util.Objects.requireNonNull($javainput, "$javainput"))%}
%enddef

// With a text.
%define PYCUDA_JAVA_PROXY(CLASS, BASE)
PYCUDA_JAVA_OBJECT(CLASS, BASE)
%rename(toString) pycuda::CLASS::to_string;
%javamethodmodifiers pycuda::CLASS::to_string "@Override public";
%extend pycuda::CLASS {
    /// The class and a description, such as an address or a size.
    std::string to_string() const { return "CLASS" + pycuda::bindings::describe(*$self); }
}
%enddef
