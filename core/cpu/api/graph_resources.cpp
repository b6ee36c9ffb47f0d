#include "api/graph_entry.hpp"
#include "state/device.hpp"
#include "state/graphs/graph_memory.hpp"
#include "state/graphs/kernel_content.hpp"
#include "state/graphs/user_object.hpp"

#include <algorithm>
#include <climits>

using namespace cpu::api;
using namespace cpu::state;
using namespace cpu::state::graphs;

// Other parts of graphs: memory, user objects, and attributes of kernels.

CUresult cuDeviceGraphMemTrim(CUdevice dev) {
    return entry("cuDeviceGraphMemTrim", [&] { trim_graph_memory(device(dev)); });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void* value) {
    return entry("cuDeviceGetGraphMemAttribute",
                 [&] { put(static_cast<cuuint64_t*>(value), graph_memory_attribute(device(dev), attr)); });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice dev, CUgraphMem_attribute attr, void* value) {
    return entry("cuDeviceSetGraphMemAttribute", [&] {
        require(value != nullptr && *static_cast<cuuint64_t*>(value) == 0);
        reset_graph_memory_attribute(device(dev), attr);
    });
}

namespace {

std::shared_ptr<UserObject> user_object(CUuserObject handle, unsigned count) {
    require(count > 0 && count <= INT_MAX);
    return user_objects().get(handle, CUDA_ERROR_INVALID_VALUE);
}

/// The program releases references.
void disown(CUuserObject handle, UserObject& object, unsigned count) {
    require(object.owned >= count);
    object.owned -= count;
    if (object.owned == 0) user_objects().take(handle);
}

}  // namespace

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy, unsigned int initialRefcount,
                            unsigned int flags) {
    return graph_entry("cuUserObjectCreate", [&] {
        require(object_out != nullptr && destroy != nullptr && flags == CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
        require(initialRefcount > 0 && initialRefcount <= INT_MAX);
        *object_out = user_objects().add(std::make_shared<UserObject>(ptr, destroy, initialRefcount));
    });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
    return graph_entry("cuUserObjectRetain", [&] { user_object(object, count)->owned += count; });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
    return graph_entry("cuUserObjectRelease", [&] { disown(object, *user_object(object, count), count); });
}

CUresult cuGraphRetainUserObject(CUgraph hGraph, CUuserObject object, unsigned int count, unsigned int flags) {
    return graph_entry("cuGraphRetainUserObject", [&] {
        require((flags & ~static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE)) == 0);
        const auto graph = graph_of(hGraph);
        const auto user = user_object(object, count);
        if (flags & CU_GRAPH_USER_OBJECT_MOVE) disown(object, *user, count);
        graph->users[user].count += count;
        graph->users[user].handle = object;
    });
}

CUresult cuGraphReleaseUserObject(CUgraph hGraph, CUuserObject object, unsigned int count) {
    return graph_entry("cuGraphReleaseUserObject", [&] {
        require(count > 0 && count <= INT_MAX);
        auto& users = graph_of(hGraph)->users;
        const auto found = std::ranges::find_if(users, [&](const auto& user) { return user.second.handle == object; });
        require(found != users.end() && found->second.count >= count);
        found->second.count -= count;
        if (found->second.count == 0) users.erase(found);
    });
}

namespace {

/// The kernel that a node launches.
const KernelContent& kernel_of(const Node& node) {
    require(node.type() == CU_GRAPH_NODE_TYPE_KERNEL);
    return static_cast<const KernelContent&>(node.content());
}

}  // namespace

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue* value_out) {
    return graph_entry("cuGraphKernelNodeGetAttribute", [&] {
        require(value_out != nullptr);
        const auto node = node_of(hNode);
        *value_out = kernel_of(*node).attribute(attr);
    });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue* value) {
    return graph_entry("cuGraphKernelNodeSetAttribute", [&] {
        require(value != nullptr);
        const auto node = node_of(hNode);
        auto attributes = kernel_of(*node).attributes();
        std::erase_if(attributes, [&](const CUlaunchAttribute& other) { return other.id == attr; });
        CUlaunchAttribute changed{};
        changed.id = attr;
        changed.value = *value;
        attributes.push_back(changed);
        node->graph().set_content(*node, kernel_of(*node).with(std::move(attributes)));
    });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
    return graph_entry("cuGraphKernelNodeCopyAttributes", [&] {
        const auto to = node_of(dst), from = node_of(src);
        require(kernel_of(*to).context() == kernel_of(*from).context());
        to->graph().set_content(*to, kernel_of(*to).with(kernel_of(*from).attributes()));
    });
}
