#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// nvcc's options, sorted by their meaning for the backends.
struct ParsedOptions {
    std::vector<std::string> nvcc;          ///< for nvcc: as given, with absolute header folders, without -arch
    std::vector<std::string> nvrtc;         ///< the same for NVRTC, without header folders
    std::vector<std::string> include_dirs;  ///< absolute, in order
    std::vector<std::string> pre_includes;  ///< headers included before the source (-include); in neither list
    std::string arch;                       ///< value of -arch; empty if there is none
    bool has_gencode = false;               ///< the options choose architectures in a way that only nvcc supports
    std::string nvrtc_only;                 ///< the first option that nvcc does not know; empty if there is none
    std::string nvcc_only;                  ///< the first option that NVRTC does not support; empty if there is none
};

ParsedOptions parse_options(const std::vector<std::string>& options);

}  // namespace pycuda
