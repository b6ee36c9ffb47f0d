// Text representations of graphs and their nodes.
#include <algorithm>
#include <cstdio>

#include "driver/driver_table.hpp"
#include "graphs/conditions.hpp"
#include "graphs/node_parameters.hpp"
#include "pycuda/graphs/graph.hpp"

namespace pycuda {
namespace {

using Texts = std::vector<std::string>;

std::string triple(unsigned x, unsigned y, unsigned z) {
    return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
}

std::string name_of(CUfunction function) {
    const char* name = nullptr;
    const auto& ask = driver().cuFuncGetName;
    return ask.is_available() && ask.try_call(&name, function) == CUDA_SUCCESS && name ? name : "?";
}

Texts kernel_texts(CUgraphNode node) {
    CUDA_KERNEL_NODE_PARAMS params{};
    driver().cuGraphKernelNodeGetParams(node, &params);
    return {"function", params.func ? name_of(params.func) : "?",
            "grid",     triple(params.gridDimX, params.gridDimY, params.gridDimZ),
            "block",    triple(params.blockDimX, params.blockDimY, params.blockDimZ),
            "shared",   std::to_string(params.sharedMemBytes)};
}

std::string end_of_copy(CUmemorytype type, const void* host, CUdeviceptr device) {
    if (type == CU_MEMORYTYPE_ARRAY) return "array";
    return std::to_string(type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host) : device);
}

Texts copy_texts(CUgraphNode node) {
    CUDA_MEMCPY3D copy{};
    driver().cuGraphMemcpyNodeGetParams(node, &copy);
    return texts_of(copy);
}

Texts fill_texts(CUgraphNode node) {
    CUDA_MEMSET_NODE_PARAMS fill{};
    driver().cuGraphMemsetNodeGetParams(node, &fill);
    return texts_of(fill);
}

Texts allocation_texts(CUgraphNode node) {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    driver().cuGraphMemAllocNodeGetParams(node, &params);
    return {"pointer", std::to_string(params.dptr), "size", std::to_string(params.bytesize)};
}

Texts free_texts(CUgraphNode node) {
    CUdeviceptr address = 0;
    driver().cuGraphMemFreeNodeGetParams(node, &address);
    return {"pointer", std::to_string(address)};
}

Texts texts_of(const MemoryOperations& operations) {
    Texts texts{"count", std::to_string(operations.count())};
    for (const std::string& text : operations.texts()) {
        texts.push_back("operation " + std::to_string(texts.size() / 2 - 1));
        texts.push_back(text);
    }
    return texts;
}

/// Their handles and values.
template <class Parameters>
Texts texts_of_semaphores(const Parameters& node) {
    std::string handles, values;
    for (unsigned k = 0; k < node.numExtSems; ++k) {
        const char* const comma = k == 0 ? "" : ",";
        handles += comma + std::to_string(reinterpret_cast<std::uintptr_t>(node.extSemArray[k]));
        values += comma + std::to_string(node.paramsArray[k].params.fence.value);
    }
    return {"count", std::to_string(node.numExtSems), "semaphores", handles, "values", values};
}

Texts signal_texts(CUgraphNode node) {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS params{};
    driver().cuGraphExternalSemaphoresSignalNodeGetParams(node, &params);
    return texts_of_semaphores(params);
}

Texts wait_texts(CUgraphNode node) {
    CUDA_EXT_SEM_WAIT_NODE_PARAMS params{};
    driver().cuGraphExternalSemaphoresWaitNodeGetParams(node, &params);
    return texts_of_semaphores(params);
}

const char* kind_name(GraphNodeKind kind) {
    switch (kind) {
#define PYCUDA_NODE(NAME, text) \
    case GraphNodeKind::NAME:   \
        return text;
        PYCUDA_NODE(KERNEL, "kernel")
        PYCUDA_NODE(MEMCPY, "copy")
        PYCUDA_NODE(MEMSET, "fill")
        PYCUDA_NODE(HOST, "host function")
        PYCUDA_NODE(GRAPH, "child graph")
        PYCUDA_NODE(EMPTY, "empty")
        PYCUDA_NODE(WAIT_EVENT, "wait for event")
        PYCUDA_NODE(EVENT_RECORD, "record event")
        PYCUDA_NODE(MEM_ALLOC, "allocate")
        PYCUDA_NODE(MEM_FREE, "free")
        PYCUDA_NODE(CONDITIONAL, "condition")
        PYCUDA_NODE(BATCH_MEM_OP, "memory operations")
        PYCUDA_NODE(EXT_SEMAS_SIGNAL, "signal semaphores")
        PYCUDA_NODE(EXT_SEMAS_WAIT, "wait for semaphores")
#undef PYCUDA_NODE
        default:
            return "other";
    }
}

/// A node's label: its kind, then its operands, one on each line, without addresses.
std::string label_of(const GraphNode& node) {
    std::string label = kind_name(node.kind());
    const Texts texts = node.parameter_texts();
    for (std::size_t k = 0; k + 1 < texts.size(); k += 2) {
        if (texts[k] == "dest" || texts[k] == "src" || texts[k] == "pointer" || texts[k] == "semaphores" ||
            texts[k].starts_with("operation"))
            continue;
        label += "\\n" + texts[k] + " " + texts[k + 1];
    }
    return label;
}

}  // namespace

std::vector<std::string> texts_of(const CUDA_MEMCPY3D& copy) {
    const std::size_t size =
        copy.WidthInBytes * std::max<std::size_t>(copy.Height, 1) * std::max<std::size_t>(copy.Depth, 1);
    return {"dest", end_of_copy(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
            "src",  end_of_copy(copy.srcMemoryType, copy.srcHost, copy.srcDevice),
            "size", std::to_string(size)};
}

std::vector<std::string> texts_of(const CUDA_MEMSET_NODE_PARAMS& fill) {
    return {"dest",  std::to_string(fill.dst),
            "value", std::to_string(fill.value),
            "count", std::to_string(fill.width * std::max<std::size_t>(fill.height, 1)),
            "width", std::to_string(fill.elementSize)};
}

GraphNodeKind GraphNode::kind() const {
    CUgraphNodeType type{};
    driver().cuGraphNodeGetType(handle(), &type);
    return static_cast<GraphNodeKind>(type);
}

std::vector<std::string> GraphNode::parameter_texts() const {
    const auto graph = graph_->use();
    switch (kind()) {
        case GraphNodeKind::KERNEL:
            return kernel_texts(node_);
        case GraphNodeKind::MEMCPY:
            return copy_texts(node_);
        case GraphNodeKind::MEMSET:
            return fill_texts(node_);
        case GraphNodeKind::MEM_ALLOC:
            return allocation_texts(node_);
        case GraphNodeKind::MEM_FREE:
            return free_texts(node_);
        case GraphNodeKind::CONDITIONAL:
            return {"condition", graph_->condition_text(node_)};
        case GraphNodeKind::BATCH_MEM_OP:
            return texts_of(get_memory_operations());
        case GraphNodeKind::EXT_SEMAS_SIGNAL:
            return signal_texts(node_);
        case GraphNodeKind::EXT_SEMAS_WAIT:
            return wait_texts(node_);
        default:
            return {};
    }
}

std::vector<std::shared_ptr<Graph>> GraphNode::bodies() const {
    return graph_->bodies_of(*this);
}

DevicePtr GraphNode::allocated() const {
    if (kind() != GraphNodeKind::MEM_ALLOC) throw LogicError("GraphNode", 0, "only an allocation node has a pointer");
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    driver().cuGraphMemAllocNodeGetParams(node_, &params);
    return params.dptr;
}

std::string Graph::dot() {
    std::string text = "digraph graph_of_cuda {\n  node [shape=box];\n";
    const Nodes all = nodes(), ends = edge_ends();
    const auto number = [&all](const GraphNode& node) {
        return "n" + std::to_string(std::find(all.begin(), all.end(), node) - all.begin());
    };
    for (const GraphNode& node : all) text += "  " + number(node) + " [label=\"" + label_of(node) + "\"];\n";
    for (std::size_t k = 0; k + 1 < ends.size(); k += 2)
        text += "  " + number(ends[k]) + " -> " + number(ends[k + 1]) + ";\n";
    return text + "}\n";
}

}  // namespace pycuda
