// The Java package org.pycuda.compiler: package-private natives under its hand-written classes.
%module(jniclassname="CompilerJNI") CompilerCore
%{
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/compiler/cache.hpp"
#include "pycuda/toolchain/toolchain.hpp"
%}

%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    org.pycuda.Driver.version();  // loads the native library
    DeviceHeaders.provide();
    LibraryPath.provide();
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
%typemap(javain) CXX_TYPE, CXX_TYPE * %{java.util.Objects.requireNonNull($javainput, "$javainput")%}
%typemap(javaout) CXX_TYPE, CXX_TYPE * { return $jnicall; }
%typemap(out) CXX_TYPE %{ $result = pycuda_java::to_java(jenv, $1); %}
%typemap(out) CXX_TYPE * %{ $result = pycuda_java::to_java(jenv, *$1); %}
%typemap(in) CXX_TYPE * ($*1_ltype copy) %{
    if (!pycuda_java::has_no_null(jenv, $input)) return $null;
    copy = pycuda_java::from_java(jenv, $input);
    $1 = &copy;
%}
%enddef
// Members are passed as arrays, which are copied.
PYCUDA_JAVA_ARRAY(jobjectArray, String, std::vector<std::string>)
PYCUDA_JAVA_ARRAY(jbyteArray, byte, std::vector<unsigned char>)

%immutable pycuda::CompileResult::image;
%immutable pycuda::CompileResult::warnings;
%immutable pycuda::CompileResult::lowered_names;
%immutable pycuda::CompileResult::command_line;
%include "pycuda/compiler/compiler.hpp"
%include "linking.i"

// The disk cache, identified by its folder: it has no other state.
%inline %{
namespace pycuda_java {
inline std::string cache_directory(const std::string& directory) { return pycuda::CompilerCache(directory).directory(); }
/// Seven texts for each entry: key, name, kind, arch, compiler, bytes, last use.
inline std::vector<std::string> cache_list(const std::string& directory) {
    std::vector<std::string> texts;
    for (const pycuda::CacheEntryInfo& entry : pycuda::CompilerCache(directory).list())
        texts.insert(texts.end(), {entry.key, entry.name, entry.kind, entry.arch, entry.compiler,
                                   std::to_string(entry.nbytes), std::to_string(entry.last_used)});
    return texts;
}
inline std::uint64_t cache_size(const std::string& directory) { return pycuda::CompilerCache(directory).size(); }
inline std::size_t cache_clear(const std::string& directory) { return pycuda::CompilerCache(directory).clear(); }
inline std::size_t cache_export(const std::string& directory, const std::string& filename) {
    return pycuda::CompilerCache(directory).export_to(filename);
}
inline std::size_t cache_import(const std::string& directory, const std::string& filename) {
    return pycuda::CompilerCache(directory).import_from(filename);
}
/// Where the compiler finds this library's own device headers.
inline void set_device_include_dir(const std::string& directory) { pycuda::set_device_include_dir(directory); }
/// A folder that may hold libnvrtc.
inline void add_toolkit_library_folder(const std::string& directory) { pycuda::add_toolkit_library_folder(directory); }
inline std::string device_include_dir() { return pycuda::device_include_dir(); }
}  // namespace pycuda_java
%}
