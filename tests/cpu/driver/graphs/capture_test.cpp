#include "driver/graphs/capture_fixture.hpp"

using namespace graph_tests;

class CaptureTest : public InCapture {};

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
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(stream));  // over, but without a graph
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuEventRecord(fork, stream));
    EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph));
    EXPECT_NE(CUDA_SUCCESS, cuStreamEndCapture(stream, &graph));
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(stream));
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
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuEventSynchronize(fork));  // the capture is over
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
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuGraphDestroy(graph));
    EXPECT_RESULT(CUDA_ERROR_ILLEGAL_STATE, cuGraphDestroyNode(told[0]));
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

TEST_F(CaptureTest, AGraphIsNotInstantiatedWhileItIsCaptured) {
    CUstreamCaptureStatus out{};
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuStreamGetCaptureInfo(stream, &out, nullptr, &graph, nullptr, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuGraphInstantiate(&executable, graph, 0));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch_poke(a, 2, stream));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
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

TEST_F(CaptureTest, ALaunchOfAGraphIsNotCaptured) {
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(launch_poke(a, 6, stream));
    const CUgraph inner = end();
    const CUgraphExec executable = instantiate(inner);
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuGraphLaunch(executable, stream));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    launch(executable);
    EXPECT_EQ(6u, word(a));
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_OK(cuGraphDestroy(inner));
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
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(other, fork, 0));
    EXPECT_EQ(3u, word(a));
}

TEST_F(CaptureTest, AContextThatEndsTakesItsCapturesAlong) {
    CUcontext doomed = nullptr;
    CUstream inside = nullptr;
    ASSERT_OK(cuCtxCreate(&doomed, nullptr, 0, 0));
    ASSERT_OK(cuStreamCreate(&inside, CU_STREAM_DEFAULT));
    ASSERT_OK(cuStreamBeginCapture(inside, global));
    EXPECT_OK(cuCtxDestroy(doomed));
    if (on_cpu_device()) {  // NVIDIA's driver reads the memory of the ended stream, and may end the process
        CUgraph graph = nullptr;
        EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuStreamEndCapture(inside, &graph));
    }
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

TEST_F(CaptureTest, AnEventThatALaunchCompletesIsCaptured) {
    const auto p = poking(a, 4);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
    attribute.value.launchCompletionEvent.event = fork;
    CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(cuLaunchKernelEx(&config, p.func, p.kernelParams, nullptr));
    EXPECT_OK(cuStreamWaitEvent(other, fork, 0));
    EXPECT_OK(cuMemcpyDtoDAsync(b, a, 4, other));
    EXPECT_OK(cuEventRecord(join, other));
    EXPECT_OK(cuStreamWaitEvent(stream, join, 0));
    run_and_destroy(end());
    EXPECT_EQ(4u, word(b));
}

TEST_F(CaptureTest, AProgrammaticLaunchHasAProgrammaticEdge) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
    ASSERT_OK(cuStreamBeginCapture(stream, global));
    EXPECT_OK(launch_poke(a, 4, stream));
    const auto p = poking(a, 5);
    EXPECT_OK(cuLaunchKernelEx(&config, p.func, p.kernelParams, nullptr));
    const CUgraph graph = end();
    CUgraphNode from = nullptr, to = nullptr;
    CUgraphEdgeData data{};
    std::size_t count = 1;
    EXPECT_OK(cuGraphGetEdges(graph, &from, &to, &data, &count));
    EXPECT_EQ(CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, data.type);
    run_and_destroy(graph);
    EXPECT_EQ(5u, word(a));
}
