#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// The same program, started by a shell that changes the folder first.
std::vector<std::string> in_folder(const std::vector<std::string>& arguments, const std::string& folder);

}  // namespace pycuda
