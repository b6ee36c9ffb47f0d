#include "driver/graphs/graph_test.hpp"

#include <functional>
#include <string>

using graph_tests::count_up;
using graph_tests::GraphTest;

namespace {

constexpr CUstreamCaptureMode global = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr CUstreamCaptureMode thread_local_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
constexpr CUstreamCaptureMode modes[] = {global, thread_local_mode, relaxed};

}  // namespace

class CaptureTest : public GraphTest {
protected:
    void SetUp() override {
        GraphTest::SetUp();
        ASSERT_OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
        for (CUevent* event : {&fork, &join}) ASSERT_OK(cuEventCreate(event, CU_EVENT_DISABLE_TIMING));
    }
    CUstreamCaptureStatus status(CUstream of) {
        CUstreamCaptureStatus out{};
        EXPECT_OK(cuStreamIsCapturing(of, &out));
        return out;
    }
    CUgraph end() {
        CUgraph graph = nullptr;
        EXPECT_OK(cuStreamEndCapture(stream, &graph));
        return graph;
    }
    void end_with(CUresult expected) {
        CUgraph graph = nullptr;
        EXPECT_RESULT(expected, cuStreamEndCapture(stream, &graph));
        EXPECT_EQ(nullptr, graph);
        EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(stream));
    }
    void run_and_destroy(CUgraph graph) {
        run(graph);
        EXPECT_OK(cuGraphDestroy(graph));
    }
    CUstream other = nullptr;
    CUevent fork = nullptr, join = nullptr;
};

TEST_F(CaptureTest, NothingRunsBeforeTheGraphIsLaunched) {
    for (const auto mode : modes) {
        ASSERT_OK(cuMemsetD32(a, 1, n));
        ASSERT_OK(cuStreamBeginCapture(stream, mode));
        EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(stream));
        EXPECT_OK(launch_poke(a, 5, stream));
        EXPECT_OK(cuMemcpyDtoDAsync(b, a, 4, stream));
        const CUgraph graph = end();
        EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(stream));
        EXPECT_EQ(1u, word(a));
        EXPECT_EQ(2u, node_count(graph));
        run_and_destroy(graph);
        EXPECT_EQ(5u, word(b));
    }
}

TEST_F(CaptureTest, StreamsForkAndJoinByEvents) {
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuMemsetD32Async(a, 3, n, stream));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(other));
    EXPECT_OK(cuMemcpyDtoDAsync(b, a, 8, other));
    EXPECT_OK(launch_poke(a + 4, 8, stream));
    EXPECT_OK(cuEventRecord(join, other));
    EXPECT_OK(cuStreamWaitEvent(stream, join, 0));
    EXPECT_OK(launch_poke(b, 10, stream));
    const CUgraph graph = end();
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(other));
    std::size_t edges = 0;
    EXPECT_OK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    EXPECT_EQ(4u, edges);
    run_and_destroy(graph);
    EXPECT_EQ(10u, word(b));
    EXPECT_EQ(8u, word(a + 4));
    EXPECT_OK(launch_poke(a, 1, other));
    EXPECT_OK(cuStreamSynchronize(other));
}

TEST_F(CaptureTest, AForkThatIsNotJoinedEndsTheCapture) {
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_OK(launch_poke(a, 9, other));
    end_with(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(other));
    EXPECT_EQ(1u, word(a));
}

TEST_F(CaptureTest, ItEndsWhereItBegan) {
    CUgraph graph = nullptr;
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(stream, global));
    std::thread([&] {
        cuCtxSetCurrent(context);
        CUgraph out = nullptr;
        EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(stream, &out));
    }).join();
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(stream));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    ASSERT_OK(cuStreamBeginCapture(stream, relaxed));
    std::thread([&] {
        cuCtxSetCurrent(context);
        CUgraph out = nullptr;
        EXPECT_OK(cuStreamEndCapture(stream, &out));
        EXPECT_OK(cuGraphDestroy(out));
    }).join();
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(nullptr, global));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(3)));
}

TEST_F(CaptureTest, CapturesDoNotMergeAndKeepToThemselves) {
    ASSERT_OK(cuEventRecord(join, other));
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(stream, join, 0));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status(stream));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch_poke(a, 1, stream));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    ASSERT_OK(cuStreamBeginCapture(other, global));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(other, fork, 0));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CUgraph graph = nullptr;
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(other, &graph));
}

TEST_F(CaptureTest, ACapturedEventIsNoPointInTime) {
    ASSERT_OK(cuStreamBeginCapture(stream, relaxed));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_RESULT(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(fork));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_RESULT(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(fork));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_OK(cuEventSynchronize(fork));
}

TEST_F(CaptureTest, TheLegacyStreamIsOutOfUseWhileABlockingStreamIsCaptured) {
    CUstream blocking = nullptr;
    ASSERT_OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    ASSERT_OK(cuStreamBeginCapture(blocking, relaxed));
    CUstreamCaptureStatus out{};
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing(nullptr, &out));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(blocking));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, launch_poke(a, 1, nullptr));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status(blocking));
    CUgraph graph = nullptr;
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &graph));
    EXPECT_OK(launch_poke(a, 2, nullptr));
    EXPECT_EQ(2u, word(a));
    ASSERT_OK(cuStreamBeginCapture(blocking, relaxed));
    unsigned host = 0;
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemcpyDtoH(&host, a, 4));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &graph));
    // A non-blocking stream does not concern it.
    ASSERT_OK(cuStreamBeginCapture(stream, relaxed));
    EXPECT_EQ(2u, word(a));
    EXPECT_OK(cuGraphDestroy(end()));
}

TEST_F(CaptureTest, InformationAndDependencies) {
    CUstreamCaptureStatus out{};
    cuuint64_t id = 0, second_id = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* told = nullptr;
    std::size_t count = 9;
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, 0));
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuStreamGetCaptureInfo(stream, &out, &id, &graph, &told, nullptr, &count));
    EXPECT_EQ(0u, count);
    EXPECT_OK(launch_poke(a, 1, stream));
    EXPECT_OK(cuStreamGetCaptureInfo(stream, &out, &id, &graph, &told, nullptr, &count));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, out);
    ASSERT_EQ(1u, count);
    EXPECT_EQ(nodes(graph)[0], told[0]);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(told[0]));
    CUgraphExec executable = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate(&executable, graph, 0));
    CUgraphNode added = nullptr;
    EXPECT_OK(cuGraphAddEmptyNode(&added, graph, told, count));
    EXPECT_OK(cuStreamUpdateCaptureDependencies(stream, &added, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    EXPECT_OK(launch_poke(a, 2, stream));
    const CUgraph captured = end();
    EXPECT_EQ(graph, captured);
    EXPECT_EQ(3u, node_count(captured));
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuStreamGetCaptureInfo(stream, &out, &second_id, nullptr, nullptr, nullptr, nullptr));
    EXPECT_NE(id, second_id);
    EXPECT_OK(cuGraphDestroy(end()));
    EXPECT_OK(cuGraphDestroy(captured));
}

TEST_F(CaptureTest, IntoAGraphThatThereIs) {
    CUgraph graph = nullptr;
    CUgraphNode first = nullptr;
    ASSERT_OK(cuGraphCreate(&graph, 0));
    const auto p = poking(a, 4);
    ASSERT_OK(cuGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    ASSERT_OK(cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, global));
    EXPECT_OK(cuMemcpyDtoDAsync(b, a, 4, stream));
    EXPECT_EQ(graph, end());
    run_and_destroy(graph);
    EXPECT_EQ(4u, word(b));
}

TEST_F(CaptureTest, ExternalEventsBecomeNodes) {
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuEventRecordWithFlags(fork, stream, CU_EVENT_RECORD_EXTERNAL));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuStreamWaitEvent(stream, fork, CU_EVENT_WAIT_EXTERNAL));
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuStreamWaitEvent(stream, join, CU_EVENT_WAIT_EXTERNAL));
    EXPECT_OK(cuEventRecordWithFlags(fork, stream, CU_EVENT_RECORD_EXTERNAL));
    const CUgraph graph = end();
    const auto all = nodes(graph);
    ASSERT_EQ(2u, all.size());
    CUgraphNodeType type{};
    EXPECT_OK(cuGraphNodeGetType(all[0], &type));
    EXPECT_EQ(CU_GRAPH_NODE_TYPE_WAIT_EVENT, type);
    EXPECT_OK(cuGraphNodeGetType(all[1], &type));
    EXPECT_EQ(CU_GRAPH_NODE_TYPE_EVENT_RECORD, type);
    run_and_destroy(graph);
    EXPECT_OK(cuEventQuery(fork));
}

TEST_F(CaptureTest, ALaunchOfAGraphBecomesAChildGraph) {
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(launch_poke(a, 6, stream));
    const CUgraph inner = end();
    const CUgraphExec executable = instantiate(inner);
    const auto p = poking(a, 7);
    EXPECT_OK(cuGraphExecKernelNodeSetParams(executable, nodes(inner)[0], &p));
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuGraphLaunch(executable, stream));
    const CUgraph outer = end();
    CUgraphNodeType type{};
    EXPECT_OK(cuGraphNodeGetType(nodes(outer)[0], &type));
    EXPECT_EQ(CU_GRAPH_NODE_TYPE_GRAPH, type);
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_OK(cuGraphDestroy(inner));
    run_and_destroy(outer);
    EXPECT_EQ(7u, word(a));
}

TEST_F(CaptureTest, AStreamThatEndsTakesItsCaptureAlong) {
    CUstream doomed = nullptr;
    ASSERT_OK(cuStreamCreate(&doomed, CU_STREAM_DEFAULT));
    ASSERT_OK(cuStreamBeginCapture(doomed, global));
    EXPECT_OK(launch_poke(a, 1, doomed));
    EXPECT_OK(cuEventRecord(fork, doomed));
    EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_OK(cuStreamDestroy(doomed));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(other));
    EXPECT_OK(launch_poke(a, 3, nullptr));
    EXPECT_RESULT(CUDA_ERROR_CAPTURED_EVENT, cuStreamWaitEvent(other, fork, 0));
    EXPECT_EQ(3u, word(a));
}

TEST_F(CaptureTest, AContextThatEndsTakesItsCapturesAlong) {
    CUcontext doomed = nullptr;
    CUstream inside = nullptr;
    ASSERT_OK(cuCtxCreate(&doomed, nullptr, 0, 0));
    ASSERT_OK(cuStreamCreate(&inside, CU_STREAM_DEFAULT));
    ASSERT_OK(cuStreamBeginCapture(inside, global));
    EXPECT_OK(cuCtxDestroy(doomed));
    CUgraph graph = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamEndCapture(inside, &graph));
    ASSERT_OK(cuCtxSetCurrent(context));
    CUdeviceptr free_again = 0;
    EXPECT_OK(cuMemAlloc(&free_again, 4));
}

TEST_F(CaptureTest, TwoThreadsCaptureAtOnce) {
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            cuCtxSetCurrent(context);
            CUstream own = nullptr;
            cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
            for (unsigned round = 0; round < 50; ++round) {
                CUgraph graph = nullptr;
                CUgraphExec executable = nullptr;
                if (cuStreamBeginCapture(own, thread_local_mode) != CUDA_SUCCESS) return;
                for (unsigned i = 0; i < 20; ++i) cuMemsetD32Async(a + 4 * static_cast<CUdeviceptr>(t), round, 1, own);
                if (cuStreamEndCapture(own, &graph) != CUDA_SUCCESS) return;
                if (cuGraphInstantiate(&executable, graph, 0) != CUDA_SUCCESS) return;
                cuGraphLaunch(executable, own);
                cuGraphExecDestroy(executable);
                cuGraphDestroy(graph);
            }
            if (cuStreamSynchronize(own) == CUDA_SUCCESS) ++good;
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(2, good);
    EXPECT_EQ((std::vector<unsigned>{49, 49}), words(a, 2));
}

// ---- every call, in each mode, while a stream is captured ----

namespace {

struct Call {
    const char* name;
    std::function<CUresult(CUstream captured)> make;
    CUresult in_stream;  ///< what it returns, or
    bool unsafe;         ///< refused in the modes global and thread_local only
};

}  // namespace

class EveryCallTest : public CaptureTest {
protected:
    std::vector<Call> calls() {
        constexpr CUresult good = CUDA_SUCCESS, refused = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        return {
            {"launch", [this](CUstream s) { return launch_poke(a, 1, s); }, good, false},
            {"cooperative launch",
             [this](CUstream s) {
                 const auto p = poking(a, 1);
                 return cuLaunchCooperativeKernel(p.func, 1, 1, 1, 1, 1, 1, 0, s, p.kernelParams);
             },
             good, false},
            {"launch ex",
             [this](CUstream s) {
                 const auto p = poking(a, 1);
                 CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, s, nullptr, 0};
                 return cuLaunchKernelEx(&config, p.func, p.kernelParams, nullptr);
             },
             good, false},
            {"dtod", [this](CUstream s) { return cuMemcpyDtoDAsync(b, a, 4, s); }, good, false},
            {"dtoh", [this](CUstream s) { return cuMemcpyDtoHAsync(host, a, 4, s); }, good, false},
            {"htod", [this](CUstream s) { return cuMemcpyHtoDAsync(a, host, 4, s); }, good, false},
            {"unified", [this](CUstream s) { return cuMemcpyAsync(b, a, 4, s); }, good, false},
            {"peer", [this](CUstream s) { return cuMemcpyPeerAsync(b, context, a, context, 4, s); }, good, false},
            {"3d",
             [this](CUstream s) {
                 const auto c = copying(b, a, 16);
                 return cuMemcpy3DAsync(&c, s);
             },
             good, false},
            {"2d",
             [this](CUstream s) {
                 CUDA_MEMCPY2D c{};
                 c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
                 c.srcDevice = a, c.dstDevice = b, c.srcPitch = 16, c.dstPitch = 8, c.WidthInBytes = 8, c.Height = 2;
                 return cuMemcpy2DAsync(&c, s);
             },
             good, false},
            {"set 8", [this](CUstream s) { return cuMemsetD8Async(a, 1, 4, s); }, good, false},
            {"set 16", [this](CUstream s) { return cuMemsetD16Async(a, 1, 4, s); }, good, false},
            {"set 2d", [this](CUstream s) { return cuMemsetD2D32Async(a, 16, 1, 2, 2, s); }, good, false},
            {"host function", [this](CUstream s) { return cuLaunchHostFunc(s, count_up, &counter); }, good, false},
            {"record", [this](CUstream s) { return cuEventRecord(fork, s); }, good, false},
            {"callback",
             [](CUstream s) { return cuStreamAddCallback(s, [](CUstream, CUresult, void*) {}, nullptr, 0); }, refused,
             false},
            {"query", [](CUstream s) { return cuStreamQuery(s); }, refused, false},
            {"synchronize", [](CUstream s) { return cuStreamSynchronize(s); }, refused, false},
            {"synchronize the context", [](CUstream) { return cuCtxSynchronize(); }, refused, false},
            {"record the context", [this](CUstream) { return cuCtxRecordEvent(context, join); }, refused, false},
            {"hold back the context", [this](CUstream) { return cuCtxWaitEvent(context, join); }, refused, false},
            {"allocate",
             [](CUstream) {
                 CUdeviceptr out = 0;
                 return cuMemAlloc(&out, 4);
             },
             refused, true},
            {"free", [this](CUstream) { return cuMemFree(std::exchange(spare, 0)); }, refused, true},
            {"allocate on the host",
             [](CUstream) {
                 void* out = nullptr;
                 return cuMemHostAlloc(&out, 4, 0);
             },
             refused, true},
            {"load",
             [](CUstream) {
                 CUmodule out = nullptr;
                 return cuModuleLoadData(&out, kernels::all);
             },
             refused, true},
            {"synchronous copy", [this](CUstream) { return cuMemcpyDtoH(host, a, 4); }, refused, true},
            {"synchronous fill", [this](CUstream) { return cuMemsetD8(a, 1, 4); }, refused, true},
            {"query another event", [this](CUstream) { return cuEventQuery(join); }, refused, true},
        };
    }
    unsigned host[4] = {};
    std::atomic<int> counter{0};
    CUdeviceptr spare = 0;
};

TEST_F(EveryCallTest, IsCapturedOrRefused) {
    for (const auto mode : modes)
        for (const Call& call : calls()) {
            SCOPED_TRACE(call.name + std::string(" in mode ") + std::to_string(mode));
            if (!spare) {
                ASSERT_OK(cuMemAlloc(&spare, 4));
            }
            ASSERT_OK(cuStreamBeginCapture(stream, mode));
            const CUresult expected = call.unsafe && mode == relaxed ? CUDA_SUCCESS : call.in_stream;
            EXPECT_RESULT(expected, call.make(stream));
            if (expected != CUDA_SUCCESS) {
                EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status(stream));
                EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch_poke(a, 1, stream));
                end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            } else {
                run_and_destroy(end());
            }
        }
}

TEST_F(EveryCallTest, OtherThreadsAreRefusedByModeGlobalOnly) {
    for (const auto mode : modes)
        for (const auto of_thread : modes) {
            ASSERT_OK(cuStreamBeginCapture(stream, mode));
            const bool refused = mode == global && of_thread == global;
            std::thread([&] {
                cuCtxSetCurrent(context);
                CUstreamCaptureMode own = of_thread;
                EXPECT_OK(cuThreadExchangeStreamCaptureMode(&own));
                EXPECT_EQ(global, own);
                CUdeviceptr out = 0;
                EXPECT_RESULT(refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS, cuMemAlloc(&out, 4));
            }).join();
            if (refused) {
                end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            } else {
                EXPECT_OK(cuGraphDestroy(end()));
            }
        }
    CUstreamCaptureMode bad = static_cast<CUstreamCaptureMode>(9);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(&bad));
}
