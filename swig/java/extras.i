// Calls of the core whose parameters need more than a typemap of their own.
%{
#include <fcntl.h>

#include "pycuda/handle.hpp"
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

%inline %{
namespace pycuda_java {
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
inline void staged_htod(pycuda::DevicePtr dest, const void *src, std::size_t nbytes, const pycuda::Stream& stream) {
    pycuda::staged_htod(dest, src, nbytes, stream);
}
/// Java keeps what `dest` belongs to alive: see Stream.keep.
inline void staged_dtoh(void *dest, std::size_t nbytes, pycuda::DevicePtr src, const pycuda::Stream& stream) {
    pycuda::staged_dtoh(dest, nbytes, src, stream, nullptr);
}
}  // namespace pycuda_java
%}
