#include "pycuda/graphs/graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "captures/graph_resources.hpp"
#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "graphs/conditions.hpp"
#include "graphs/executable_uses.hpp"
#include "graphs/graphs_of_context.hpp"
#include "memory/graph_memory.hpp"

namespace pycuda {
namespace {

std::uint64_t key_of(CUgraph graph) {
    return reinterpret_cast<std::uintptr_t>(graph);
}

}  // namespace

void GraphTraits::destroy(CUgraph graph, Context*) noexcept {
    for (const auto& its_own : used_by_graphs::take(key_of(graph)))
        if (const auto memory = its_own->part_if_any<GraphMemory>()) return memory->take(graph);
    driver().cuGraphDestroy.clean_up(graph);
}

Graph::Graph() : resources_(std::make_shared<GraphResources>()) {
    auto context = Context::current();
    CUgraph graph = nullptr;
    driver().cuGraphCreate(&graph, 0);
    take(graph, std::move(context));
}

Graph::Graph(OfCapture) : resources_(std::make_shared<GraphResources>()) {}

Graph::Graph(CUgraph graph, std::shared_ptr<Context> context) : resources_(std::make_shared<GraphResources>()) {
    take(graph, std::move(context));
}

Graph::Graph(std::shared_ptr<Graph> outermost, CUgraph graph)
    : outermost_(std::move(outermost)), inner_(graph), resources_(outermost_->resources_) {}

Graph::~Graph() {
    close();  // while its resources are there
}

void Graph::take(CUgraph graph, std::shared_ptr<Context> context) {
    graph_ = {graph, context};
    context->attachment<GraphsOfContext>()->add(resources_);
}

std::shared_ptr<Graph> Graph::of_capture(const std::shared_ptr<Context>& context) {
    const std::shared_ptr<Graph> graph(new Graph(OfCapture{}));
    context->attachment<GraphsOfContext>()->add(graph->resources_);
    return graph;
}

SharedResources Graph::all_resources() const {
    const std::lock_guard lock(root().mutex_);
    SharedResources all = root().shared_;
    all.push_back(resources_);
    for (const auto& [node, resources] : root().of_nodes_) all.push_back(resources);
    return all;
}

void Graph::replace(CUgraphNode node, std::shared_ptr<GraphResources> resources) {
    context()->attachment<GraphsOfContext>()->add(resources);
    const std::lock_guard lock(root().mutex_);
    root().of_nodes_[node].swap(resources);  // the old resources are released after the lock
}

void Graph::share(const SharedResources& resources) {
    const std::lock_guard lock(root().mutex_);
    auto& shared = root().shared_;
    for (const auto& used : resources)
        if (used != resources_ && std::find(shared.begin(), shared.end(), used) == shared.end()) shared.push_back(used);
}

void Graph::require_not_captured() const {
    if (capturing_)
        throw LogicError("Graph", 0, "the graph is being captured: it can be used when the capture has ended");
}

Graph::Use Graph::use() const {
    require_not_captured();
    return use_captured();
}

CUgraph Graph::handle() const {
    require_not_captured();
    const CUgraph outermost = root().graph_.get();
    return inner_ ? inner_ : outermost;
}

Graph::Use Graph::use_captured() const {
    auto resources = resources_;  // before the graph is known to be open: see close()
    auto outermost = root().graph_.use();
    const CUgraph graph = inner_ ? inner_ : CUgraph(outermost);
    return Use(std::move(outermost), graph, std::move(resources));
}

std::shared_ptr<Context> Graph::context() const {
    return root().graph_.live_owner();
}

void Graph::close() noexcept {
    graph_.reset();
    // The object may live on, in Java until it is collected. Executable graphs, clones, captures and calls on other
    // threads (Use) share the resources.
    if (resources_.use_count() != 1) return;
    resources_->clear();
    SharedResources shared;
    decltype(of_nodes_) of_nodes;
    const std::lock_guard lock(mutex_);
    shared.swap(shared_);
    of_nodes.swap(of_nodes_);
}

void Graph::capture_begins() {
    if (capturing_.exchange(true)) throw LogicError("capture", 0, "the graph is being captured already");
}

void Graph::capture_into_failed() noexcept {
    capture_ended();
    root().graph_.forget();
}

bool Graph::is_new() const {
    return !inner_ && (!graph_.get_or_null() || raw_nodes().empty());
}

void Graph::adopt(CUgraph graph, std::shared_ptr<Context> context) {
    graph_ = {graph, std::move(context)};
}

void Graph::note_memory() {
    if (resources_->part_if_any<GraphMemory>()) used_by_graphs::add(key_of(root().graph_.get_or_null()), resources_);
}

// ---- its contents

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

Graph::Nodes Graph::roots() const {
    const auto graph = use();
    std::size_t count = 0;
    driver().cuGraphGetRootNodes(graph, nullptr, &count);
    std::vector<CUgraphNode> found(count);
    if (count != 0) driver().cuGraphGetRootNodes(graph, found.data(), &count);
    Nodes nodes;
    for (const CUgraphNode node : found) nodes.push_back(const_cast<Graph*>(this)->made(node));
    return nodes;
}

unsigned Graph::id() const {
    unsigned number = 0;
    driver().cuGraphGetId(use(), &number);
    return number;
}

void Graph::write_debug_dot(const std::string& path, unsigned flags) {
    finish_loops();
    const auto& call = driver().cuGraphDebugDotPrint;
    if (const CUresult result = call.try_call(use(), path.c_str(), flags))
        call.fail(result, "file '" + path + "', flags " + std::to_string(flags));
}

bool Graph::has(GraphNodeKind kind) const {
    const auto all = nodes();
    return std::any_of(all.begin(), all.end(), [kind](const GraphNode& node) { return node.kind() == kind; });
}

bool Graph::may_wait() const {
    const auto all = nodes();
    return std::any_of(all.begin(), all.end(), [](const GraphNode& node) {
        const GraphNodeKind kind = node.kind();
        if (kind == GraphNodeKind::GRAPH) return node.bodies().front()->may_wait();
        return kind == GraphNodeKind::BATCH_MEM_OP || kind == GraphNodeKind::EXT_SEMAS_WAIT;
    });
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

CUgraphNode Graph::first_of(CUgraphNode node) const {
    const std::lock_guard lock(root().mutex_);
    const auto found = root().conditions_.find(node);
    return found == root().conditions_.end() ? node : found->second->setter;
}

void Graph::require_there(CUgraphNode node, std::uint64_t removals) const {
    if (removals == this->removals()) return;
    const std::lock_guard lock(root().mutex_);
    const auto found = root().removed_nodes_.find(node);
    if (found != root().removed_nodes_.end() && found->second > removals)
        throw LogicError("GraphNode", 0, "the node was removed from its graph");
}

void Graph::removed(CUgraphNode node) {
    std::shared_ptr<GraphResources> used;  // released after the lock
    const std::lock_guard lock(root().mutex_);
    root().removed_nodes_[node] = root().removals_ + 1;
    root().removals_.fetch_add(1);
    if (const auto found = root().of_nodes_.find(node); found != root().of_nodes_.end()) {
        used = std::move(found->second);
        root().of_nodes_.erase(found);
    }
    for (const auto& [other, condition] : root().conditions_)
        if (condition->last_setter == node) condition->last_setter = nullptr;
}

std::vector<CUgraphNode> Graph::handles(const Nodes& after) const {
    std::vector<CUgraphNode> nodes;
    std::set<CUgraphNode> known;  // the driver refuses a node that is named twice
    for (const GraphNode& node : after)
        if (const CUgraphNode handle = own(node); known.insert(handle).second) nodes.push_back(handle);
    return nodes;
}

std::shared_ptr<Graph> Graph::clone() {
    finish_loops();
    CUgraph copy = nullptr;
    const auto original = use();
    const auto& call = driver().cuGraphClone;
    if (const CUresult result = call.try_call(&copy, original))
        call.fail(result, has(GraphNodeKind::CONDITIONAL) ? "a graph with conditions cannot be cloned" : "");
    const std::shared_ptr<Graph> clone(new Graph(copy, context()));
    clone->share(all_resources());
    return clone;
}

GraphNode Graph::find_in_clone(const GraphNode& original) {
    CUgraphNode found = nullptr;
    const auto& call = driver().cuGraphNodeFindInClone;
    if (const CUresult result = call.try_call(&found, original.handle(), use()))
        call.fail(result, "the node does not belong to the graph that this one was cloned from");
    return made(found);
}

}  // namespace pycuda
