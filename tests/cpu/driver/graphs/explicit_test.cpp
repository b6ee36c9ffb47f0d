#include "driver/graphs/graph_test.hpp"

#include <functional>
#include <string>

using namespace graph_tests;

class ExplicitGraphTest : public GraphTest {
protected:
    void SetUp() override {
        GraphTest::SetUp();
        ASSERT_OK(cuGraphCreate(&graph, 0));
    }
    void TearDown() override {
        EXPECT_OK(cuGraphDestroy(graph));
        GraphTest::TearDown();
    }
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
};

TEST_F(ExplicitGraphTest, KernelsRunInTheOrderOfTheirEdges) {
    CUgraphNode first = nullptr, second = nullptr;
    auto p = scaling(b, b, 10);
    ASSERT_OK(cuGraphAddKernelNode(&second, graph, nullptr, 0, &p));
    p = scaling(b, a, 3);
    ASSERT_OK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddDependencies(graph, &first, &second, nullptr, 1));
    run(graph);
    const auto out = words(b);
    for (unsigned i = 0; i < n; ++i) EXPECT_EQ((3 + i) * 10 + i, out[i]);
}

TEST_F(ExplicitGraphTest, RelaunchRunsItAgain) {
    auto p = scaling(a, a, 2);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    const CUgraphExec executable = instantiate(graph);
    for (int i = 0; i < 5; ++i) EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(32u, word(a));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExplicitGraphTest, CopiesAndFills) {
    CUgraphNode fill = nullptr, copy = nullptr;
    const auto f = filling(a, 7, n);
    const auto c = copying(b, a, n * 4);
    ASSERT_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &f, context));
    ASSERT_OK(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, context));
    run(graph);
    EXPECT_EQ(std::vector<unsigned>(n, 7), words(b));
    CUDA_MEMCPY3D copied{};
    CUDA_MEMSET_NODE_PARAMS filled{};
    EXPECT_OK(cuGraphMemcpyNodeGetParams(copy, &copied));
    EXPECT_OK(cuGraphMemsetNodeGetParams(fill, &filled));
    EXPECT_EQ(b, copied.dstDevice);
    EXPECT_EQ(std::size_t{n} * 4, copied.WidthInBytes);
    EXPECT_EQ(7u, filled.value);
    EXPECT_EQ(4u, filled.elementSize);
}

TEST_F(ExplicitGraphTest, HostFunctionsAndEmptyNodes) {
    std::atomic<int> counter{0};
    CUgraphNode empty = nullptr;
    const CUDA_HOST_NODE_PARAMS host{count_up, &counter};
    ASSERT_OK(cuGraphAddEmptyNode(&empty, graph, nullptr, 0));
    ASSERT_OK(cuGraphAddHostNode(&node, graph, &empty, 1, &host));
    run(graph);
    EXPECT_EQ(1, counter);
    CUDA_HOST_NODE_PARAMS told{};
    EXPECT_OK(cuGraphHostNodeGetParams(node, &told));
    EXPECT_EQ(host.userData, told.userData);
}

TEST_F(ExplicitGraphTest, ChildGraphsAreCopies) {
    CUgraph child = nullptr, embedded = nullptr;
    ASSERT_OK(cuGraphCreate(&child, 0));
    auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddKernelNode(&node, child, nullptr, 0, &p));
    CUgraphNode holder = nullptr;
    ASSERT_OK(cuGraphAddChildGraphNode(&holder, graph, nullptr, 0, child));
    p = poking(a, 6);
    ASSERT_OK(cuGraphKernelNodeSetParams(node, &p));
    EXPECT_OK(cuGraphDestroy(child));
    EXPECT_OK(cuGraphChildGraphNodeGetGraph(holder, &embedded));
    EXPECT_NE(child, embedded);
    EXPECT_EQ(1u, node_count(embedded));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(embedded));
    run(graph);
    EXPECT_EQ(5u, word(a));
    CUgraphExec executable = instantiate(graph);
    p = poking(a, 8);
    EXPECT_OK(cuGraphExecKernelNodeSetParams(executable, nodes(embedded)[0], &p));
    launch(executable);
    EXPECT_EQ(8u, word(a));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExplicitGraphTest, EventNodes) {
    CUevent begin = nullptr, end = nullptr, before = nullptr;
    for (CUevent* event : {&begin, &end, &before}) ASSERT_OK(cuEventCreate(event, CU_EVENT_DEFAULT));
    ASSERT_OK(cuEventRecord(before, stream));
    CUgraphNode wait = nullptr, first = nullptr, last = nullptr;
    auto p = poking(a, 9);
    ASSERT_OK(cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, before));
    ASSERT_OK(cuGraphAddEventRecordNode(&first, graph, &wait, 1, begin));
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, &first, 1, &p));
    ASSERT_OK(cuGraphAddEventRecordNode(&last, graph, &node, 1, end));
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuEventSynchronize(end));
    EXPECT_EQ(9u, word(a));
    float milliseconds = -1;
    EXPECT_OK(cuEventElapsedTime(&milliseconds, begin, end));
    EXPECT_GE(milliseconds, 0);
    CUevent told = nullptr;
    EXPECT_OK(cuGraphEventRecordNodeGetEvent(last, &told));
    EXPECT_EQ(end, told);
    EXPECT_OK(cuGraphEventWaitNodeGetEvent(wait, &told));
    EXPECT_EQ(before, told);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphEventWaitNodeGetEvent(last, &told));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExplicitGraphTest, NodesEdgesAndRoots) {
    CUgraphNode n1 = nullptr, n2 = nullptr, n3 = nullptr;
    ASSERT_OK(cuGraphAddEmptyNode(&n1, graph, nullptr, 0));
    ASSERT_OK(cuGraphAddEmptyNode(&n2, graph, &n1, 1));
    const CUgraphNode both[] = {n1, n2};
    ASSERT_OK(cuGraphAddEmptyNode(&n3, graph, both, 2));
    std::size_t count = 0;
    EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    EXPECT_EQ(3u, count);
    count = 5;
    CUgraphNode from[5], to[5];
    EXPECT_OK(cuGraphGetEdges(graph, from, to, nullptr, &count));
    EXPECT_EQ(3u, count);
    EXPECT_EQ(nullptr, from[3]);
    EXPECT_EQ(nullptr, to[4]);
    CUgraphNode roots[2];
    count = 2;
    EXPECT_OK(cuGraphGetRootNodes(graph, roots, &count));
    EXPECT_EQ(1u, count);
    EXPECT_EQ(n1, roots[0]);
    count = 1;
    EXPECT_OK(cuGraphNodeGetDependencies(n3, roots, nullptr, &count));
    EXPECT_EQ(n1, roots[0]);
    EXPECT_OK(cuGraphNodeGetDependentNodes(n1, nullptr, nullptr, &count));
    EXPECT_EQ(2u, count);
    CUgraphNodeType type{};
    EXPECT_OK(cuGraphNodeGetType(n1, &type));
    EXPECT_EQ(CU_GRAPH_NODE_TYPE_EMPTY, type);
    EXPECT_OK(cuGraphRemoveDependencies(graph, &n1, &n3, nullptr, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, &n1, &n3, nullptr, 1));
    EXPECT_OK(cuGraphDestroyNode(n2));
    if (on_cpu_device()) {  // a dangling handle
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(n2));
    }
    EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    EXPECT_EQ(0u, count);
}

TEST_F(ExplicitGraphTest, EdgesThatCannotBe) {
    CUgraph other = nullptr;
    CUgraphNode n1 = nullptr, n2 = nullptr, foreign = nullptr;
    ASSERT_OK(cuGraphCreate(&other, 0));
    ASSERT_OK(cuGraphAddEmptyNode(&n1, graph, nullptr, 0));
    ASSERT_OK(cuGraphAddEmptyNode(&n2, graph, &n1, 1));
    ASSERT_OK(cuGraphAddEmptyNode(&foreign, other, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &n1, &n2, nullptr, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &n1, &n1, nullptr, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &n1, &foreign, nullptr, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, graph, &foreign, 1));
    const CUgraphNode twice[] = {n1, n1};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, graph, twice, 2));
    CUgraphEdgeData programmatic{};
    programmatic.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    programmatic.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    EXPECT_OK(cuGraphRemoveDependencies(graph, &n1, &n2, nullptr, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &n1, &n2, &programmatic, 1));
    EXPECT_OK(cuGraphDestroy(other));
}

TEST_F(ExplicitGraphTest, ACycleIsFoundWhenItIsInstantiated) {
    CUgraphNode n1 = nullptr, n2 = nullptr;
    ASSERT_OK(cuGraphAddEmptyNode(&n1, graph, nullptr, 0));
    ASSERT_OK(cuGraphAddEmptyNode(&n2, graph, &n1, 1));
    EXPECT_OK(cuGraphAddDependencies(graph, &n2, &n1, nullptr, 1));
    CUgraphExec executable = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&executable, graph, 0));
    CUDA_GRAPH_INSTANTIATE_PARAMS p{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&executable, graph, &p));
    EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, p.result_out);
    CUgraph clone = nullptr;
    EXPECT_OK(cuGraphClone(&clone, graph));
    EXPECT_OK(cuGraphDestroy(clone));
}

TEST_F(ExplicitGraphTest, EdgeDataIsKept) {
    CUgraphNode n1 = nullptr, n2 = nullptr;
    auto p = poking(a, 1);
    CUgraphEdgeData data{};
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    ASSERT_OK(cuGraphAddKernelNode(&n1, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddKernelNode(&n2, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphAddDependencies(graph, &n1, &n2, &data, 1));
    CUgraphNode from = nullptr, to = nullptr;
    CUgraphEdgeData told{};
    std::size_t count = 1;
    EXPECT_RESULT(CUDA_ERROR_LOSSY_QUERY, cuGraphGetEdges(graph, &from, &to, nullptr, &count));
    EXPECT_OK(cuGraphGetEdges(graph, &from, &to, &told, &count));
    EXPECT_EQ(CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, told.from_port);
    EXPECT_RESULT(CUDA_ERROR_LOSSY_QUERY, cuGraphNodeGetDependencies(n2, &from, nullptr, &count));
    EXPECT_OK(cuGraphRemoveDependencies(graph, &n1, &n2, nullptr, 1));  // an edge with any data
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies_v2(graph, &n1, &n2, &data, 1));
    ASSERT_OK(cuGraphAddDependencies(graph, &n1, &n2, &data, 1));
    EXPECT_OK(cuGraphRemoveDependencies(graph, &n1, &n2, &data, 1));
}

TEST_F(ExplicitGraphTest, ClonesAreFoundByTheirOriginals) {
    auto p = poking(a, 3);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    CUgraph clone = nullptr;
    CUgraphNode copy = nullptr;
    ASSERT_OK(cuGraphClone(&clone, graph));
    ASSERT_OK(cuGraphNodeFindInClone(&copy, node, clone));
    EXPECT_NE(node, copy);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&copy, copy, clone));
    p = poking(a, 4);
    ASSERT_OK(cuGraphKernelNodeSetParams(node, &p));
    run(clone);
    EXPECT_EQ(3u, word(a));
    EXPECT_OK(cuGraphDestroy(clone));
}

TEST_F(ExplicitGraphTest, KernelParametersAreTold) {
    auto p = poking(a, 77);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &p));
    CUDA_KERNEL_NODE_PARAMS told{};
    ASSERT_OK(cuGraphKernelNodeGetParams(node, &told));
    EXPECT_EQ(poke, told.func);
    EXPECT_EQ(77u, *static_cast<unsigned*>(told.kernelParams[1]));
    EXPECT_EQ(nullptr, told.extra);
    ASSERT_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &told));
    struct {
        CUdeviceptr where;
        unsigned value;
    } packed{b, 11};
    std::size_t size = 12;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    p.kernelParams = nullptr;
    p.extra = extra;
    ASSERT_OK(cuGraphKernelNodeSetParams(node, &p));
    packed.value = 12;
    ASSERT_OK(cuGraphKernelNodeGetParams(node, &told));
    ASSERT_NE(nullptr, told.extra);
    EXPECT_EQ(nullptr, told.kernelParams);
    run(graph);
    EXPECT_EQ(77u, word(a));
    EXPECT_EQ(11u, word(b));
}

TEST_F(ExplicitGraphTest, FreedMemoryIsAFaultAndNoCrash) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    CUdeviceptr gone = 0;
    ASSERT_OK(cuMemAlloc(&gone, 64));
    const auto c = copying(a, gone, 64);
    ASSERT_OK(cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &c, context));
    const CUgraphExec executable = instantiate(graph);
    ASSERT_OK(cuMemFree(gone));
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_OK(cuCtxDestroy(context));
    context = nullptr;
}

TEST_F(ExplicitGraphTest, GarbageIsRefused) {
    const auto bad = reinterpret_cast<CUgraph>(0x1230);
    const auto bad_node = reinterpret_cast<CUgraphNode>(0x1230);
    const auto bad_exec = reinterpret_cast<CUgraphExec>(0x1230);
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    CUgraph out = nullptr;
    CUgraphExec executable = nullptr;
    CUgraphNodeType type{};
    unsigned enabled = 0;
    for (CUgraph g : {static_cast<CUgraph>(nullptr), bad}) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(g));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphClone(&out, g));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, g, nullptr, 0));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&executable, g, 0));
    }
    for (CUgraphNode bad_one : {static_cast<CUgraphNode>(nullptr), bad_node}) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetType(bad_one, &type));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(bad_one));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, graph, &bad_one, 1));
    }
    for (CUgraphExec e : {static_cast<CUgraphExec>(nullptr), bad_exec}) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(e, stream));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecDestroy(e));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetEnabled(e, node, &enabled));
    }
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(&out, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&executable, graph, 1024));
}

TEST_F(ExplicitGraphTest, AMovedChildIsTheParents) {
    CUgraph child = nullptr;
    ASSERT_OK(cuGraphCreate(&child, 0));
    auto p = poking(a, 5);
    ASSERT_OK(cuGraphAddKernelNode(&node, child, nullptr, 0, &p));
    const auto move = [&](CUgraph into, CUgraph which) {
        CUgraphNodeParams moved{};
        moved.type = CU_GRAPH_NODE_TYPE_GRAPH;
        moved.graph.graph = which;
        moved.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
        return cuGraphAddNode(&node, into, nullptr, nullptr, 0, &moved);
    };
    if (on_cpu_device()) {  // NVIDIA's driver lets a graph become a part of itself, and never end
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, move(graph, graph));
    }
    ASSERT_OK(move(graph, child));
    CUgraph told = nullptr;
    EXPECT_OK(cuGraphChildGraphNodeGetGraph(node, &told));
    EXPECT_EQ(child, told);
    if (on_cpu_device()) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, move(child, graph));  // which holds it
    }
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, move(graph, child));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(child));
    CUgraphExec executable = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&executable, child, 0));
    run(graph);
    EXPECT_EQ(5u, word(a));
}

TEST_F(ExplicitGraphTest, WordsAreWrittenAndWaitedFor) {
    CUstreamBatchMemOpParams both[2] = {};
    both[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    both[0].writeValue.address = a;
    both[0].writeValue.value = 3;
    both[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    both[1].waitValue.address = b;
    both[1].waitValue.value = 9;
    CUDA_BATCH_MEM_OP_NODE_PARAMS p{context, 2, both, 0}, told{};
    ASSERT_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &p));
    ASSERT_OK(cuGraphBatchMemOpNodeGetParams(node, &told));
    ASSERT_EQ(2u, told.count);
    EXPECT_EQ(9u, told.paramArray[1].waitValue.value);
    const CUgraphExec executable = instantiate(graph);
    both[0].writeValue.value = 4;
    EXPECT_OK(cuGraphExecBatchMemOpNodeSetParams(executable, node, &p));
    p.count = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecBatchMemOpNodeSetParams(executable, node, &p));
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_RESULT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    ASSERT_OK(cuMemsetD32(b, 9, 1));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(4u, word(a));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ExplicitGraphTest, GraphsInGraphsHaveAnEnd) {
    if (!on_cpu_device()) GTEST_SKIP() << "a real driver's limit is not known";
    CUgraph at = graph;
    int depth = 0;
    CUgraph child = nullptr;
    ASSERT_OK(cuGraphCreate(&child, 0));
    for (;; ++depth) {
        const CUresult result = cuGraphAddChildGraphNode(&node, at, nullptr, 0, child);
        if (result != CUDA_SUCCESS) {
            EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, result);
            break;
        }
        ASSERT_OK(cuGraphChildGraphNodeGetGraph(node, &at));
    }
    EXPECT_EQ(256, depth);
    run(graph);
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuGraphAddChildGraphNode(&node, child, nullptr, 0, graph));
    EXPECT_OK(cuGraphDestroy(child));
}
