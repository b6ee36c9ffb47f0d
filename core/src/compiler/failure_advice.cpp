#include "compiler/failure_advice.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace {

/// A package of pip by its names for CUDA 13 and for older versions ("-cu12" follows), and the version for CUDA 13 if
/// that is not CUDA's.
struct Package {
    std::string_view name, older_name;
    std::string_view version;
};
constexpr Package cccl{"nvidia-cuda-cccl", "nvidia-cuda-cccl", ""};
constexpr Package crt{"nvidia-cuda-crt", "nvidia-cuda-nvcc", ""};
constexpr Package runtime{"nvidia-cuda-runtime", "nvidia-cuda-runtime", ""};
constexpr Package curand{"nvidia-curand", "nvidia-curand", "10.4"};

/// The package of the headers whose names begin with `start`.
struct Row {
    std::string_view start;
    const Package& package;
};
constexpr Row rows[] = {
    {"curand", curand},
    {"cub/", cccl},
    {"thrust/", cccl},
    {"cuda/", cccl},
    {"nv/", cccl},
    {"crt/", crt},
    {"mma.h", runtime},
    {"cooperative_groups", runtime},
    {"cuda_", runtime},
    {"cuComplex.h", runtime},
    {"math_constants.h", runtime},
    {"library_types.h", runtime},
    {"channel_descriptor.h", runtime},
    {"sm_", runtime},
};

/// The text between `before` and `after`; empty if it is not there.
std::string text_between(const std::string& text, std::string_view before, std::string_view after) {
    const std::size_t found = text.find(before);
    if (found == std::string::npos) return {};
    const std::size_t begin = found + before.size(), end = text.find(after, begin);
    return end == std::string::npos ? std::string{} : text.substr(begin, end - begin);
}

/// As NVRTC, or GCC in nvcc, names it.
std::string missing_header(const std::string& messages) {
    std::string name = text_between(messages, "cannot open source file \"", "\"");
    return name.empty() ? text_between(messages, "fatal error: ", ": No such file") : name;
}

/// "nvidia-cuda-cccl==13.0.*", "nvidia-cuda-cccl-cu12==12.4.*". `version`: CUDA's.
std::string requirement(const Package& package, const std::string& version) {
    const int major = std::atoi(version.c_str());
    if (major < 13) {
        const std::string name = std::string(package.older_name) + "-cu" + std::to_string(major);
        return package.version.empty() ? name + "==" + version + ".*" : name;
    }
    return std::string(package.name) + "==" + (package.version.empty() ? version : std::string(package.version)) + ".*";
}

bool is_installed_by_pip(const Toolkit& toolkit) {
    return toolkit.root.find("-packages/nvidia") != std::string::npos;
}

std::string advice_on_header(const Compiler& compiler, const std::string& header) {
    const auto row = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& candidate) { return header.starts_with(candidate.start); });
    if (row == std::end(rows)) {
        const std::string host = compiler.backend == "nvrtc" ? "NVRTC has no headers of the host. " : "";
        return header + " was not found. " + host + "If it is your own header, " + advice().include_dirs +
               ". If device code does not need it, remove the #include.";
    }
    const std::string version = compiler_version(compiler);
    if (advice().pip_install && is_installed_by_pip(compiler.toolkit) && !version.empty())
        return header + " is in a package that is not installed:\n  " + advice().pip_install + " \"" +
               requirement(row->package, version) + "\"";
    return header + " is part of CUDA, but the toolkit in " + compiler.toolkit.root +
           " does not have it. Install NVIDIA's complete CUDA toolkit, and set CUDA_HOME to its folder.";
}

/// Whether the first error is in a header of the toolkit, and is that NVRTC refuses functions of the host.
bool refuses_code_of_the_host(const Compiler& compiler, const std::string& messages) {
    const std::size_t error = messages.find("): error: ");
    if (error == std::string::npos || messages.find("not allowed in JIT mode") == std::string::npos) return false;
    const std::size_t line = messages.rfind('\n', error) + 1;  // 0 if there is none before
    return std::any_of(compiler.toolkit.include_dirs.begin(), compiler.toolkit.include_dirs.end(),
                       [&](const std::string& folder) { return messages.compare(line, folder.size(), folder) == 0; });
}

}  // namespace

std::string failure_advice(const CompileJob& job, const Compiler& compiler, const std::string& messages) {
    // NVRTC: may not have extern "C" linkage; has "C" linkage. GCC: template with C linkage.
    const bool complains_of_linkage =
        messages.find("\"C\" linkage") != std::string::npos || messages.find("with C linkage") != std::string::npos;
    if (job.extern_c && complains_of_linkage)
        return std::string(
                   "The source is compiled inside extern \"C\", which allows neither templates nor overloaded "
                   "functions, and so not cuda_fp16.h or curand_kernel.h: ") +
               advice().no_extern_c + ", and write extern \"C\" before each __global__ function.";
    if (refuses_code_of_the_host(compiler, messages))
        return "A header of CUDA that the source includes has code for the host, which only nvcc compiles. NVRTC "
               "compiles "
               "headers for device code, such as cub/block/block_reduce.cuh instead of cub/cub.cuh.";
    const std::string header = missing_header(messages);
    return header.empty() ? std::string{} : advice_on_header(compiler, header);
}

}  // namespace pycuda
