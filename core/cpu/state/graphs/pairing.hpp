#pragma once

#include "state/graphs/graph.hpp"

#include <utility>
#include <vector>

namespace cpu::state::graphs {

/// Which node of one graph is which of another that has the same form: the n-th node without dependents is the n-th,
/// and the n-th dependency of a node the n-th of its partner.
struct Pairing {
    std::vector<std::pair<const Node*, const Node*>> pairs;  ///< also of the graphs that nodes embed
    CUgraphExecUpdateResultInfo result{};

    /// Whether the forms and types agree; `result` says what differs.
    bool pair(const Graph& old_graph, const Graph& new_graph);

private:
    bool pair_all(const Graph& old_graph, const Graph& new_graph);
    bool pair_nodes(const Node& old_node, const Node& new_node);
    bool differs(CUgraphExecUpdateResult how, const Node* node, const Node* from = nullptr);
};

}  // namespace cpu::state::graphs
