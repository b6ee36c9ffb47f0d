#include "driver/graphs/graph_test.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

using namespace graph_tests;

class ExecutableGraphTest : public GraphTest {
protected:
    void SetUp() override {
        GraphTest::SetUp();
        ASSERT_OK(cuGraphCreate(&graph, 0));
    }
    void TearDown() override {
        EXPECT_OK(cuGraphDestroy(graph));
        GraphTest::TearDown();
    }
    CUgraphExecUpdateResultInfo update(CUgraphExec executable, CUgraph with, CUresult expected) {
        CUgraphExecUpdateResultInfo info{};
        EXPECT_RESULT(expected, cuGraphExecUpdate(executable, with, &info));
        return info;
    }
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
};

TEST_F(ExecutableGraphTest, UpdatesConcernLaterLaunchesOnly) {
    Gate gate;
    CUgraphNode waits = nullptr;
    const CUDA_HOST_NODE_PARAMS host{Gate::wait, &gate};
    ASSERT_OK(cuGraphAddHostNode(&waits, graph, nullptr, 0, &host));
    auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, &waits, 1, &p));
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    p = poking(b, 6);
    EXPECT_OK(cuGraphExecKernelNodeSetParams(executable, node, &p));
    gate.open = true;
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(5u, word(a));
    EXPECT_EQ(0u, word(b));
    launch(executable);
    EXPECT_EQ(6u, word(b));
    EXPECT_OK(cuGraphExecDestroy(executable));
    run(graph);  // the graph itself is as it was
}

TEST_F(ExecutableGraphTest, EveryKindOfNodeIsUpdatedAlone) {
    std::atomic<int> first{0}, second{0};
    CUgraphNode fill = nullptr, copy = nullptr, host = nullptr, record = nullptr, wait = nullptr, child = nullptr;
    CUevent e1 = nullptr, e2 = nullptr;
    ASSERT_OK(cuEventCreate(&e1, 0));
    ASSERT_OK(cuEventCreate(&e2, 0));
    const auto f = filling(a, 3, 4);
    const auto c = copying(b, a, 4);
    CUDA_HOST_NODE_PARAMS h{count_up, &first};
    CUgraph inner = nullptr, other_inner = nullptr;
    ASSERT_OK(cuGraphCreate(&inner, 0));
    auto p = poking(b + 32, 1);
    ASSERT_OK(cuGraphAddKernelNode(&node, inner, nullptr, 0, &p));
    ASSERT_OK(cuGraphClone(&other_inner, inner));
    p = poking(b + 32, 2);
    ASSERT_OK(cuGraphKernelNodeSetParams(nodes(other_inner)[0], &p));
    ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &f, context));
    ASSERT_OK(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, context));
    ASSERT_OK(cuGraphAddHostNode(&host, graph, &copy, 1, &h));
    ASSERT_OK(cuGraphAddEventRecordNode(&record, graph, &host, 1, e1));
    ASSERT_OK(cuGraphAddEventWaitNode(&wait, graph, &record, 1, e1));
    ASSERT_OK(cuGraphAddChildGraphNode(&child, graph, &wait, 1, inner));
    const CUgraphExec executable = instantiate(graph);

    const auto f2 = filling(a, 8, 8);
    const auto c2 = copying(b + 4, a + 16, 8);
    h.userData = &second;
    EXPECT_OK(cuGraphExecMemsetNodeSetParams(executable, fill, &f2, context));
    EXPECT_OK(cuGraphExecMemcpyNodeSetParams(executable, copy, &c2, context));
    EXPECT_OK(cuGraphExecHostNodeSetParams(executable, host, &h));
    EXPECT_OK(cuGraphExecEventRecordNodeSetEvent(executable, record, e2));
    EXPECT_OK(cuGraphExecEventWaitNodeSetEvent(executable, wait, e2));
    EXPECT_OK(cuGraphExecChildGraphNodeSetParams(executable, child, other_inner));
    launch(executable);
    EXPECT_EQ((std::vector<unsigned>{0, 8, 8, 0}), words(b, 4));
    EXPECT_EQ(2u, word(b + 32));
    EXPECT_EQ(0, first);
    EXPECT_EQ(1, second);
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(nullptr, e1, e2));
    float milliseconds = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&milliseconds, e1, e2));  // e1 was never recorded
    EXPECT_OK(cuEventElapsedTime(&milliseconds, e2, e2));

    // What may not change.
    auto box = copying(b, a, 4);
    box.Height = 2, box.srcPitch = box.dstPitch = 8;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemcpyNodeSetParams(executable, copy, &box, context));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(executable, copy, &h));
    EXPECT_RESULT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecChildGraphNodeSetParams(executable, child, graph));
    CUgraph clone = nullptr;
    ASSERT_OK(cuGraphClone(&clone, graph));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(executable, nodes(clone)[0], &f2, context));
    for (CUgraph g : {clone, inner, other_inner}) EXPECT_OK(cuGraphDestroy(g));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

/// Measured with driver 580: memory of pools and mapped memory belong to no context, and copies tell it from the rest;
/// fills do not.
TEST_F(ExecutableGraphTest, MemoryOfACopyIsReplacedByMemoryOfTheSameContext) {
    struct Kind {
        bool has_context;
        CUdeviceptr first, second;
    };
    Kind kinds[] = {{true, a, b}, {true, 0, 0}, {false, 0, 0}, {false, 0, 0}};
    const std::size_t step = std::size_t{1} << 21;
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    const CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle mapped = 0;
    ASSERT_OK(cuMemAllocManaged(&kinds[1].first, 2 * step, CU_MEM_ATTACH_GLOBAL));
    ASSERT_OK(cuMemAllocAsync(&kinds[2].first, 2 * step, nullptr));
    ASSERT_OK(cuStreamSynchronize(nullptr));
    ASSERT_OK(cuMemAddressReserve(&kinds[3].first, 2 * step, 0, 0, 0));
    ASSERT_OK(cuMemCreate(&mapped, 2 * step, &properties, 0));
    ASSERT_OK(cuMemMap(kinds[3].first, 2 * step, 0, mapped, 0));
    ASSERT_OK(cuMemSetAccess(kinds[3].first, 2 * step, &access, 1));
    for (Kind& kind : kinds)
        if (&kind != kinds) kind.second = kind.first + step;
    for (const Kind& from : kinds)
        for (const Kind& to : kinds) {
            SCOPED_TRACE(testing::Message() << &from - kinds << " replaced by " << &to - kinds);
            CUgraph other = nullptr;
            CUgraphNode fill = nullptr, write = nullptr, read = nullptr;
            ASSERT_OK(cuGraphCreate(&other, 0));
            const auto f = filling(from.first, 3, 4), f2 = filling(to.second, 3, 4);
            const auto w = copying(from.first, a, 4), w2 = copying(to.second, a, 4);
            const auto r = copying(a, from.first, 4), r2 = copying(a, to.second, 4);
            ASSERT_OK(cuGraphAddMemsetNode(&fill, other, nullptr, 0, &f, context));
            ASSERT_OK(cuGraphAddMemcpyNode(&write, other, &fill, 1, &w, context));
            ASSERT_OK(cuGraphAddMemcpyNode(&read, other, &write, 1, &r, context));
            const CUgraphExec executable = instantiate(other);
            const CUresult expected = from.has_context == to.has_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
            EXPECT_OK(cuGraphExecMemsetNodeSetParams(executable, fill, &f2, context));
            EXPECT_RESULT(expected, cuGraphExecMemcpyNodeSetParams(executable, write, &w2, context));
            EXPECT_RESULT(expected, cuGraphExecMemcpyNodeSetParams(executable, read, &r2, context));
            ASSERT_OK(cuGraphMemcpyNodeSetParams(write, &w2));
            update(executable, other, expected ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS);
            EXPECT_OK(cuGraphExecDestroy(executable));
            EXPECT_OK(cuGraphDestroy(other));
        }
    EXPECT_OK(cuMemFree(kinds[1].first));
    EXPECT_OK(cuMemFree(kinds[2].first));
    EXPECT_OK(cuMemUnmap(kinds[3].first, 2 * step));
    EXPECT_OK(cuMemRelease(mapped));
    EXPECT_OK(cuMemAddressFree(kinds[3].first, 2 * step));
}

TEST_F(ExecutableGraphTest, ADisabledNodeDoesNothing) {
    CUgraphNode empty = nullptr;
    const auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddEmptyNode(&empty, graph, nullptr, 0));
    const CUgraphExec executable = instantiate(graph);
    unsigned enabled = 9;
    EXPECT_OK(cuGraphNodeGetEnabled(executable, node, &enabled));
    EXPECT_EQ(1u, enabled);
    EXPECT_OK(cuGraphNodeSetEnabled(executable, node, 0));
    EXPECT_OK(cuGraphNodeGetEnabled(executable, node, &enabled));
    EXPECT_EQ(0u, enabled);
    launch(executable);
    EXPECT_EQ(1u, word(a));
    EXPECT_OK(cuGraphNodeSetEnabled(executable, node, 1));
    launch(executable);
    EXPECT_EQ(5u, word(a));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(executable, empty, 0));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExecutableGraphTest, AWholeGraphIsUpdatedFromAGraphOfTheSameForm) {
    CUgraphNode fill = nullptr;
    const auto f = filling(a, 3, 4);
    ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &f, context));
    auto p = scaling(b, a, 2);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, &fill, 1, &p));
    const CUgraphExec executable = instantiate(graph);
    // The same form, built the other way round.
    CUgraph other = nullptr;
    CUgraphNode other_fill = nullptr, other_kernel = nullptr;
    ASSERT_OK(cuGraphCreate(&other, 0));
    p = scaling(b, a, 100);
    ASSERT_OK(cuGraphAddKernelNode(&other_kernel, other, nullptr, 0, &p));
    const auto f2 = filling(a, 4, 4);
    ASSERT_OK(cuGraphAddMemsetNode(&other_fill, other, nullptr, 0, &f2, context));
    ASSERT_OK(cuGraphAddDependencies(other, &other_fill, &other_kernel, nullptr, 1));
    EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_SUCCESS, update(executable, other, CUDA_SUCCESS).result);
    launch(executable);
    EXPECT_EQ((std::vector<unsigned>{400, 401}), words(b, 2));
    // The nodes are still named by the graph from which it was made.
    p = scaling(b, a, 1);
    EXPECT_OK(cuGraphExecKernelNodeSetParams(executable, node, &p));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(executable, other_kernel, &p));
    EXPECT_OK(cuGraphDestroy(other));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExecutableGraphTest, TheResultSaysWhatDiffers) {
    CUgraphNode first = nullptr, second = nullptr;
    const auto p = poking(a, 5);
    const auto f = filling(a, 3, 4);
    ASSERT_OK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddKernelNode(&second, graph, &first, 1, &p));
    const CUgraphExec executable = instantiate(graph);
    constexpr std::size_t none = 9, any = 8;
    const auto check = [&](CUgraphExecUpdateResult expected, std::size_t at,
                           const std::function<void(CUgraph, std::vector<CUgraphNode>&)>& build) {
        CUgraph other = nullptr;
        std::vector<CUgraphNode> made(4);
        ASSERT_OK(cuGraphCreate(&other, 0));
        build(other, made);
        const auto info = update(executable, other, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
        EXPECT_EQ(expected, info.result);
        if (at == any)
            EXPECT_NE(made.end(), std::ranges::find(made, info.errorNode));
        else
            EXPECT_EQ(at == none ? nullptr : made[at], info.errorNode);
        EXPECT_OK(cuGraphDestroy(other));
    };
    check(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, none, [&](CUgraph g, std::vector<CUgraphNode>& made) {
        ASSERT_OK(cuGraphAddKernelNode(&made[0], g, nullptr, 0, &p));
    });
    // Too many nodes without dependents: one of them.
    check(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, any, [&](CUgraph g, std::vector<CUgraphNode>& made) {
        ASSERT_OK(cuGraphAddKernelNode(&made[0], g, nullptr, 0, &p));
        ASSERT_OK(cuGraphAddKernelNode(&made[1], g, nullptr, 0, &p));
    });
    check(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, 0, [&](CUgraph g, std::vector<CUgraphNode>& made) {
        ASSERT_OK(cuGraphAddMemsetNode(&made[0], g, nullptr, 0, &f, context));
        ASSERT_OK(cuGraphAddKernelNode(&made[1], g, &made[0], 1, &p));
    });
    check(CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, 1, [&](CUgraph g, std::vector<CUgraphNode>& made) {
        ASSERT_OK(cuGraphAddKernelNode(&made[0], g, nullptr, 0, &p));
        ASSERT_OK(cuGraphAddKernelNode(&made[1], g, &made[0], 1, &p));
        CUkernelNodeAttrValue cooperative{};
        cooperative.cooperative = 1;
        ASSERT_OK(cuGraphKernelNodeSetAttribute(made[1], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &cooperative));
    });
    CUgraphExecUpdateResultInfo info{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecUpdate(executable, nullptr, &info));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExecutableGraphTest, LaunchesOfOneAreInOrderInAnyStreams) {
    CUstream other = nullptr;
    ASSERT_OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    const auto p = scaling(a, a, 2);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    const CUgraphExec executable = instantiate(graph);
    for (int i = 0; i < 10; ++i) EXPECT_OK(cuGraphLaunch(executable, i % 2 ? other : stream));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(1024u, word(a));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExecutableGraphTest, AllOfItMayEndWhileItRuns) {
    Gate gate;
    CUgraphNode waits = nullptr;
    CUgraph doomed = nullptr;
    ASSERT_OK(cuGraphCreate(&doomed, 0));
    const CUDA_HOST_NODE_PARAMS host{Gate::wait, &gate};
    ASSERT_OK(cuGraphAddHostNode(&waits, doomed, nullptr, 0, &host));
    const auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddKernelNode(&node, doomed, &waits, 1, &p));
    const CUgraphExec executable = instantiate(doomed);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_OK(cuGraphDestroy(doomed));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(executable, stream));
    gate.open = true;
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(5u, word(a));
}

TEST_F(ExecutableGraphTest, ItsContextMayEndFirst) {
    CUcontext inside = nullptr;
    ASSERT_OK(cuCtxCreate(&inside, nullptr, 0, 0));
    CUdeviceptr there = 0;
    ASSERT_OK(cuMemAlloc(&there, 64));
    const auto f = filling(there, 3, 4);
    ASSERT_OK(cuGraphAddMemsetNode(&node, graph, nullptr, 0, &f, inside));
    CUmodule own = nullptr;
    CUfunction kernel = nullptr;
    ASSERT_OK(cuModuleLoadData(&own, kernels::all));
    ASSERT_OK(cuModuleGetFunction(&kernel, own, "poke"));
    auto p = poking(there, 1);
    p.func = kernel;
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuCtxDestroy(inside));
    ASSERT_OK(cuCtxSetCurrent(context));
    if (!on_cpu_device()) return;  // NVIDIA's driver 580 ends the process where such an executable graph is destroyed
    EXPECT_RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuGraphLaunch(executable, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExecutableGraphTest, AttributesOfKernels) {
    CUgraphNode other = nullptr;
    const auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddKernelNode(&other, graph, nullptr, 0, &p));
    CUkernelNodeAttrValue value{};
    value.cooperative = 1;
    EXPECT_OK(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    value = {};
    value.priority = -2;
    EXPECT_OK(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    EXPECT_OK(cuGraphKernelNodeCopyAttributes(other, node));
    value = {};
    EXPECT_OK(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    EXPECT_EQ(1, value.cooperative);
    EXPECT_OK(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    EXPECT_EQ(-2, value.priority);
    value.clusterDim = {3, 1, 1};
    EXPECT_RESULT(CUDA_ERROR_INVALID_CLUSTER_SIZE,
                  cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuGraphKernelNodeGetAttribute(node, static_cast<CUkernelNodeAttrID>(99), &value));
    const auto q = poking(a, 6);
    EXPECT_OK(cuGraphKernelNodeSetParams(node, &q));  // which keeps the attributes
    EXPECT_OK(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    EXPECT_EQ(1, value.cooperative);
    run(graph);
}

TEST_F(ExecutableGraphTest, UserObjectsLiveAsLongAsAnyOfThemAll) {
    std::atomic<int> ended{0};
    CUuserObject object = nullptr;
    CUgraph holder = nullptr, clone = nullptr;
    Gate gate;
    ASSERT_OK(cuGraphCreate(&holder, 0));
    ASSERT_OK(cuUserObjectCreate(&object, &ended, count_up, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    EXPECT_OK(cuUserObjectRetain(object, 2));
    EXPECT_OK(cuUserObjectRelease(object, 2));
    EXPECT_OK(cuGraphRetainUserObject(holder, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    if (on_cpu_device()) {  // NVIDIA's driver takes the graph's reference away
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(object, 1));
    }
    const CUDA_HOST_NODE_PARAMS host{Gate::wait, &gate};
    ASSERT_OK(cuGraphAddHostNode(&node, holder, nullptr, 0, &host));
    EXPECT_OK(cuGraphClone(&clone, holder));
    CUgraphExec executable = instantiate(clone);
    EXPECT_OK(cuGraphReleaseUserObject(holder, object, 1));
    if (on_cpu_device()) {  // NVIDIA's driver takes it, and drops what it does not hold
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(holder, object, 1));
    }
    EXPECT_OK(cuGraphDestroy(holder));
    EXPECT_OK(cuGraphDestroy(clone));
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_EQ(0, ended);
    gate.open = true;
    EXPECT_OK(cuStreamSynchronize(stream));
    while (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(1, ended);
}

TEST_F(ExecutableGraphTest, ThePictureNamesNodesAndEdges) {
    CUgraphNode fill = nullptr;
    const auto f = filling(a, 3, 4);
    const auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &f, context));
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, &fill, 1, &p));
    const std::string path = testing::TempDir() + "/graph_picture.dot";
    EXPECT_OK(cuGraphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (const char* part : {"digraph", "poke", "MEMSET", "->"}) EXPECT_NE(std::string::npos, text.find(part)) << part;
    EXPECT_RESULT(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/no/such/folder/x.dot", 0));
}

TEST_F(ExecutableGraphTest, AFaultDropsTheRestButNotEvents) {
    std::atomic<int> counter{0};
    CUevent event = nullptr;
    CUgraphNode host = nullptr, record = nullptr;
    ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    const auto p = poking(64, 1);
    const CUDA_HOST_NODE_PARAMS h{count_up, &counter};
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddHostNode(&host, graph, &node, 1, &h));
    ASSERT_OK(cuGraphAddEventRecordNode(&record, graph, &host, 1, event));
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventSynchronize(event));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuGraphLaunch(executable, stream));
    EXPECT_EQ(0, counter);
    EXPECT_OK(cuGraphExecDestroy(executable));
}
