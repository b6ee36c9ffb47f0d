#pragma once

#include <string>

namespace cpu::state::graphs {

class Graph;

/// A picture of the graph, and of those that its nodes embed, in the language of Graphviz.
std::string dot_of(const Graph& graph, bool verbose);

}  // namespace cpu::state::graphs
