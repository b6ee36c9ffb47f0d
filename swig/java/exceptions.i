// No C++ exception ever reaches the JVM: errors.i passes all of them to this code.
%{
#include "jni_support.hpp"
%}

// By #define, SWIG would make it a public constant.
%define PYCUDA_MAY_CALL
true
%enddef
%define PYCUDA_TRANSLATE_EXCEPTION
        pycuda_java::translate_exception(jenv);
        return $null;
%enddef
