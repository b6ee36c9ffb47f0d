// The JIT compiler's and the linker's options on their way from Java.
%{
#include "jit_log.hpp"
%}

%typemap(jni) const std::vector<pycuda::JitSetting>& "jintArray"
%typemap(jtype) const std::vector<pycuda::JitSetting>& "int[]"
%typemap(jstype) const std::vector<pycuda::JitSetting>& "int[]"
%typemap(javain) const std::vector<pycuda::JitSetting>& %{java.util.Objects.requireNonNull($javainput, "$javainput")%}
%typemap(in) const std::vector<pycuda::JitSetting>& (std::vector<pycuda::JitSetting> settings) %{
    settings = pycuda_java::jit_settings(jenv, $input);
    $1 = &settings;
%}
