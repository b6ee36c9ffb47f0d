#pragma once

#include <string>

namespace pycuda {

/// nvcc's identity: "nvcc 13.0.88 <digest>", the digest over what `nvcc --version` prints and over the programs it
/// runs. That nvcc is run at most once for a file: the answer is remembered in this process and, if given, in
/// `memo_folder`. Empty if it cannot be run.
std::string nvcc_identity(const std::string& path, const std::string& memo_folder);

/// libnvrtc's identity: "nvrtc <major version> <build id>". The library is not loaded.
std::string nvrtc_identity(const std::string& path);

/// The linker's build id of an ELF file, in hex, else a digest of the content; empty if there is no such file.
std::string build_id(const std::string& path);

}  // namespace pycuda
