// The linker under DynamicModule. Hand-written Java code guards it: one thread uses it at a time, and none after delete().
%{
#include "pycuda/modules/linker.hpp"
%}
%include "jit.i"

%typemap(jni) pycuda::JitInputType "jint"
%typemap(jtype) pycuda::JitInputType "int"
%typemap(jstype) pycuda::JitInputType "org.pycuda.JitInputType"
%typemap(javain) pycuda::JitInputType %{java.util.Objects.requireNonNull($javainput, "$javainput").value()%}
%typemap(in) pycuda::JitInputType %{ $1 = static_cast<pycuda::JitInputType>($input); %}
%ignore pycuda::JitInputType;
namespace pycuda { enum class JitInputType : int; }

%typemap(javabody) pycuda::Linker %{
  private static final java.lang.ref.Cleaner CLEANER = java.lang.ref.Cleaner.create();

  private final long swigCPtr;
  private final java.lang.ref.Cleaner.Cleanable cleanable;

  Linker(long cPtr, boolean cMemoryOwn) {
    swigCPtr = cPtr;
    cleanable = CLEANER.register(this, () -> $imclassname.delete_Linker(cPtr));
  }

  static long getCPtr(Linker obj) {
    return obj == null ? 0 : obj.swigCPtr;
  }
%}
%typemap(javadestruct, methodname="delete", methodmodifiers="") pycuda::Linker {
    cleanable.clean();
  }

%ignore pycuda::Linker::Linker;
%ignore pycuda::Linker::operator=;
%ignore pycuda::Linker::add_data;
%ignore pycuda::Linker::log;
%ignore pycuda::LtoInput;
%ignore pycuda::link_lto;
%extend pycuda::Linker {
    void add_image(const std::vector<unsigned char> *image, pycuda::JitInputType type, const std::string& name) {
        $self->add_data(image->data(), image->size(), type, name);
    }
    std::string info_log() const { return $self->log().info; }
    std::string error_log() const { return $self->log().error; }
}
%include "pycuda/modules/linker.hpp"

%newobject pycuda_java::make_linker;
%inline %{
namespace pycuda_java {
inline pycuda::Linker *make_linker(const std::vector<pycuda::JitSetting>& options, bool verbose) {
    return new pycuda::Linker(options, verbose);
}
/// Throws LogicErrors for this package's Java code.
inline void raise_logic_error(const std::string& routine, const std::string& text) {
    throw pycuda::LogicError(routine, 0, text);
}
}  // namespace pycuda_java
%}
