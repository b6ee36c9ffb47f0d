#include "captures/use_in_graph.hpp"

#include <utility>

#include "captures/captures.hpp"
#include "captures/used_by_graphs.hpp"

namespace pycuda {
namespace {

/// What this thread last noted for one stream.
struct NotedOfLate {
    std::uint64_t changes = 0;
    CUstream stream = nullptr;
    std::array<std::uint64_t, 64> keys{};

    static std::uint64_t present() noexcept { return used_by_graphs::changes() + captures::changes(); }
    std::uint64_t& slot_of(std::uint64_t key) noexcept { return keys[(key >> 4 ^ key >> 10) % keys.size()]; }
    bool has(CUstream of, std::uint64_t key) noexcept {
        return stream == of && slot_of(key) == key && changes == present();
    }
};

/// The nodes whose arguments this thread is reading are the first `depth` elements. The others keep their capacity.
thread_local std::vector<NodeArguments> arguments;

/// The thread-local state that each captured launch and each argument of a node needs, found by a single access.
struct GraphsOfThread {
    std::size_t depth = 0;
    NodeArguments* reading = nullptr;  ///< the last of `depth`
    NotedOfLate noted;
};
constinit thread_local GraphsOfThread here;

void set_depth(std::size_t depth) noexcept {
    here.depth = depth;
    here.reading = depth == 0 ? nullptr : &arguments[depth - 1];
}

void note(NodeArguments& node, std::uint64_t address) {
    node.resources ? used_by_graphs::add(address, node.resources) : node.parts[node.part].memory.push_back(address);
}

}  // namespace

bool has_noted_use(CUstream stream, std::uint64_t key) noexcept {
    return !here.reading && here.noted.has(stream, key);
}

void note_use(CUstream stream, std::uint64_t key, const std::shared_ptr<GraphResources>& resources) {
    const std::uint64_t changes = NotedOfLate::present();
    used_by_graphs::add(key, resources);
    if (here.reading) return;
    NotedOfLate& noted = here.noted;
    if (noted.stream != stream || noted.changes != changes) noted = {changes, stream, {}};
    noted.slot_of(key) = key;
}

void note_memory_of_graph(CUstream stream, std::uint64_t address) {
    GraphsOfThread& mine = here;
    if (mine.reading) return note(*mine.reading, address);
    if (mine.noted.has(stream, address)) return;
    if (const auto graph = captures::resources_of(stream)) note_use(stream, address, graph);
}

void note_owner_of_graph(CUstream stream, const void* object, const std::function<std::shared_ptr<void>()>& keep) {
    if (NodeArguments* const node = here.reading) {
        // `keep` may run the language's code, which reads other nodes' arguments.
        if (const auto resources = node->resources) return resources->keep_owner(object, keep);
        const std::size_t depth = here.depth;
        auto kept = keep();
        NodeArguments& now = arguments[depth - 1];
        return now.parts[now.part].owners.push_back(std::move(kept));
    }
    if (const auto graph = captures::resources_of(stream)) graph->keep_owner(object, keep);
}

void note_host_memory_of_graph(CUstream stream, const void* memory) {
    note_memory_of_graph(stream, used_by_graphs::start_of(memory));
}

NodeArguments* node_arguments() noexcept {
    return here.reading;
}

UseInGraph::UseInGraph(CUstream stream)
    : stream_(stream), node_(node_arguments()), graph_(node_ ? node_->resources : captures::resources_of(stream)) {}

void UseInGraph::note(std::uint64_t address) const {
    node_ ? pycuda::note(*node_, address) : note_use(stream_, address, graph_);
}

void NodeArguments::begin(std::shared_ptr<GraphResources> resources) {
    const std::size_t depth = here.depth;
    if (arguments.size() == depth) arguments.emplace_back();
    arguments[depth].resources = std::move(resources);
    set_depth(depth + 1);
    ++open_captures;
}

void NodeArguments::end() {
    if (!here.reading) return;
    --open_captures;
    NodeArguments& read = *here.reading;
    set_depth(here.depth - 1);
    read.clear();
}

void NodeArguments::clear() noexcept {
    resources.reset();
    for (Part& read : parts) {
        read.memory.clear();
        read.owners.clear();
    }
    part = 0;
}

}  // namespace pycuda
