#pragma once

#include <string>

namespace pycuda {

/// nvcc's identity: "nvcc 13.0.88 <digest>", where the digest covers the output of `nvcc --version` and the programs
/// that nvcc runs. Each nvcc is run at most once: the result is kept in this process and, if given, in `memo_folder`.
/// Empty if it cannot be run.
std::string nvcc_identity(const std::string& path, const std::string& memo_folder);

/// libnvrtc's identity: "nvrtc <major version> <build id>". The library is not loaded.
std::string nvrtc_identity(const std::string& path);

/// The linker's build id of an ELF file, in hex, else a digest of the content; empty if there is no such file.
std::string build_id(const std::string& path);

}  // namespace pycuda
