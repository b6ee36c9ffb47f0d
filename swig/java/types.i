// Plain C++ types in Java. Sizes and addresses are long, never BigInteger; flags are int; text is UTF-8 in C++.
%include <std_string.i>

// Text ------------------------------------------------------------------------------------------------------------------
%typemap(javain) std::string, const std::string& %{java.util.Objects.requireNonNull($javainput, "$javainput")%}
%typemap(in) std::string %{
    $1 = pycuda_java::from_java(jenv, $input);
    if (!pycuda_java::has_no_nul(jenv, $1, "$1_name")) return $null;
%}
%typemap(in) const std::string& (std::string utf8) %{
    utf8 = pycuda_java::from_java(jenv, $input);
    if (!pycuda_java::has_no_nul(jenv, utf8, "$1_name")) return $null;
    $1 = &utf8;
%}
%typemap(out) std::string %{ $result = pycuda_java::to_java(jenv, $1); %}
%typemap(out) const std::string& %{ $result = pycuda_java::to_java(jenv, *$1); %}

// Unsigned numbers: the same bits -----------------------------------------------------------------------------------------
%define PYCUDA_JAVA_INTEGER(CXX_TYPE, JNI_TYPE, JAVA_TYPE)
%typemap(jni) CXX_TYPE "JNI_TYPE"
%typemap(jtype) CXX_TYPE "JAVA_TYPE"
%typemap(jstype) CXX_TYPE "JAVA_TYPE"
%typemap(javain) CXX_TYPE "$javainput"
%typemap(javaout) CXX_TYPE { return $jnicall; }
%typemap(in) CXX_TYPE %{ $1 = static_cast<$1_ltype>($input); %}
%typemap(out) CXX_TYPE %{ $result = static_cast<JNI_TYPE>($1); %}
%enddef
PYCUDA_JAVA_INTEGER(unsigned int, jint, int)
PYCUDA_JAVA_INTEGER(std::uint8_t, jint, int)
PYCUDA_JAVA_INTEGER(std::uint16_t, jint, int)
PYCUDA_JAVA_INTEGER(std::uint32_t, jint, int)
PYCUDA_JAVA_INTEGER(std::uint64_t, jlong, long)
PYCUDA_JAVA_INTEGER(std::int64_t, jlong, long)

// Sizes: a negative one would become huge ---------------------------------------------------------------------------------
PYCUDA_JAVA_INTEGER(std::size_t, jlong, long)
%typemap(in) std::size_t %{
    if ($input < 0) {
        const std::string refusal = "$1_name must not be negative, given " + std::to_string($input);
        pycuda_java::throw_illegal_argument(jenv, refusal.c_str());
        return $null;
    }
    $1 = static_cast<$1_ltype>($input);
%}

// Device pointers: any object that has one; it is kept alive until the call is done.
PYCUDA_JAVA_INTEGER(pycuda::DevicePtr, jlong, long)
%typemap(jstype) pycuda::DevicePtr "DevicePointer"
%typemap(javaout) pycuda::DevicePtr {
    return DevicePointer.of($jnicall);
  }
// Code of the program gives its addresses first, because it may close the memory of the other arguments (Holders).
%typemap(javain, pre="    DevicePointer settled_$javainput = Holders.settled($javainput, \"$javainput\");",
         post="      java.lang.ref.Reference.reachabilityFence($javainput);") pycuda::DevicePtr "settled_$javainput.pointer()"
// An address that the object keeps, as it keeps the memory's owner.
%typemap(jni) const pycuda::HeldAddress& "jlong"
%typemap(jtype) const pycuda::HeldAddress& "long"
%typemap(jstype) const pycuda::HeldAddress& "DevicePointer"
%typemap(in) const pycuda::HeldAddress& (pycuda::HeldAddress held) %{ held.address = static_cast<pycuda::DevicePtr>($input); $1 = &held; %}
%typemap(javain, pre="    DevicePointer settled_$javainput = Holders.settled($javainput, \"$javainput\");",
         post="      keep($javainput);") const pycuda::HeldAddress& "settled_$javainput.pointer()"
// Copies and fills use the memory only on their stream. For those without a parameter `stream`, a constant of the class
// takes its place.
%typemap(javain, pre="    DevicePointer settled_$javainput = Holders.settled($javainput, \"$javainput\", stream);",
         post="      java.lang.ref.Reference.reachabilityFence($javainput);") pycuda::DevicePtr dest, pycuda::DevicePtr src
    "settled_$javainput.pointerFor(stream)"
// A function whose result is an address as a number.
%define PYCUDA_JAVA_LONG_RESULT(FUNCTION)
%typemap(jstype) pycuda::DevicePtr FUNCTION "long"
%typemap(javaout) pycuda::DevicePtr FUNCTION { return $jnicall; }
%enddef

PYCUDA_JAVA_INTEGER(CUdevice, jint, int)
