#include "driver/graphs/graph_test.hpp"

using namespace graph_tests;

class MemoryNodeTest : public GraphTest {
protected:
    void SetUp() override {
        GraphTest::SetUp();
        ASSERT_OK(cuGraphCreate(&graph, 0));
    }
    void TearDown() override {
        EXPECT_OK(cuGraphDestroy(graph));
        EXPECT_OK(cuDeviceGraphMemTrim(0));
        GraphTest::TearDown();
    }
    /// An allocation node in `graph`; its address.
    CUdeviceptr allocate(std::size_t bytes, CUgraphNode after = nullptr) {
        CUDA_MEM_ALLOC_NODE_PARAMS p{};
        p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        p.bytesize = bytes;
        EXPECT_OK(cuGraphAddMemAllocNode(&node, graph, after ? &after : nullptr, after ? 1 : 0, &p));
        return p.dptr;
    }
    CUgraphNode kernel(const CUDA_KERNEL_NODE_PARAMS& p, CUgraphNode after) {
        CUgraphNode made = nullptr;
        EXPECT_OK(cuGraphAddKernelNode(&made, graph, &after, 1, &p));
        return made;
    }
    cuuint64_t attribute(CUgraphMem_attribute which) {
        cuuint64_t value = 99;
        EXPECT_OK(cuDeviceGetGraphMemAttribute(0, which, &value));
        return value;
    }
    /// NVIDIA's driver still counts the blocks that it keeps for the next launch.
    void expect_nothing_used() {
        if (on_cpu_device()) {
            EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
        }
    }
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
};

TEST_F(MemoryNodeTest, AllocatedUsedAndFreedInAGraph) {
    const CUdeviceptr inside = allocate(n * 4);
    ASSERT_NE(0u, inside);
    CUgraphNode last = kernel(scaling(inside, a, 5), node);
    last = kernel(scaling(b, inside, 1), last);
    CUgraphNode freed = nullptr;
    ASSERT_OK(cuGraphAddMemFreeNode(&freed, graph, &last, 1, inside));
    const CUgraphExec executable = instantiate(graph);
    for (int i = 0; i < 3; ++i) EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    const auto out = words(b);
    for (unsigned i = 0; i < n; ++i) EXPECT_EQ(5 + 2 * i, out[i]);
    expect_nothing_used();
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), n * 4);
    EXPECT_OK(cuDeviceGraphMemTrim(0));
    EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT));
    cuuint64_t zero = 0;
    EXPECT_OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero));
    EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero));
    launch(executable);
    EXPECT_OK(cuGraphExecDestroy(executable));
    unsigned host = 0;
    if (on_cpu_device()) {
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&host, inside, 4));
    }
    CUdeviceptr told = 0;
    EXPECT_OK(cuGraphMemFreeNodeGetParams(freed, &told));
    EXPECT_EQ(inside, told);
}

TEST_F(MemoryNodeTest, WhatIsLeftIsFreedByTheProgram) {
    const CUdeviceptr inside = allocate(64);
    kernel(poking(inside, 42), node);
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(executable, stream));
    unsigned host = 0;
    EXPECT_OK(cuMemcpyDtoHAsync(&host, inside, 4, stream));
    EXPECT_OK(cuMemFreeAsync(inside, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(inside, stream));
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(42u, host);
    EXPECT_EQ(42u, word(inside));
    EXPECT_OK(cuMemFree(inside));
    expect_nothing_used();
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(MemoryNodeTest, WhatIsLeftIsFreedByTheNextLaunch) {
    const CUdeviceptr inside = allocate(64);
    kernel(poking(inside, 1), node);
    CUgraphExec executable = nullptr;
    ASSERT_OK(cuGraphInstantiate(&executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    cuuint64_t flags = 0;
    EXPECT_OK(cuGraphExecGetFlags(executable, &flags));
    EXPECT_EQ(cuuint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH}, flags);
    for (int i = 0; i < 4; ++i) EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(1u, word(inside));
    EXPECT_OK(cuMemFree(inside));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(MemoryNodeTest, AnotherGraphFreesIt) {
    const CUdeviceptr inside = allocate(64);
    CUgraph other = nullptr;
    CUgraphNode freed = nullptr;
    ASSERT_OK(cuGraphCreate(&other, 0));
    ASSERT_OK(cuGraphAddMemFreeNode(&freed, other, nullptr, 0, inside));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&freed, other, nullptr, 0, inside));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&freed, graph, nullptr, 0, inside));
    const CUgraphExec takes = instantiate(graph), frees = instantiate(other);
    for (int i = 0; i < 3; ++i) {
        EXPECT_OK(cuGraphLaunch(takes, stream));
        EXPECT_OK(cuGraphLaunch(frees, stream));
    }
    EXPECT_OK(cuStreamSynchronize(stream));
    expect_nothing_used();
    EXPECT_OK(cuGraphExecDestroy(takes));
    EXPECT_OK(cuGraphExecDestroy(frees));
    EXPECT_OK(cuGraphDestroy(other));
}

TEST_F(MemoryNodeTest, AllocationsAreCaptured) {
    CUdeviceptr inside = 0;
    ASSERT_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_OK(cuMemAllocAsync(&inside, n * 4, stream));
    EXPECT_OK(cuMemsetD32Async(inside, 6, n, stream));
    EXPECT_OK(cuMemcpyDtoDAsync(b, inside, n * 4, stream));
    EXPECT_OK(cuMemFreeAsync(inside, stream));
    CUgraph captured = nullptr;
    ASSERT_OK(cuStreamEndCapture(stream, &captured));
    EXPECT_EQ(4u, node_count(captured));
    run(captured);
    EXPECT_EQ(std::vector<unsigned>(n, 6), words(b));
    EXPECT_OK(cuGraphDestroy(captured));
}

TEST_F(MemoryNodeTest, SuchGraphsAreUnique) {
    const CUdeviceptr inside = allocate(64);
    const CUgraphNode alloc = node;
    CUgraphNode empty = nullptr;
    ASSERT_OK(cuGraphAddEmptyNode(&empty, graph, &alloc, 1));
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphDestroyNode(empty));
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphRemoveDependencies(graph, &alloc, &empty, nullptr, 1));
    CUgraph out = nullptr, other = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&out, graph));
    ASSERT_OK(cuGraphCreate(&other, 0));
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddChildGraphNode(&empty, other, nullptr, 0, graph));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&empty, other, nullptr, 0, a));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&empty, other, nullptr, 0, inside + 4));
    const CUgraphExec executable = instantiate(graph);
    CUgraphExec second = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&second, graph, 0));
    EXPECT_OK(cuGraphExecDestroy(executable));
    second = instantiate(graph);
    EXPECT_OK(cuGraphExecDestroy(second));
    CUDA_MEM_ALLOC_NODE_PARAMS p{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemAllocNode(&empty, other, nullptr, 0, &p));
    EXPECT_OK(cuGraphDestroy(other));
}

TEST_F(MemoryNodeTest, MoreThanTheDeviceHasIsRefusedAtTheLaunch) {
    std::size_t free = 0, total = 0;
    ASSERT_OK(cuMemGetInfo(&free, &total));
    for (int half = 0; half < 2; ++half) allocate(total / 2 + (64 << 20));  // not of what is free: others may free more
    const CUgraphExec executable = instantiate(graph);
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuGraphLaunch(executable, stream));
    EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuGraphLaunch(executable, stream));
    EXPECT_EQ(0u, attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
    EXPECT_OK(cuGraphExecDestroy(executable));
}
