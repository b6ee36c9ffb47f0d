#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dependencies.hpp"

namespace pycuda {

/// One compiled image, and everything that determines whether it is up to date.
struct CacheEntry {
    std::string name;  ///< source name
    std::string kind;  ///< "cubin", "ptx", "fatbin"
    std::string arch;
    std::string backend;   ///< "nvcc", "nvrtc"
    std::string compiler;  ///< identity of the compiler that made it
    std::vector<std::string> command_line;
    std::vector<std::string> lowered_names;
    Dependencies dependencies;
    std::string image;
};

/// One file's content, with a checksum over all of it.
std::string serialize(const CacheEntry& entry);
/// Empty if the text is not an intact entry of this version.
std::optional<CacheEntry> parse_cache_entry(std::string_view text);

}  // namespace pycuda
