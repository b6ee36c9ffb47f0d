// The Java package org.pycuda.compiler: package-private natives under its hand-written SourceModule.
%module(jniclassname="CompilerJNI") CompilerCore
%{
#include "pycuda/compiler.hpp"
%}

%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    org.pycuda.Driver.getVersion();  // loads the native library
  }
%}
%typemap(javaclassmodifiers) SWIGTYPE "final class"
%typemap(javafinalize) SWIGTYPE ""
%rename("%(lowercamelcase)s", %$not %$isclass) "";

%include "exceptions.i"
%include "types.i"
%include "../errors.i"

%define PYCUDA_JAVA_ARRAY(JNI_TYPE, JAVA_TYPE, CXX_TYPE...)
%typemap(jni) CXX_TYPE, CXX_TYPE * "JNI_TYPE"
%typemap(jtype) CXX_TYPE, CXX_TYPE * "JAVA_TYPE[]"
%typemap(jstype) CXX_TYPE, CXX_TYPE * "JAVA_TYPE[]"
%typemap(javain) CXX_TYPE, CXX_TYPE * "$javainput"
%typemap(javaout) CXX_TYPE, CXX_TYPE * { return $jnicall; }
%typemap(out) CXX_TYPE %{ $result = pycuda_java::to_java(jenv, $1); %}
%typemap(out) CXX_TYPE * %{ $result = pycuda_java::to_java(jenv, *$1); %}
%enddef
// Members cross as arrays, copied.
PYCUDA_JAVA_ARRAY(jobjectArray, String, std::vector<std::string>)
PYCUDA_JAVA_ARRAY(jbyteArray, byte, std::vector<unsigned char>)
%typemap(in) std::vector<std::string> * (std::vector<std::string> texts) %{
    texts = pycuda_java::from_java(jenv, $input);
    $1 = &texts;
%}

%ignore pycuda::CompileRequest::name_expressions;
%ignore pycuda::CompileResult::lowered_names;
%immutable pycuda::CompileResult::image;
%immutable pycuda::CompileResult::warnings;
%immutable pycuda::CompileResult::command_line;
%include "pycuda/compiler.hpp"
