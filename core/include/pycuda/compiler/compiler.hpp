#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// Binary data that a language sees as its own byte string (Python: bytes, Java: byte[]).
using Bytes = std::vector<unsigned char>;

/// What to compile and how. Each field has the meaning of the argument with that name of pycuda.compiler.compile.
struct CompileRequest {
    std::string source;
    /// What diagnostics and __FILE__ call the source.
    std::string name = "kernel.cu";
    /// nvcc's name (looked up, see toolchain/toolchain.hpp) or path. Anything but "nvcc" also selects the nvcc backend
    /// in `auto`.
    std::string nvcc = "nvcc";
    /// nvcc's options, in order; the caller passes DEFAULT_NVCC_FLAGS if it has none.
    std::vector<std::string> options;
    /// Searched before the toolkit's and this library's own headers; relative ones are relative to the working
    /// directory.
    std::vector<std::string> include_dirs;
    /// Keep the build directory; its path is CompileResult::build_dir.
    bool keep = false;
    /// Do not wrap the source in extern "C" { ... }. Implied by name_expressions. Line numbers are the source's either
    /// way.
    bool no_extern_c = false;
    /// "sm_90", "compute_90", "sm_90a"... Empty: the current context's device, or the compiler's default if no context
    /// is current.
    std::string arch;
    /// Value of nvcc's -code; empty: not given. Selects the nvcc backend in `auto`.
    std::string code;
    /// "cubin", "ptx", "fatbin", "ltoir" (link_lto's input), or "" for what the current device loads: a cubin on a GPU,
    /// PTX on the CPU device. "cubin" without `arch` also becomes PTX on the CPU device, which has no machine code.
    std::string target;
    /// Folder of the disk cache; empty: PYCUDA_CACHE_DIR, else the per-user default (compiler/cache.hpp).
    std::string cache_dir;
    /// False: neither read nor write the cache. PYCUDA_DISABLE_CACHE in the environment has precedence.
    bool use_cache = true;
    /// C++ names of kernels or variables to instantiate and keep ("scale<float>"); see CompileResult::lowered_names.
    std::vector<std::string> name_expressions;
    /// "auto", "nvcc" or "nvrtc"; empty: PYCUDA_COMPILER in the environment, else auto.
    std::string backend;
    /// The source needs neither textures nor the runtime's API in device code: newer versions of NVRTC then leave them
    /// out, which takes a sixth less time.
    bool minimal = false;
    /// Take the fat binary that came with the package, if it has one of this source.
    bool use_prebuilt = false;
};

struct CompileResult {
    Bytes image;
    /// What `image` is: "cubin", "ptx", "fatbin" or "ltoir".
    std::string kind;
    /// Compiler messages of a successful compile, and fall-backs. Not printed: each language shows them in
    /// its own way.
    std::vector<std::string> warnings;
    /// Symbol of each name expression, in order, for Module::get_function.
    std::vector<std::string> lowered_names;
    /// "nvcc" or "nvrtc", also on a cache hit.
    std::string backend;
    /// True when the image came from the cache and no compiler ran.
    bool cached = false;
    /// The folder left behind by `keep`; else empty.
    std::string build_dir;
    /// The command that was run (for NVRTC: "nvrtc" and its options). On a cache hit, that of the original compile.
    std::vector<std::string> command_line;
};

/// Compile, or take the result from the disk cache, in which case no compiler runs. Thread-safe; blocks while the
/// compiler runs, so Python releases the GIL. Needs no current context and no open driver,
/// and opens neither. Prints nothing, except that a compile of more than two seconds shows one line if stderr is a
/// terminal and PYCUDA_QUIET is not set.
///
/// Raises CompileError if the compiler rejects the source (with its msg, stdout, stderr and command_line) or
/// none is found (msg lists the searched places and how to install one); std::invalid_argument for an
/// unknown target or backend name; RuntimeError if a file cannot be written.
CompileResult compile(const CompileRequest& request);

/// PYCUDA_DEFAULT_NVCC_FLAGS split at blanks: the initial value of DEFAULT_NVCC_FLAGS.
std::vector<std::string> default_nvcc_flags();

}  // namespace pycuda
