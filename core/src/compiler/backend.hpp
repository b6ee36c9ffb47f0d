#pragma once

#include <string>
#include <vector>

#include "compiler/options.hpp"
#include "compiler/target.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/compiler/toolchain.hpp"
#include "pycuda/error.hpp"

namespace pycuda {

/// A text that a compiler reads in place of one of the program's headers.
struct HeaderCopy {
    std::string original;  ///< full path
    std::string name;      ///< in the build folder, which #include names
    std::string text;
};

/// One compile, with everything resolved that does not depend on the backend.
struct CompileJob {
    std::string source;  ///< wrapped, and with a #line so that line numbers are the user's
    std::string name;
    ParsedOptions options;
    std::vector<std::string> user_dirs;  ///< -I among the options, then include_dirs; absolute
    std::vector<HeaderCopy> header_copies;
    std::string device_dir;  ///< this library's headers; may be empty
    std::string code;        ///< -code; empty: not given
    CompileTarget target;
    std::vector<std::string> name_expressions;
    bool keep = false;
    bool minimal = false;
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
    std::string build_dir;            ///< when kept
    bool lists_dependencies = false;  ///< `dependencies` is exact; otherwise the source has to be scanned
    std::vector<std::string> dependencies;
};

/// nvcc cannot compile anything here: it has said nothing about the source.
class NoHostCompiler : public CompileError {
public:
    using CompileError::CompileError;
};

/// Both raise CompileError with the compiler's own messages; nvcc, NoHostCompiler where it finds no host compiler.
BackendOutput compile_with_nvcc(const CompileJob& job, const Compiler& compiler);
BackendOutput compile_with_nvrtc(const CompileJob& job, const Compiler& compiler);

/// Numbers of the architectures that a compiler knows ("90" for sm_90), ascending; empty if unknown.
std::vector<int> nvcc_architectures(const Compiler& compiler);
std::vector<int> nvrtc_architectures(const Compiler& compiler);

}  // namespace pycuda
