#pragma once

#include <string>

namespace pycuda {

/// Keeps a file open until the process ends, where its name could be deleted meanwhile. Returns the path by which it is
/// then found.
std::string keep_file_open(const std::string& path);

}  // namespace pycuda
