// Stream.DEFAULT has no C++ object: its address is 0. Calls that take an optional stream get null, which is the default stream. Its own methods,
// and calls that need a stream, get one that stands for the default stream of the context that is current at the call.
%{
#include <optional>

#include "pycuda/streams/stream.hpp"

namespace pycuda_java {
/// The stream at `address`; for 0 `standing_in`, which is created. Null, with a Java exception pending, if no context is current then.
inline pycuda::Stream* stream_or_default(JNIEnv* jenv, jlong address, std::optional<pycuda::Stream>& standing_in) {
    if (address) return reinterpret_cast<pycuda::Stream*>(address);
    try {
        return &standing_in.emplace(pycuda::Stream::from_handle(nullptr));
    } catch (...) {
        translate_exception(jenv);
        return nullptr;
    }
}
}  // namespace pycuda_java
%}

%define PYCUDA_LANGUAGE_DECLARED
%typemap(javain) const pycuda::Stream&, const pycuda::Stream* %{StreamProxy.getCPtr(Stream.required($javainput, "$javainput"))%}
%typemap(in) const pycuda::Stream& (std::optional<pycuda::Stream> standing_in), pycuda::Stream* self (std::optional<pycuda::Stream> standing_in),
    const pycuda::Stream* self (std::optional<pycuda::Stream> standing_in), const pycuda::Stream* upload (std::optional<pycuda::Stream> standing_in) %{
    $1 = pycuda_java::stream_or_default(jenv, $input, standing_in);
    if (!$1) return $null;
%}
%enddef
