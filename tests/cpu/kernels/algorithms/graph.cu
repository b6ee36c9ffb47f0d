// Breadth-first search, level by level: each level's vertices are a queue that the level before filled.

struct Graph {
    const unsigned* starts;
    const unsigned* edges;
};

__device__ unsigned found;  // how long the next queue is

// A thread a vertex. Vertices found are gathered by warps: one atomic for all lanes that are here together.
extern "C" __global__ void expand(Graph graph, const unsigned* queue, unsigned length, unsigned* next, int* levels,
                                  int level) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length) return;
    const unsigned vertex = queue[i];
    for (unsigned e = graph.starts[vertex]; e < graph.starts[vertex + 1]; ++e) {
        const unsigned neighbour = graph.edges[e];
        if (atomicCAS(&levels[neighbour], -1, level) != -1) continue;
        const unsigned together = __activemask();
        const unsigned lane = threadIdx.x % 32, leader = __ffs(together) - 1;
        unsigned first = 0;
        if (lane == leader) first = atomicAdd(&found, __popc(together));
        first = __shfl_sync(together, first, leader);
        next[first + __popc(together & ((1u << lane) - 1))] = neighbour;
    }
}

// Connected components: labels fall to the least of the neighbours' until nothing changes.
extern "C" __global__ void least_label(Graph graph, unsigned count, unsigned* labels, int* changed) {
    const unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= count) return;
    unsigned least = labels[vertex];
    for (unsigned e = graph.starts[vertex]; e < graph.starts[vertex + 1]; ++e)
        least = min(least, labels[graph.edges[e]]);
    if (least < labels[vertex]) {
        atomicMin(&labels[vertex], least);
        *changed = 1;
    }
}
