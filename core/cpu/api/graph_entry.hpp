#pragma once

#include "api/abi.hpp"
#include "state/graphs/graph.hpp"

namespace cpu::api {

/// A driver call that reads or changes graphs.
template <class Body>
CUresult graph_entry(const char* name, Body&& body) noexcept {
    return entry(name, [&] {
        std::lock_guard lock(state::graphs::structure_mutex());
        return body();
    });
}

/// The nodes that the program gives, with optional data. Throws CUDA_ERROR_INVALID_VALUE.
inline std::vector<state::graphs::Edge> edges_to(const CUgraphNode* nodes, const CUgraphEdgeData* data,
                                                 std::size_t count) {
    require(nodes != nullptr || count == 0);
    std::vector<state::graphs::Edge> edges;
    for (std::size_t i = 0; i < count; ++i)
        edges.push_back({state::graphs::node_of(nodes[i]).get(), data ? data[i] : CUgraphEdgeData{}});
    return edges;
}

}  // namespace cpu::api
