#include "compiler/backend.hpp"

#include "platform/files.hpp"

namespace pycuda {

std::vector<std::string> system_dirs(const CompileJob& job, const Compiler& compiler) {
    std::vector<std::string> folders;
    if (!job.device_dir.empty()) folders.push_back(job.device_dir);
    const bool lacks_headers = compiler.backend == "nvrtc" && !job.device_dir.empty();
    if (lacks_headers) folders.push_back(join_path(job.device_dir, "host"));
    folders.insert(folders.end(), compiler.toolkit.include_dirs.begin(), compiler.toolkit.include_dirs.end());
    if (lacks_headers) folders.push_back(join_path(job.device_dir, "toolkit"));
    return folders;
}

std::string compiler_version(const Compiler& compiler) {
    if (compiler.backend == "nvrtc") return nvrtc_version(compiler);
    // "nvcc 13.0.88 <digest>"
    const std::size_t begin = compiler.identity.find(' ') + 1;
    const std::size_t minor = compiler.identity.find('.', begin);
    return minor == std::string::npos
               ? std::string{}
               : compiler.identity.substr(begin, compiler.identity.find_first_of(". ", minor + 1) - begin);
}

}  // namespace pycuda
