#include "state/graphs/dot.hpp"

#include "state/graphs/graph.hpp"

#include <sstream>
#include <unordered_map>

namespace cpu::state::graphs {

namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "\\n";
        else if (c == '"' || c == '\\')
            (out += '\\') += c;
        else
            out += c;
    }
    return out;
}

class Picture {
public:
    Picture(std::ostream& out, bool verbose) : out_(out), verbose_(verbose) {}

    void add(const Graph& graph) {
        const std::size_t number = next_graph_++;
        out_ << "subgraph cluster_" << number << " {\nlabel=\"graph_" << number << "\"\n";
        std::unordered_map<const Node*, std::string> names;
        for (const auto& node : graph.nodes()) {
            names[node.get()] = "graph_" + std::to_string(number) + "_node_" + std::to_string(names.size());
            out_ << '"' << names[node.get()] << "\" [shape=box label=\"" << names.size() - 1 << "\\n"
                 << escaped(node->content().label(verbose_)) << "\"]\n";
        }
        for (const auto& node : graph.nodes())
            for (const Edge& edge : node->dependents())
                out_ << '"' << names[node.get()] << "\" -> \"" << names[edge.node] << '"'
                     << (is_default(edge.data) ? "\n" : " [style=dashed]\n");
        for (const auto& node : graph.nodes())
            for (const auto& embedded : node->content().graphs()) add(*embedded);
        out_ << "}\n";
    }

private:
    std::ostream& out_;
    bool verbose_;
    std::size_t next_graph_ = 1;
};

}  // namespace

std::string dot_of(const Graph& graph, bool verbose) {
    std::ostringstream text;
    text << "digraph dot {\n";
    Picture(text, verbose).add(graph);
    text << "}\n";
    return text.str();
}

}  // namespace cpu::state::graphs
