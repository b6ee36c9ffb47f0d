// No C++ exception ever reaches the JVM: errors.i passes all of them to this code.
%{
#include "jni_support.hpp"
%}

%define PYCUDA_TRANSLATE_EXCEPTION
        pycuda_java::translate_exception(jenv);
        return $null;
%enddef
