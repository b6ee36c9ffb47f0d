#pragma once

#include "driver/graphs/graph_test.hpp"

namespace graph_tests {

constexpr CUstreamCaptureMode global = CU_STREAM_CAPTURE_MODE_GLOBAL;
constexpr CUstreamCaptureMode thread_local_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
constexpr CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
constexpr CUstreamCaptureMode modes[] = {global, thread_local_mode, relaxed};

/// A stream to capture, and another one with events between them.
class InCapture : public GraphTest {
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

}  // namespace graph_tests
