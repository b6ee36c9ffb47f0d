#include "state/graphs/graph.hpp"

#include "state/graphs/condition.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <queue>
#include <unordered_map>

namespace cpu::state::graphs {

std::mutex& structure_mutex() noexcept {
    static auto* const mutex = new std::mutex;
    return *mutex;
}

bool is_default(const CUgraphEdgeData& data) noexcept {
    static constexpr CUgraphEdgeData none{};
    return std::memcmp(&data, &none, sizeof data) == 0;
}

void check_edge(const CUgraphEdgeData& data, CUgraphNodeType from, CUgraphNodeType to) {
    if (is_default(data)) return;
    require(data.to_port == 0);
    for (const unsigned char byte : data.reserved) require(byte == 0);
    require(data.type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    require(data.from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC ||
            data.from_port == CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
    require(from == CU_GRAPH_NODE_TYPE_KERNEL && to == CU_GRAPH_NODE_TYPE_KERNEL);
}

Node::Node(Graph& graph, std::shared_ptr<const Content> content, CUgraphNode origin)
    : handle_(reinterpret_cast<CUgraphNode>(new_handle_value())),
      graph_(&graph),
      content_(std::move(content)),
      origin_(origin) {}

Graph::Graph() : handle_(reinterpret_cast<CUgraph>(new_handle_value())) {}

namespace {

/// Functions that walk through nested graphs are recursive.
constexpr std::size_t deepest_nesting = 256;

auto edge_to(const Node& node) {
    return [&node](const Edge& edge) { return edge.node == &node; };
}

void publish_graphs(const Content& content) {
    for (const auto& graph : content.graphs()) graph->publish();
}
void retract_graphs(const Content& content) {
    for (const auto& graph : content.graphs()) graph->retract();
}

}  // namespace

Node& Graph::add(std::shared_ptr<const Content> content, std::span<const Edge> dependencies, CUgraphNode origin) {
    const CUgraphNodeType type = content->type();
    for (std::size_t i = 0; i < dependencies.size(); ++i) {
        const Edge& edge = dependencies[i];
        require(&edge.node->graph() == this);
        require(std::ranges::none_of(dependencies.first(i), edge_to(*edge.node)));
        check_edge(edge.data, edge.node->type(), type);
    }
    for (const auto& inner : content->graphs())
        require(level_ + 1 + inner->depth() <= deepest_nesting, CUDA_ERROR_OUT_OF_MEMORY);
    for (const auto& inner : content->graphs()) inner->set_level(level_ + 1);
    auto made = std::make_shared<Node>(*this, std::move(content), origin);
    made->dependencies_.assign(dependencies.begin(), dependencies.end());
    for (const Edge& edge : dependencies) edge.node->dependents_.push_back({made.get(), edge.data});
    nodes_.push_back(made);
    if (published_) {
        publish_graphs(made->content());
        all_nodes().add_as(made->handle(), made);
    }
    return *nodes_.back();
}

void Graph::remove(Node& node) {
    for (const Edge& edge : node.dependencies_) std::erase_if(edge.node->dependents_, edge_to(node));
    for (const Edge& edge : node.dependents_) std::erase_if(edge.node->dependencies_, edge_to(node));
    if (published_) {
        retract_graphs(node.content());
        all_nodes().take(node.handle());
    }
    std::erase_if(nodes_, [&](const auto& other) { return other.get() == &node; });
}

void Graph::set_content(Node& node, std::shared_ptr<const Content> content) {
    if (published_) {
        retract_graphs(node.content());
        publish_graphs(*content);
    }
    node.content_ = std::move(content);
}

void Graph::connect(Node& from, Node& to, const CUgraphEdgeData& data) {
    require(&from != &to && &from.graph() == this && &to.graph() == this);
    require(std::ranges::none_of(to.dependencies_, edge_to(from)));
    check_edge(data, from.type(), to.type());
    to.dependencies_.push_back({&from, data});
    from.dependents_.push_back({&to, data});
}

void Graph::disconnect(Node& from, Node& to, const CUgraphEdgeData* data) {
    require(&from.graph() == this && &to.graph() == this);
    const auto found = std::ranges::find_if(to.dependencies_, edge_to(from));
    require(found != to.dependencies_.end());
    require(!data || std::memcmp(&found->data, data, sizeof *data) == 0);
    to.dependencies_.erase(found);
    std::erase_if(from.dependents_, edge_to(to));
}

template <class Copy>
std::shared_ptr<Graph> Graph::copy(Copy copy_content) const {
    auto made = std::make_shared<Graph>();
    made->users = users;
    std::unordered_map<const Node*, Node*> copies;
    for (const auto& node : nodes_) copies[node.get()] = &made->add(copy_content(node->content()), {}, node->handle());
    for (const auto& node : nodes_) {
        Node& copied = *copies[node.get()];
        for (const Edge& edge : node->dependencies_) copied.dependencies_.push_back({copies[edge.node], edge.data});
        for (const Edge& edge : node->dependents_) copied.dependents_.push_back({copies[edge.node], edge.data});
    }
    return made;
}

std::shared_ptr<Graph> Graph::clone() const {
    return copy([](const Content& content) { return content.clone(); });
}

std::shared_ptr<Graph> Graph::instantiate() const {
    return copy([](const Content& content) { return content.instantiate(); });
}

std::vector<Node*> Graph::in_order() const {
    std::vector<std::size_t> missing(nodes_.size());
    // Of several possible next nodes, choose the one that was added first: the order in which the program added them.
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i]->position = i;
        missing[i] = nodes_[i]->dependencies_.size();
        if (missing[i] == 0) ready.push(i);
    }
    std::vector<Node*> order;
    for (; !ready.empty();) {
        order.push_back(nodes_[ready.top()].get());
        ready.pop();
        for (const Edge& edge : order.back()->dependents_)
            if (--missing[edge.node->position] == 0) ready.push(edge.node->position);
    }
    require(order.size() == nodes_.size());
    return order;
}

std::size_t Graph::depth() const {
    std::size_t deepest = 0;
    for (const auto& node : nodes_)
        for (const auto& inner : node->content().graphs()) deepest = std::max(deepest, inner->depth() + 1);
    return deepest;
}

void Graph::set_level(std::size_t level) {
    level_ = level;
    for (const auto& node : nodes_)
        for (const auto& inner : node->content().graphs()) inner->set_level(level + 1);
}

bool Graph::contains(const Graph& graph) const {
    if (this == &graph) return true;
    return std::ranges::any_of(nodes_, [&](const auto& node) {
        return std::ranges::any_of(node->content().graphs(), [&](const auto& inner) { return inner->contains(graph); });
    });
}

bool Graph::has(CUgraphNodeType type) const {
    return std::ranges::any_of(nodes_, [&](const auto& node) {
        return node->type() == type ||
               std::ranges::any_of(node->content().graphs(), [&](const auto& graph) { return graph->has(type); });
    });
}

std::vector<std::shared_ptr<UserObject>> Graph::all_users() const {
    std::vector<std::shared_ptr<UserObject>> all;
    for (const auto& [user, count] : users) all.push_back(user);
    for (const auto& node : nodes_)
        for (const auto& inner : node->content().graphs())
            for (auto& user : inner->all_users()) all.push_back(std::move(user));
    return all;
}

void Graph::forget_users() {
    users.clear();
    for (const auto& node : nodes_)
        for (const auto& inner : node->content().graphs()) inner->forget_users();
}

void Graph::check_bodies() const {
    constexpr std::array allowed = {CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY,
                                    CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_EMPTY,
                                    CU_GRAPH_NODE_TYPE_GRAPH,  CU_GRAPH_NODE_TYPE_CONDITIONAL};
    for (const auto& node : nodes_) {
        require(!conditional || std::ranges::find(allowed, node->type()) != allowed.end());
        for (const auto& inner : node->content().graphs()) {
            if (conditional) inner->conditional = true;
            inner->check_bodies();
        }
    }
}

void Graph::publish() {
    published_ = true;
    all_graphs().add_as(handle_, shared_from_this());
    for (const auto& node : nodes_) {
        publish_graphs(node->content());
        all_nodes().add_as(node->handle(), node);
    }
}

void Graph::retract() {
    published_ = false;
    all_graphs().take(handle_);
    for (const auto& condition : conditions) graphs::conditions().take(condition->handle());
    for (const auto& node : nodes_) {
        retract_graphs(node->content());
        all_nodes().take(node->handle());
    }
}

}  // namespace cpu::state::graphs
