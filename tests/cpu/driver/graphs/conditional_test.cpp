#include "driver/graphs/graph_test.hpp"

#include <atomic>
#include <chrono>
#include <thread>

using namespace graph_tests;

namespace {

/// count: *counter -= 1, which becomes the condition. decide: the condition becomes *from. add: *to += 1.
constexpr const char* kernels_of_conditions = R"(
.version 8.3
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);

.visible .entry count(.param .u64 handle, .param .u64 counter)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [handle];
    ld.param.u64 %rd2, [counter];
    cvta.to.global.u64 %rd3, %rd2;
    ld.global.u32 %r1, [%rd3];
    sub.u32 %r2, %r1, 1;
    st.global.u32 [%rd3], %r2;
    { .param .b64 h; .param .b32 v;
      st.param.b64 [h], %rd1; st.param.b32 [v], %r2;
      call.uni cudaGraphSetConditional, (h, v); }
    ret;
}
.visible .entry decide(.param .u64 handle, .param .u64 from)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [handle];
    ld.param.u64 %rd2, [from];
    cvta.to.global.u64 %rd3, %rd2;
    ld.global.u32 %r1, [%rd3];
    { .param .b64 h; .param .b32 v;
      st.param.b64 [h], %rd1; st.param.b32 [v], %r1;
      call.uni cudaGraphSetConditional, (h, v); }
    ret;
}
.visible .entry add(.param .u64 to, .param .u64 unused)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [to];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [%rd2];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd2], %r1;
    ret;
}
)";

}  // namespace

class ConditionalTest : public GraphTest {
protected:
    void SetUp() override {
        GraphTest::SetUp();
        ASSERT_OK(cuModuleLoadData(&conditions, kernels_of_conditions));
        ASSERT_OK(cuModuleGetFunction(&count, conditions, "count"));
        ASSERT_OK(cuModuleGetFunction(&decide, conditions, "decide"));
        ASSERT_OK(cuModuleGetFunction(&add, conditions, "add"));
        ASSERT_OK(cuGraphCreate(&graph, 0));
    }
    void TearDown() override {
        EXPECT_OK(cuGraphDestroy(graph));
        GraphTest::TearDown();
    }
    CUgraphConditionalHandle handle(unsigned initial = 0, unsigned flags = 0) {
        CUgraphConditionalHandle made = 0;
        EXPECT_OK(cuGraphConditionalHandleCreate(&made, graph, context, initial, flags));
        return made;
    }
    CUgraphNode kernel(CUgraph in, CUfunction f, CUdeviceptr first, CUdeviceptr second, CUgraphNode after = nullptr) {
        void* values[] = {&first, &second};
        CUDA_KERNEL_NODE_PARAMS p{};
        p.func = f;
        p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
        p.kernelParams = values;
        CUgraphNode made = nullptr;
        EXPECT_OK(cuGraphAddKernelNode(&made, in, after ? &after : nullptr, after ? 1 : 0, &p));
        return made;
    }
    /// The graphs of a new conditional node.
    std::vector<CUgraph> conditional(CUgraph in, CUgraphConditionalHandle condition, CUgraphConditionalNodeType how,
                                     unsigned size, CUgraphNode after = nullptr) {
        CUgraphNodeParams p{};
        p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
        p.conditional.handle = condition;
        p.conditional.type = how;
        p.conditional.size = size;
        p.conditional.ctx = context;
        EXPECT_OK(cuGraphAddNode(&node, in, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
        return p.conditional.phGraph_out ? std::vector(p.conditional.phGraph_out, p.conditional.phGraph_out + size)
                                         : std::vector<CUgraph>();
    }
    CUmodule conditions = nullptr;
    CUfunction count = nullptr, decide = nullptr, add = nullptr;
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
};

TEST_F(ConditionalTest, WhileRunsUntilTheConditionIsZero) {
    const auto h = handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    const auto body = conditional(graph, h, CU_GRAPH_COND_TYPE_WHILE, 1);
    const CUgraphNode first = kernel(body[0], count, h, a);
    kernel(body[0], add, b, 0, first);
    ASSERT_OK(cuMemsetD32(a, 1000, 1));
    const CUgraphExec executable = instantiate(graph);
    launch(executable);
    EXPECT_EQ(1000u, word(b));
    ASSERT_OK(cuMemsetD32(a, 7, 1));
    launch(executable);
    EXPECT_EQ(1007u, word(b));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ConditionalTest, IfElseAndSwitchByEveryValue) {
    for (unsigned value = 0; value < 5; ++value) {
        SCOPED_TRACE(value);
        ASSERT_OK(cuMemsetD32(a, value, 1));
        ASSERT_OK(cuMemsetD32(b, 0, 8));
        CUgraph whole = nullptr;
        ASSERT_OK(cuGraphCreate(&whole, 0));
        std::swap(whole, graph);
        const auto h1 = handle(), h2 = handle(), h3 = handle();
        CUgraphNode after = nullptr;
        for (const auto h : {h1, h2, h3}) after = kernel(graph, decide, h, a, after);
        const auto only_if = conditional(graph, h1, CU_GRAPH_COND_TYPE_IF, 1, after);
        kernel(only_if[0], add, b, 0);
        const auto if_else = conditional(graph, h2, CU_GRAPH_COND_TYPE_IF, 2, after);
        kernel(if_else[0], add, b + 4, 0);
        kernel(if_else[1], add, b + 8, 0);
        const auto cases = conditional(graph, h3, CU_GRAPH_COND_TYPE_SWITCH, 4, after);
        for (unsigned i = 0; i < 4; ++i) kernel(cases[i], add, b + 12 + 4 * i, 0);
        run(graph);
        std::vector<unsigned> expected = {value != 0, value != 0, value == 0};
        for (unsigned i = 0; i < 4; ++i) expected.push_back(value == i);
        EXPECT_EQ(expected, words(b, 7));
        std::swap(whole, graph);
        EXPECT_OK(cuGraphDestroy(whole));
    }
}

TEST_F(ConditionalTest, LoopsInLoops) {
    const auto outer = handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT), inner = handle();
    const auto body = conditional(graph, outer, CU_GRAPH_COND_TYPE_WHILE, 1);
    // for (a = 5; a; --a) for (a[1] = 3; a[1]; --a[1]) ++b;
    CUgraphNode fill = nullptr;
    const auto f = filling(a + 4, 3, 1);
    ASSERT_OK(cuGraphAddMemsetNode(&fill, body[0], nullptr, 0, &f, context));
    const CUgraphNode set = kernel(body[0], decide, inner, a + 4, fill);
    const auto inside = conditional(body[0], inner, CU_GRAPH_COND_TYPE_WHILE, 1, set);
    const CUgraphNode loop = node;
    const CUgraphNode added = kernel(inside[0], add, b, 0);
    kernel(inside[0], count, inner, a + 4, added);
    kernel(body[0], count, outer, a, loop);
    ASSERT_OK(cuMemsetD32(a, 5, 1));
    run(graph);
    EXPECT_EQ(15u, word(b));
}

TEST_F(ConditionalTest, ABodyIsCaptured) {
    const auto h = handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    const auto body = conditional(graph, h, CU_GRAPH_COND_TYPE_WHILE, 1);
    ASSERT_OK(cuStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUdeviceptr handle_value = h, counter = a;
    void* values[] = {&handle_value, &counter};
    EXPECT_OK(cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, values, nullptr));
    EXPECT_OK(cuMemcpyDtoDAsync(b, a, 4, stream));
    CUgraph captured = nullptr;
    EXPECT_OK(cuStreamEndCapture(stream, &captured));
    EXPECT_EQ(body[0], captured);
    ASSERT_OK(cuMemsetD32(a, 4, 1));
    ASSERT_OK(cuMemsetD32(b, 9, 1));
    run(graph);
    EXPECT_EQ(0u, word(b));
}

TEST_F(ConditionalTest, WhatCannotBe) {
    const auto h = handle();
    CUgraphNodeParams p{};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.ctx = context;
    for (const auto& [how, size] : {std::pair(CU_GRAPH_COND_TYPE_WHILE, 2u),
                                    {CU_GRAPH_COND_TYPE_WHILE, 0u},
                                    {CU_GRAPH_COND_TYPE_IF, 3u},
                                    {CU_GRAPH_COND_TYPE_SWITCH, 0u},
                                    {static_cast<CUgraphConditionalNodeType>(7), 1u}}) {
        p.conditional.handle = h;
        p.conditional.type = how;
        p.conditional.size = size;
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
    }
    CUgraphExec executable = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS q{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&executable, graph, &q));
    EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, q.result_out);
    const auto body = conditional(graph, h, CU_GRAPH_COND_TYPE_IF, 1);
    p.conditional.type = CU_GRAPH_COND_TYPE_IF;
    p.conditional.size = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));  // the handle is used
    executable = instantiate(graph);
    CUgraphExec second = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiate(&second, graph, 0));
    EXPECT_OK(cuGraphExecDestroy(executable));
    CUgraph clone = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, graph));
    const CUDA_HOST_NODE_PARAMS host{graph_tests::count_up, nullptr};
    ASSERT_OK(cuGraphAddHostNode(&node, body[0], nullptr, 0, &host));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&executable, graph, 0));
}

TEST_F(ConditionalTest, AHandleThatIsNoneIsAFault) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    kernel(graph, decide, 0x1234560, a);
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(ConditionalTest, DestroyingARunningLoopWaitsForIt) {
    void* host = nullptr;
    ASSERT_OK(cuMemHostAlloc(&host, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    CUdeviceptr flag = 0;
    ASSERT_OK(cuMemHostGetDevicePointer(&flag, host, 0));
    const std::atomic_ref<unsigned> again(*static_cast<unsigned*>(host));
    again = 1;
    const auto h = handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    const auto body = conditional(graph, h, CU_GRAPH_COND_TYPE_WHILE, 1);
    kernel(body[0], decide, h, flag);
    const CUgraphExec executable = instantiate(graph);
    ASSERT_OK(cuGraphLaunch(executable, stream));
    std::thread ends([&again] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        again = 0;
    });
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_EQ(0u, again.load());
    ends.join();
    EXPECT_OK(cuStreamSynchronize(stream));
    EXPECT_OK(cuMemFreeHost(host));
}

TEST_F(ConditionalTest, ALoopWithoutEndCanBeInterrupted) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's loop would not end";
    struct OwnTable {
        void (*set_interrupt_check)(const char* (*check)());
    };
    CUuuid id;
    std::memcpy(id.bytes, "pycuda-interrupt", sizeof id.bytes);
    const void* table = nullptr;
    ASSERT_OK(cuGetExportTable(&table, &id));
    const auto h = handle(1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    const auto body = conditional(graph, h, CU_GRAPH_COND_TYPE_WHILE, 1);
    const CUgraphExec executable = instantiate(graph);
    EXPECT_OK(cuGraphLaunch(executable, stream));
    const auto set_check = static_cast<const OwnTable*>(table)->set_interrupt_check;
    set_check([]() -> const char* { return "the test has seen enough"; });
    const CUresult result = cuStreamSynchronize(stream);
    EXPECT_TRUE(result == CUDA_ERROR_NOT_READY || result == CUDA_ERROR_LAUNCH_TIMEOUT) << result_name(result);
    set_check(nullptr);
    CUresult fault = CUDA_ERROR_NOT_READY;
    while (fault == CUDA_ERROR_NOT_READY) fault = cuStreamQuery(stream);
    EXPECT_RESULT(CUDA_ERROR_LAUNCH_TIMEOUT, fault);
    EXPECT_OK(cuGraphExecDestroy(executable));
}
