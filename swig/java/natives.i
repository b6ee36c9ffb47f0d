// What hand-written Java of this package takes from the core, not public: addresses are numbers here.
%feature("java:methodmodifiers", " ");
%{
#include <fcntl.h>

#include "host_function.hpp"
#include "pycuda/handle.hpp"
#include "pycuda/loading.hpp"
#include "pycuda/report.hpp"
%}

%include "jit.i"

%typemap(jni) pycuda::JitLog *log "jobjectArray"
%typemap(jtype) pycuda::JitLog *log "String[]"
%typemap(jstype) pycuda::JitLog *log "String[]"
%typemap(javain) pycuda::JitLog *log "$javainput"
%typemap(in) pycuda::JitLog *log %{
    pycuda_java::JitLogWriter writer$argnum(jenv, $input);
    $1 = writer$argnum.log();
%}

%typemap(jni) jobject host_function "jobject"
%typemap(jtype) jobject host_function "HostFunction"
%typemap(jstype) jobject host_function "HostFunction"
%typemap(javain) jobject host_function "$javainput"
%typemap(in) jobject host_function "$1 = $input;"

%inline %{
namespace pycuda_java {
/// Queues it for when the stream gets there.
inline void add_host_function(JNIEnv *jenv, const pycuda::Stream& stream, jobject host_function) {
    stream.add_host_function(pycuda_java::host_function(jenv, host_function));
}
/// Where a direct buffer's memory starts; its position does not count. 0 if it is no direct buffer.
inline const void *buffer_address(JNIEnv *jenv, jobject direct_buffer) {
    return jenv->GetDirectBufferAddress(direct_buffer);
}
/// A view, of big-endian order, of memory that somebody else owns.
inline jobject new_direct_buffer(JNIEnv *jenv, void *address, std::size_t nbytes) {
    return jenv->NewDirectByteBuffer(address, static_cast<jlong>(nbytes));
}
/// `options`: pairs of JitOption and value. `log`: null, or two elements that get the information and the error text.
inline std::shared_ptr<pycuda::Module> module_from_buffer(const void *image, std::size_t nbytes,
                                                          const std::vector<pycuda::JitSetting>& options,
                                                          pycuda::JitLog *log) {
    return pycuda::Module::from_buffer(image, nbytes, options, log);
}
/// Opens a file and gives a path that stays good when its name is deleted, for as long as the process lives.
inline std::string open_file(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    return descriptor < 0 ? path : "/proc/self/fd/" + std::to_string(descriptor);
}
/// How many handles of a kind ("device allocation", ...) are alive: for tests.
inline std::int64_t live_handles(const std::string& what) { return pycuda::live_handles(what); }
/// What a bug report needs, as text and as JSON, and "ok" if a kernel was compiled and run.
inline std::vector<std::string> report(const std::string& language) {
    const pycuda::Report made = pycuda::report(language);
    return {made.text, made.json, made.ok ? "ok" : ""};
}
/// Where the count of contexts that have ended stands: 8 bytes that are good for ever.
inline const void *ended_contexts_address() { return &pycuda::ended_contexts(); }
inline void staged_htod(std::uint64_t dest, const void *src, std::size_t nbytes, const pycuda::Stream& stream) {
    pycuda::staged_htod(dest, src, nbytes, stream);
}
/// Keeps `owner`, which `dest` belongs to, until the copy is done.
inline void staged_dtoh(void *dest, std::size_t nbytes, std::uint64_t src, const pycuda::Stream& stream,
                        std::shared_ptr<void> owner) {
    pycuda::staged_dtoh(dest, nbytes, src, stream, std::move(owner));
}
/// Keeps the object until the stream has done what is queued now: if need be, by waiting for that.
inline void keep_until_done(const pycuda::Stream& stream, std::shared_ptr<void> owner) {
    try {
        stream.keep_until_done(std::move(owner));
    } catch (...) {
        stream.synchronize();
        throw;
    }
}
/// Frees the memory when the stream has done what is queued now; now if the stream is of no use any more.
inline void free_when_done(const pycuda::Stream& stream, pycuda::DeviceAllocation& memory) {
    auto owned = std::make_shared<pycuda::DeviceAllocation>(std::move(memory));
    try {
        stream.keep_until_done(owned);
    } catch (const pycuda::Error&) {
    }
}
}  // namespace pycuda_java
%}

%include "loading.i"
