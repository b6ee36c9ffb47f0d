#pragma once

namespace cpu::state::graphs {

class Graph;

/// Writes a picture of the graph, and of those that its nodes embed, in the language of Graphviz. Throws
/// CUDA_ERROR_OPERATING_SYSTEM when the file cannot be written.
void write_dot(const Graph& graph, const char* path, bool verbose);

}  // namespace cpu::state::graphs
