#include "state/graphs/pairing.hpp"

#include <unordered_map>

namespace cpu::state::graphs {

namespace {

std::vector<Node*> exits(const Graph& graph) {
    std::vector<Node*> found;
    for (const auto& node : graph.nodes())
        if (node->dependents().empty()) found.push_back(node.get());
    return found;
}

}  // namespace

bool Pairing::differs(CUgraphExecUpdateResult how, const Node* node, const Node* from) {
    result = {how, node ? node->handle() : nullptr, from ? from->handle() : nullptr};
    return false;
}

bool Pairing::pair(const Graph& old_graph, const Graph& new_graph) {
    result.result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    new_graph.in_order();  // checks that there is no cycle
    return pair_all(old_graph, new_graph);
}

bool Pairing::pair_all(const Graph& old_graph, const Graph& new_graph) {
    constexpr auto changed = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    if (old_graph.nodes().size() != new_graph.nodes().size()) return differs(changed, nullptr);
    const auto old_exits = exits(old_graph), new_exits = exits(new_graph);
    if (old_exits.size() != new_exits.size())
        return differs(changed, new_exits.size() > old_exits.size() ? new_exits[old_exits.size()] : nullptr);
    std::unordered_map<const Node*, const Node*> partner_of_old, partner_of_new;
    std::vector<std::pair<const Node*, const Node*>> open;
    const auto meet = [&](const Node* old_node, const Node* new_node) {
        const auto [of_old, first] = partner_of_old.emplace(old_node, new_node);
        const auto [of_new, also_first] = partner_of_new.emplace(new_node, old_node);
        if (first && also_first) open.emplace_back(old_node, new_node);
        return of_old->second == new_node && of_new->second == old_node;
    };
    for (std::size_t i = 0; i < old_exits.size(); ++i) meet(old_exits[i], new_exits[i]);
    while (!open.empty()) {
        const auto [old_node, new_node] = open.back();
        open.pop_back();
        if (!pair_nodes(*old_node, *new_node)) return false;
        const auto& old_edges = old_node->dependencies();
        const auto& new_edges = new_node->dependencies();
        if (old_edges.size() != new_edges.size()) return differs(changed, new_node);
        for (std::size_t i = 0; i < old_edges.size(); ++i)
            if (!meet(old_edges[i].node, new_edges[i].node)) return differs(changed, new_node, new_edges[i].node);
    }
    return true;
}

bool Pairing::pair_nodes(const Node& old_node, const Node& new_node) {
    if (old_node.type() != new_node.type()) return differs(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, &new_node);
    pairs.emplace_back(&old_node, &new_node);
    const auto old_graphs = old_node.content().graphs(), new_graphs = new_node.content().graphs();
    if (old_graphs.size() != new_graphs.size())
        return differs(CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, &new_node);
    for (std::size_t i = 0; i < old_graphs.size(); ++i)
        if (!pair_all(*old_graphs[i], *new_graphs[i])) return false;
    return true;
}

}  // namespace cpu::state::graphs
