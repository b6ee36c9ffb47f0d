#include <algorithm>
#include <numeric>
#include <queue>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(graph, GraphSearch);

struct Graph {
    std::vector<unsigned> starts{0}, edges;
};

/// Undirected: vertices at random places on a long strip are joined to near ones; every 50th to none.
Graph strip(unsigned count) {
    Random random(12);
    std::vector<std::vector<unsigned>> neighbours(count);
    for (unsigned v = 0; v < count; ++v)
        for (int k = 0; k < 3; ++k) {
            const unsigned w = std::min(count - 1, v + random.bits() % 400);
            if (v % 50 == 0 || w % 50 == 0) continue;
            neighbours[v].push_back(w);
            neighbours[w].push_back(v);
        }
    Graph graph;
    for (const auto& list : neighbours) {
        graph.edges.insert(graph.edges.end(), list.begin(), list.end());
        graph.starts.push_back(static_cast<unsigned>(graph.edges.size()));
    }
    return graph;
}

std::vector<int> levels_from(const Graph& graph, unsigned start) {
    std::vector<int> levels(graph.starts.size() - 1, -1);
    std::queue<unsigned> queue({start});
    levels[start] = 0;
    for (; !queue.empty(); queue.pop())
        for (unsigned e = graph.starts[queue.front()]; e < graph.starts[queue.front() + 1]; ++e)
            if (int& level = levels[graph.edges[e]]; level == -1) {
                level = levels[queue.front()] + 1;
                queue.push(graph.edges[e]);
            }
    return levels;
}

struct DeviceGraph {
    CUdeviceptr starts, edges;
};

TEST_P(GraphSearch, LevelsByBreadth) {
    const unsigned count = 20011, start = 1;
    const Graph graph = strip(count);
    std::vector<int> initial(count, -1);
    initial[start] = 0;
    Buffer<unsigned> starts(graph.starts), edges(graph.edges), queue(count, start), next(count);
    Buffer<int> levels(initial);
    const Buffer<unsigned>*from = &queue, *to = &next;
    unsigned length = 1;
    for (int level = 1; length > 0; ++level) {
        const unsigned none = 0;
        set_global("found", &none, sizeof none);
        launch("expand", {blocks_for(length, 128), 128}, DeviceGraph{starts.address(), edges.address()}, *from, length,
               *to, levels, level);
        get_global("found", &length, sizeof length);
        std::swap(from, to);
    }
    EXPECT_EQ(levels.values(), levels_from(graph, start));
    expect_recorded("graph/levels", levels.values());
}

TEST_P(GraphSearch, Components) {
    const unsigned count = 3001;
    const Graph graph = strip(count);
    std::vector<unsigned> own(count), expected(count, ~0u);
    std::iota(own.begin(), own.end(), 0u);
    for (unsigned v = 0; v < count; ++v) {
        if (expected[v] != ~0u) continue;
        const auto levels = levels_from(graph, v);
        for (unsigned w = 0; w < count; ++w)
            if (levels[w] >= 0) expected[w] = v;
    }
    Buffer<unsigned> starts(graph.starts), edges(graph.edges), labels(own);
    Buffer<int> changed(1, 1);
    while (changed.values()[0]) {
        changed.set({0});
        launch("least_label", {blocks_for(count, 64), 64}, DeviceGraph{starts.address(), edges.address()}, count,
               labels, changed);
    }
    EXPECT_EQ(labels.values(), expected);
    expect_recorded("graph/components", labels.values());
}

}  // namespace
