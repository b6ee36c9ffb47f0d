// Host memory is passed as an address: Java resolves arrays and buffers itself (HostCopies) and keeps them alive.
%define PYCUDA_JAVA_ADDRESS(CXX_TYPE)
%typemap(jni) CXX_TYPE "jlong"
%typemap(jtype) CXX_TYPE "long"
%typemap(jstype) CXX_TYPE "long"
%typemap(javain) CXX_TYPE "$javainput"
%typemap(javaout) CXX_TYPE { return $jnicall; }
%typemap(in) CXX_TYPE %{ $1 = reinterpret_cast<$1_ltype>(static_cast<std::uintptr_t>($input)); %}
%typemap(out) CXX_TYPE %{ $result = static_cast<jlong>(reinterpret_cast<std::uintptr_t>($1)); %}
%enddef
PYCUDA_JAVA_ADDRESS(void *)
PYCUDA_JAVA_ADDRESS(const void *)
PYCUDA_JAVA_ADDRESS(CUcontext)
PYCUDA_JAVA_ADDRESS(CUstream)
PYCUDA_JAVA_ADDRESS(CUevent)
PYCUDA_JAVA_ADDRESS(CUmemoryPool)
PYCUDA_JAVA_ADDRESS(CUmodule)
PYCUDA_JAVA_ADDRESS(CUfunction)
PYCUDA_JAVA_ADDRESS(CUgraph)
PYCUDA_JAVA_ADDRESS(CUgraphNode)
PYCUDA_JAVA_ADDRESS(CUgraphExec)
PYCUDA_JAVA_ADDRESS(CUgreenCtx)
PYCUDA_JAVA_ADDRESS(CUexternalMemory)
PYCUDA_JAVA_ADDRESS(CUexternalSemaphore)
PYCUDA_JAVA_ADDRESS(CUlibrary)
PYCUDA_JAVA_ADDRESS(CUkernel)

%typemap(in, numinputs=0) JNIEnv *jenv "$1 = jenv;"
%typemap(jni) jobject direct_buffer "jobject"
%typemap(jtype) jobject direct_buffer "java.nio.Buffer"
%typemap(jstype) jobject direct_buffer "java.nio.Buffer"
%typemap(javain) jobject direct_buffer "$javainput"
%typemap(in) jobject direct_buffer "$1 = $input;"
%typemap(jni) jobject new_direct_buffer "jobject"
%typemap(jtype) jobject new_direct_buffer "java.nio.ByteBuffer"
%typemap(jstype) jobject new_direct_buffer "java.nio.ByteBuffer"
%typemap(javaout) jobject new_direct_buffer { return $jnicall; }
%typemap(out) jobject new_direct_buffer "$result = $1;"

// An object that must live as long as an address is in use, or null.
%{
#include "keep_alive.hpp"
%}
%typemap(jni) std::shared_ptr<void> owner "jobject"
%typemap(jtype) std::shared_ptr<void> owner "Object"
%typemap(jstype) std::shared_ptr<void> owner "Object"
%typemap(javain) std::shared_ptr<void> owner "$javainput"
%typemap(in) std::shared_ptr<void> owner %{ $1 = pycuda_java::keep_alive(jenv, $input); %}

// Interprocess event handles are bytes.
%typemap(jni) pycuda::IpcEventHandle, const pycuda::IpcEventHandle& "jbyteArray"
%typemap(jtype) pycuda::IpcEventHandle, const pycuda::IpcEventHandle& "byte[]"
%typemap(jstype) pycuda::IpcEventHandle, const pycuda::IpcEventHandle& "byte[]"
%typemap(javain) const pycuda::IpcEventHandle& %{java.util.Objects.requireNonNull($javainput, "$javainput")%}
%typemap(javaout) pycuda::IpcEventHandle { return $jnicall; }
%typemap(in) const pycuda::IpcEventHandle& (pycuda::IpcEventHandle ipc) %{
    if (static_cast<std::size_t>(jenv->GetArrayLength($input)) != ipc.size()) {
        const std::string refusal = "expected an IPC handle of " + std::to_string(ipc.size()) + " bytes, given " +
                                    std::to_string(jenv->GetArrayLength($input));
        pycuda_java::throw_illegal_argument(jenv, refusal.c_str());
        return $null;
    }
    jenv->GetByteArrayRegion($input, 0, static_cast<jsize>(ipc.size()), reinterpret_cast<jbyte *>(ipc.data()));
    $1 = &ipc;
%}
%typemap(out) pycuda::IpcEventHandle %{
    {
        const auto size = static_cast<jsize>($1.size());
        $result = jenv->NewByteArray(size);
        if ($result) jenv->SetByteArrayRegion($result, 0, size, reinterpret_cast<const jbyte *>($1.data()));
    }
%}
%apply pycuda::IpcEventHandle { pycuda::IpcMemHandle };
%apply const pycuda::IpcEventHandle& { const pycuda::IpcMemHandle&, const pycuda::PoolPointerHandle& };
%apply pycuda::IpcEventHandle { pycuda::PoolPointerHandle };
