#pragma once

#include "state/graphs/graph.hpp"

#include <utility>
#include <vector>

namespace cpu::state::graphs {

/// Pairs the nodes of two graphs of the same form: the n-th node without dependents with the n-th, and the n-th
/// dependency of a node with the n-th of its partner.
struct Pairing {
    std::vector<std::pair<const Node*, const Node*>> pairs;  ///< including the graphs that nodes embed
    CUgraphExecUpdateResultInfo result{};

    /// True if the forms and types agree; otherwise `result` says what differs.
    bool pair(const Graph& old_graph, const Graph& new_graph);

private:
    bool pair_all(const Graph& old_graph, const Graph& new_graph);
    bool pair_nodes(const Node& old_node, const Node& new_node);
    bool differs(CUgraphExecUpdateResult how, const Node* node, const Node* from = nullptr);
};

}  // namespace cpu::state::graphs
