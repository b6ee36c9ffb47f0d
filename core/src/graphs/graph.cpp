#include "pycuda/graphs/graph.hpp"

#include <utility>

#include "driver_table.hpp"
#include "graphs/captures.hpp"
#include "graphs/conditions.hpp"
#include "graphs/graph_resources.hpp"

namespace pycuda {

void GraphTraits::destroy(CUgraph graph) noexcept {
    driver().cuGraphDestroy.clean_up(graph);
}

Graph::Graph() : resources_(std::make_shared<GraphResources>()) {
    auto context = Context::current();
    CUgraph graph = nullptr;
    driver().cuGraphCreate(&graph, 0);
    take(graph, std::move(context));
}

Graph::Graph(CUgraph graph, std::shared_ptr<Context> context) : resources_(std::make_shared<GraphResources>()) {
    take(graph, std::move(context));
}

Graph::Graph(std::shared_ptr<Graph> outermost, CUgraph graph)
    : outermost_(std::move(outermost)), inner_(graph), resources_(outermost_->resources_) {}

Graph::~Graph() = default;

void Graph::take(CUgraph graph, std::shared_ptr<Context> context) {
    graph_ = {graph, context};
    resources_->attach_to(graph);
    context->attachment<GraphsOfContext>()->add(resources_);
}

Graph::Use Graph::use() const {
    if (capturing_)
        throw LogicError("Graph", 0, "the graph is being captured: it can be used when the capture has ended");
    return use_captured();
}

Graph::Use Graph::use_captured() const {
    auto outermost = root().graph_.use();
    const CUgraph graph = inner_ ? inner_ : CUgraph(outermost);
    return Use(std::move(outermost), graph);
}

std::shared_ptr<Context> Graph::context() const {
    return root().graph_.live_owner();
}

void Graph::close() noexcept {
    graph_.reset();
}

void Graph::capture_begins() {
    if (capturing_.exchange(true)) throw LogicError("capture", 0, "the graph is being captured already");
}

void Graph::adopt(CUgraph graph) {
    auto context = graph_.live_owner();
    graph_ = {};
    take(graph, std::move(context));
}

// ---- what is in it

std::vector<CUgraphNode> Graph::raw_nodes() const {
    const auto graph = use();
    std::size_t count = 0;
    driver().cuGraphGetNodes(graph, nullptr, &count);
    std::vector<CUgraphNode> nodes(count);
    if (count != 0) driver().cuGraphGetNodes(graph, nodes.data(), &count);
    return nodes;
}

Graph::Nodes Graph::nodes() const {
    Nodes nodes;
    for (const CUgraphNode node : raw_nodes()) nodes.push_back(const_cast<Graph*>(this)->made(node));
    return nodes;
}

Graph::Nodes Graph::edge_ends() const {
    const auto graph = use();
    std::size_t count = 0;
    driver().cuGraphGetEdges(graph, nullptr, nullptr, &count);
    std::vector<CUgraphNode> from(count), to(count);
    if (count != 0) driver().cuGraphGetEdges(graph, from.data(), to.data(), &count);
    Nodes ends;
    for (std::size_t k = 0; k < count; ++k) {
        ends.push_back(const_cast<Graph*>(this)->made(from[k]));
        ends.push_back(const_cast<Graph*>(this)->made(to[k]));
    }
    return ends;
}

CUgraphNode Graph::own(const GraphNode& node) const {
    const Graph& other = *node.graph();
    if (&other.root() != &root() || other.inner_ != inner_)
        throw LogicError("Graph", 0, "the node belongs to another graph");
    return node.handle();
}

std::vector<CUgraphNode> Graph::handles(const Nodes& after) const {
    std::vector<CUgraphNode> nodes;
    for (const GraphNode& node : after) nodes.push_back(own(node));
    return nodes;
}

std::shared_ptr<Graph> Graph::clone() {
    finish_loops();
    CUgraph copy = nullptr;
    driver().cuGraphClone(&copy, use());
    // The driver has given the copy the references of the original: its own resources are for what is added to it.
    return std::shared_ptr<Graph>(new Graph(copy, context()));
}

GraphNode Graph::find_in_clone(const GraphNode& original) {
    CUgraphNode found = nullptr;
    driver().cuGraphNodeFindInClone(&found, original.handle(), use());
    return made(found);
}

}  // namespace pycuda
