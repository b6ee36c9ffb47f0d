// No C++ exception ever reaches the JVM: errors.i sends every one through here.
%{
#include "jni_support.hpp"
%}

%define PYCUDA_TRANSLATE_EXCEPTION
        pycuda_java::translate_exception(jenv);
        return $null;
%enddef
