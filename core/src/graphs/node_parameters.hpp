#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "captures/graph_resources.hpp"
#include "pycuda/arrays/memcpy_nd.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

/// Throws std::invalid_argument for a width other than 1, 2 and 4, and for a value that does not fit.
CUDA_MEMSET_NODE_PARAMS fill_parameters(DevicePtr dest, unsigned value, std::size_t count, unsigned width);
/// Names, each followed by its value, as GraphNode::parameter_texts.
std::vector<std::string> texts_of(const CUDA_MEMSET_NODE_PARAMS& fill);
std::vector<std::string> texts_of(const CUDA_MEMCPY3D& copy);
/// Keep what an end of a copy uses. Device memory without an owner is an address that the program keeps.
void keep_copy_end(const CopyEnd& end, const std::shared_ptr<GraphResources>& resources);

}  // namespace pycuda
