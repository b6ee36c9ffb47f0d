#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// nvcc options, sorted by their meaning to the backends.
struct ParsedOptions {
    std::vector<std::string> nvcc;          ///< for nvcc: as given, folders of headers made absolute, -arch taken out
    std::vector<std::string> nvrtc;         ///< the same for NVRTC, without folders of headers
    std::vector<std::string> include_dirs;  ///< absolute, in order
    std::vector<std::string> pre_includes;  ///< headers included before the source (-include); in neither list
    std::string arch;                       ///< value of -arch; empty when there is none
    bool has_gencode = false;               ///< the options choose architectures in a way only nvcc knows
    std::string nvrtc_only;                 ///< the first option that nvcc does not know; empty when there is none
    std::string nvcc_only;                  ///< the first option without a meaning for NVRTC; empty when there is none
};

ParsedOptions parse_options(const std::vector<std::string>& options);

}  // namespace pycuda
