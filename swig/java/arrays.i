// Native methods of the arrays (package-private class ArrayCalls): one native call for each operation, with all arguments by value. An
// array is the address of its C++ object, 0 for none; a scalar is its kind and two words.
%module(jniclassname="ArrayJNI") ArrayCalls
%{
#include "allocator.hpp"
#include "array_handle.hpp"
#include "kernel_calls.hpp"
#include "pycuda/gpuarray/random/random.hpp"
#include "pycuda/gpuarray/own/source_calls.hpp"
%}

%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    new org.pycuda.compiler.CompilerCache().directory();  // loads the native library, and gives the compiler the device headers
  }
%}
%rename("%(lowercamelcase)s", %$isfunction) "";

%include "exceptions.i"
%include "types.i"
%include "../errors.i"

%typemap(jni) const std::vector<jlong>&, std::vector<jlong> "jlongArray"
%typemap(jtype) const std::vector<jlong>&, std::vector<jlong> "long[]"
%typemap(jstype) const std::vector<jlong>&, std::vector<jlong> "long[]"
%typemap(javain) const std::vector<jlong>& "$javainput"
%typemap(javaout) std::vector<jlong> { return $jnicall; }
%typemap(in) const std::vector<jlong>& (std::vector<jlong> copy) %{
    copy = pycuda_java::from_java(jenv, $input);
    $1 = &copy;
%}
%typemap(out) std::vector<jlong> %{ $result = pycuda_java::to_java(jenv, $1); %}
%typemap(jni) pycuda_java::NewArrays "jlongArray"
%typemap(jtype) pycuda_java::NewArrays "long[]"
%typemap(jstype) pycuda_java::NewArrays "long[]"
%typemap(javaout) pycuda_java::NewArrays { return $jnicall; }
%typemap(out) pycuda_java::NewArrays %{ $result = pycuda_java::give(jenv, std::move($1)); %}
%typemap(jni) std::vector<std::string> "jobjectArray"
%typemap(jtype) std::vector<std::string> "String[]"
%typemap(jstype) std::vector<std::string> "java.util.List<String>"
%typemap(javaout) std::vector<std::string> { return java.util.List.of($jnicall); }
%typemap(out) std::vector<std::string> %{ $result = pycuda_java::to_java(jenv, $1); %}
%typemap(jni) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> "jobject"
%typemap(jtype) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> "Allocator"
%typemap(jstype) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> "Allocator"
%typemap(javain) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> "$javainput"
%typemap(javaout) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> { return $jnicall; }
%typemap(in) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> %{ $1 = pycuda_java::allocator_of(jenv, $input); %}
%typemap(out) std::shared_ptr<pycuda::gpuarray::ArrayAllocator> %{ $result = pycuda_java::java_allocator(jenv, $1); %}
%apply std::vector<jlong> { std::vector<std::int64_t> };
%apply std::uint64_t { pycuda_java::ArrayHandle };

%include "array_calls.hpp"
%include "kernel_calls.hpp"
%include "pycuda/gpuarray/own/source_calls.hpp"
namespace pycuda::gpuarray {
int curand_version();
}
