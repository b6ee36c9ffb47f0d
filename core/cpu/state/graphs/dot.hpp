#pragma once

#include <string>

namespace cpu::state::graphs {

class Graph;

/// The graph, and those that its nodes embed, in Graphviz's DOT language.
std::string dot_of(const Graph& graph, bool verbose);

}  // namespace cpu::state::graphs
