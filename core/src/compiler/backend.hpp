#pragma once

#include <string>
#include <vector>

#include "compiler/options.hpp"
#include "compiler/target.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/toolchain/toolchain.hpp"

namespace pycuda {

/// Text that a compiler reads in place of one of the program's headers.
struct HeaderCopy {
    std::string original;  ///< full path
    std::string name;      ///< in the build folder; #include lines use it
    std::string text;
};

/// One compilation, with everything resolved that does not depend on the backend.
struct CompileJob {
    std::string source;     ///< wrapped, with a #line that keeps the user's line numbers
    bool extern_c = false;  ///< whether in extern "C"
    std::string name;
    ParsedOptions options;
    std::vector<std::string> user_dirs;  ///< -I among the options, then include_dirs; absolute
    std::vector<HeaderCopy> header_copies;
    std::string device_dir;  ///< this library's headers; may be empty
    std::string code;        ///< -code; empty if not given
    CompileTarget target;
    std::vector<std::string> name_expressions;
    bool keep = false;
    bool minimal = false;
    bool is_quotable = false;  ///< the image ends with the source, for reports of the CPU device
};

/// A compiler that is installed.
struct Compiler {
    std::string backend;   ///< "nvcc" or "nvrtc"
    std::string path;      ///< of nvcc or of libnvrtc
    std::string identity;  ///< identifies it, independent of path and file time: part of the cache's key
    Toolkit toolkit;       ///< the one it belongs to; its folders of headers
};

struct BackendOutput {
    std::string image;
    std::string messages;  ///< the compiler's messages on success
    std::vector<std::string> lowered_names;
    std::vector<std::string> command_line;
    std::string build_dir;            ///< if it is kept
    bool lists_dependencies = false;  ///< `dependencies` is exact; otherwise the source must be scanned
    std::vector<std::string> dependencies;
};

/// nvcc cannot compile anything on this machine; the source may be correct.
class NoHostCompiler : public CompileError {
public:
    using CompileError::CompileError;
};

/// The header in `host` that includes what nvcc includes before every source.
inline constexpr const char* implicit_header = "pycuda-implicit.h";

/// The folders of headers that are searched after the program's, in order. NVRTC has no headers of the host, and pip's
/// package of it none of the toolkit: `host` and `toolkit` below `device_dir` stand for them.
std::vector<std::string> system_dirs(const CompileJob& job, const Compiler& compiler);

/// Both raise CompileError with the compiler's own messages. nvcc raises NoHostCompiler if it finds no host compiler.
BackendOutput compile_with_nvcc(const CompileJob& job, const Compiler& compiler);
BackendOutput compile_with_nvrtc(const CompileJob& job, const Compiler& compiler);
/// False in a process that was forked while another thread of its parent ran NVRTC.
bool is_nvrtc_usable() noexcept;

/// The CPU device names the source line of an invalid access, and quotes it: what is compiled for it has line
/// information, also without -lineinfo. Not the library's own kernels, and not PTX that the program asked for.
void add_line_info(CompileJob& job, const CompileRequest& request, bool is_for_cpu_device);
/// Makes a PTX text ASCII, and adds `source` as comments at its end, for the CPU device to quote its lines.
void make_quotable(std::string& image, const std::string& name, const std::string& source);

/// Numbers of the architectures that a compiler knows ("90" for sm_90), ascending; empty if unknown.
std::vector<int> nvcc_architectures(const Compiler& compiler);
std::vector<int> nvrtc_architectures(const Compiler& compiler);

/// CUDA's version that a compiler is of, as "13.0"; empty if unknown.
std::string compiler_version(const Compiler& compiler);
std::string nvrtc_version(const Compiler& compiler);

}  // namespace pycuda
