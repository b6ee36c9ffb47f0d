#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "pycuda/graphs/graph.hpp"

namespace pycuda {

/// A conditional node of a graph.
struct Graph::Condition {
    unsigned type = 0;  ///< CUgraphConditionalNodeType
    unsigned long long handle = 0;
    DevicePtr address = 0;  ///< the int32 that holds the condition
    std::vector<CUgraph> bodies;
    CUgraphNode setter = nullptr;       ///< the node before it, which reads the condition
    CUgraphNode last_setter = nullptr;  ///< for a loop: the node that reads the condition at the end of the body
};

}  // namespace pycuda
