#include "driver/graphs/graph_test.hpp"

#include <mutex>
#include <random>
#include <set>

using namespace graph_tests;

namespace {

/// Handles that all threads share; any of them may have been destroyed.
template <class Handle>
class Shared {
public:
    void add(Handle handle) {
        const std::lock_guard lock(mutex_);
        all_.push_back(handle);
        if (all_.size() > 12) all_.erase(all_.begin());
    }
    Handle any(std::mt19937& random) {
        const std::lock_guard lock(mutex_);
        return all_.empty() || random() % 50 == 0 ? nullptr : all_[random() % all_.size()];
    }

private:
    std::mutex mutex_;
    std::vector<Handle> all_;
};

}  // namespace

/// Threads call anything on anything, in any state: each call must return, with a code that says what was wrong.
class RandomCallsTest : public GraphTest {
protected:
    CUresult call(std::mt19937& random) {
        CUgraph graph = graphs.any(random), made_graph = nullptr;
        CUgraphNode node = nodes_.any(random), other = nodes_.any(random), made = nullptr;
        CUgraphExec executable = executables.any(random), made_executable = nullptr;
        CUstream s = streams.any(random);
        CUevent event = events.any(random);
        const auto keep = [&](CUresult result) {
            if (result == CUDA_SUCCESS && made_graph) graphs.add(made_graph);
            if (result == CUDA_SUCCESS && made) nodes_.add(made);
            if (result == CUDA_SUCCESS && made_executable) executables.add(made_executable);
            return result;
        };
        CUdeviceptr where = a + 4 * (random() % 16);
        unsigned value = static_cast<unsigned>(random());
        void* values[] = {&where, &value};
        CUDA_KERNEL_NODE_PARAMS kernel{poke, 1, 1, 1, 1, 1, 1, 0, values, nullptr, nullptr, nullptr};
        const CUDA_HOST_NODE_PARAMS host{count_up, &counter};
        const auto mode = static_cast<CUstreamCaptureMode>(random() % 3);
        CUgraphExecUpdateResultInfo info{};
        unsigned enabled = 0;
        switch (random() % 28) {
            case 0:
                return keep(cuGraphCreate(&made_graph, 0));
            case 1:
                return cuGraphDestroy(graph);
            case 2:
                return keep(cuGraphClone(&made_graph, graph));
            case 3:
                return keep(cuGraphAddKernelNode(&made, graph, &node, node ? 1 : 0, &kernel));
            case 4:
                return keep(cuGraphAddHostNode(&made, graph, &node, node ? 1 : 0, &host));
            case 5:
                return keep(cuGraphAddEmptyNode(&made, graph, nullptr, 0));
            case 6:
                return keep(cuGraphAddEventRecordNode(&made, graph, nullptr, 0, event));
            case 7:
                return keep(cuGraphAddEventWaitNode(&made, graph, nullptr, 0, event));
            case 8:
                return node_count_of(graphs.any(random)) > 40
                           ? CUDA_SUCCESS
                           : keep(cuGraphAddChildGraphNode(&made, graph, nullptr, 0, graphs.any(random)));
            case 9:
                return cuGraphAddDependencies(graph, &node, &other, nullptr, 1);
            case 10:
                return cuGraphRemoveDependencies(graph, &node, &other, nullptr, 1);
            case 11:
                return cuGraphDestroyNode(node);
            case 12:
                return cuGraphKernelNodeSetParams(node, &kernel);
            case 13:
            case 14:
                return keep(cuGraphInstantiate(&made_executable, graph, 0));
            case 15:
            case 16:
                return cuGraphLaunch(executable, s);
            case 17:
                return cuGraphExecDestroy(executable);
            case 18:
                return cuGraphExecUpdate(executable, graph, &info);
            case 19:
                return cuGraphExecKernelNodeSetParams(executable, node, &kernel);
            case 20:
                return cuGraphNodeSetEnabled(executable, node, value % 2);
            case 21:
                return cuGraphNodeGetEnabled(executable, node, &enabled);
            case 22:
                return cuStreamBeginCapture(s, mode);
            case 23:
            case 24:
                return keep(cuStreamEndCapture(s, &made_graph));
            case 25:
                return cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, s, values, nullptr);
            case 26:
                return cuEventRecord(event, s);
            default:
                return cuStreamWaitEvent(s, event, 0);
        }
    }
    std::size_t node_count_of(CUgraph graph) {
        std::size_t count = 0;
        return cuGraphGetNodes(graph, nullptr, &count) == CUDA_SUCCESS ? count : 0;
    }

    std::atomic<int> counter{0};
    Shared<CUgraph> graphs;
    Shared<CUgraphNode> nodes_;
    Shared<CUgraphExec> executables;
    Shared<CUstream> streams;
    Shared<CUevent> events;
};

TEST_F(RandomCallsTest, EachReturnsAndSaysWhatWasWrong) {
    if (!on_cpu_device()) GTEST_SKIP() << "undefined with a real driver";
    const std::set<CUresult> allowed = {CUDA_SUCCESS,
                                        CUDA_ERROR_INVALID_VALUE,
                                        CUDA_ERROR_INVALID_HANDLE,
                                        CUDA_ERROR_ILLEGAL_STATE,
                                        CUDA_ERROR_NOT_SUPPORTED,
                                        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                                        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                                        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                                        CUDA_ERROR_STREAM_CAPTURE_MERGE,
                                        CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                                        CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                                        CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                                        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                                        CUDA_ERROR_CAPTURED_EVENT,
                                        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD};
    std::vector<CUstream> all_streams(4);
    for (std::size_t i = 0; i < all_streams.size(); ++i) {
        ASSERT_OK(cuStreamCreate(&all_streams[i], i % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
        streams.add(all_streams[i]);
    }
    for (int i = 0; i < 4; ++i) {
        CUevent event = nullptr;
        ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
        events.add(event);
    }
    std::vector<std::thread> threads;
    std::atomic<int> others{0};
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            cuCtxSetCurrent(context);
            std::mt19937 random(t);
            for (int i = 0; i < 4000; ++i) {
                const CUresult result = call(random);
                if (allowed.contains(result)) continue;
                ++others;
                ADD_FAILURE() << result_name(result);
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(0, others);
    for (CUstream s : all_streams) EXPECT_OK(cuStreamDestroy(s));
    EXPECT_OK(cuCtxSynchronize());
    ASSERT_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_OK(launch_poke(a, 3, stream));
    CUgraph last = nullptr;
    ASSERT_OK(cuStreamEndCapture(stream, &last));
    run(last);
    EXPECT_EQ(3u, word(a));
    EXPECT_OK(cuGraphDestroy(last));
}
