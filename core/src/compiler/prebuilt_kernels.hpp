#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/target.hpp"

namespace pycuda {

/// The fat binary that came with the package for an array kernel, if it has one for the device's own
/// architecture. The file pycuda-kernels.fatbins lies in `device_dir`, beside the headers that its kernels include;
/// python/packaging/prebuilt_kernels.py writes it.
///
/// The file is a line that names its version, a line with the length of the index in ten digits, the index, and the
/// images. The index has a line with architectures, then for each image the digest of its options and source, its place
/// behind the index, and its length.
std::optional<std::string> prebuilt_image(const std::string& source, const std::vector<std::string>& options,
                                          const CompileTarget& target, const std::string& device_dir);

/// How many images the file has; 0 without a file.
std::size_t prebuilt_count(const std::string& device_dir);

}  // namespace pycuda
