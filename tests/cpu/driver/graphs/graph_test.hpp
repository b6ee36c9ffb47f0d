#pragma once

#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace graph_tests {

/// A host function that blocks its stream until it is opened.
struct Gate {
    std::atomic<bool> open{false};
    static void CUDA_CB wait(void* gate) {
        while (!static_cast<Gate*>(gate)->open) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
};

inline void CUDA_CB count_up(void* counter) {
    ++*static_cast<std::atomic<int>*>(counter);
}

/// A module of the kernels of the launch tests, a non-blocking stream, and words of device memory.
class GraphTest : public InContext {
protected:
    static constexpr unsigned n = 64;

    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuModuleLoadData(&module, kernels::all));
        ASSERT_OK(cuModuleGetFunction(&scale, module, "scale"));
        ASSERT_OK(cuModuleGetFunction(&poke, module, "poke"));
        ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        ASSERT_OK(cuMemAlloc(&a, n * 4));
        ASSERT_OK(cuMemAlloc(&b, n * 4));
        ASSERT_OK(cuMemsetD32(a, 1, n));
        ASSERT_OK(cuMemsetD32(b, 0, n));
        ASSERT_OK(cuCtxSynchronize());
    }

    std::vector<unsigned> words(CUdeviceptr from, unsigned count = n) {
        std::vector<unsigned> out(count);
        EXPECT_OK(cuMemcpyDtoH(out.data(), from, count * 4));
        return out;
    }
    unsigned word(CUdeviceptr from) { return words(from, 1)[0]; }

    /// Parameters of poke(where, value); their values live here until the next call.
    CUDA_KERNEL_NODE_PARAMS poking(CUdeviceptr where, unsigned value) {
        where_ = where;
        value_ = value;
        CUDA_KERNEL_NODE_PARAMS made{};
        made.func = poke;
        made.gridDimX = made.gridDimY = made.gridDimZ = made.blockDimX = made.blockDimY = made.blockDimZ = 1;
        made.kernelParams = poke_values_;
        return made;
    }
    /// to[i] = factor * from[i] + i
    CUDA_KERNEL_NODE_PARAMS scaling(CUdeviceptr to, CUdeviceptr from, unsigned factor) {
        to_ = to;
        from_ = from;
        value_ = factor;
        CUDA_KERNEL_NODE_PARAMS made{};
        made.func = scale;
        made.gridDimX = 2;
        made.blockDimX = 32;
        made.gridDimY = made.gridDimZ = made.blockDimY = made.blockDimZ = 1;
        made.kernelParams = scale_values_;
        return made;
    }
    CUDA_MEMSET_NODE_PARAMS filling(CUdeviceptr where, unsigned value, std::size_t count) {
        return {where, 0, value, 4, count, 1};
    }
    CUDA_MEMCPY3D copying(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
        CUDA_MEMCPY3D made{};
        made.srcMemoryType = made.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        made.srcDevice = from;
        made.dstDevice = to;
        made.WidthInBytes = bytes;
        made.Height = made.Depth = 1;
        return made;
    }
    CUresult launch_poke(CUdeviceptr where, unsigned value, CUstream on) {
        const CUDA_KERNEL_NODE_PARAMS p = poking(where, value);
        return cuLaunchKernel(p.func, 1, 1, 1, 1, 1, 1, 0, on, p.kernelParams, nullptr);
    }

    CUgraphExec instantiate(CUgraph graph) {
        CUgraphExec made = nullptr;
        EXPECT_OK(cuGraphInstantiate(&made, graph, 0));
        return made;
    }
    void launch(CUgraphExec executable) {
        EXPECT_OK(cuGraphLaunch(executable, stream));
        EXPECT_OK(cuStreamSynchronize(stream));
    }
    void run(CUgraph graph) {
        const CUgraphExec made = instantiate(graph);
        launch(made);
        EXPECT_OK(cuGraphExecDestroy(made));
    }
    std::size_t node_count(CUgraph graph) {
        std::size_t count = 0;
        EXPECT_OK(cuGraphGetNodes(graph, nullptr, &count));
        return count;
    }
    std::vector<CUgraphNode> nodes(CUgraph graph) {
        std::size_t count = node_count(graph);
        std::vector<CUgraphNode> all(count);
        EXPECT_OK(cuGraphGetNodes(graph, all.data(), &count));
        return all;
    }

    CUmodule module = nullptr;
    CUfunction scale = nullptr, poke = nullptr;
    CUstream stream = nullptr;
    CUdeviceptr a = 0, b = 0;

private:
    CUdeviceptr where_ = 0, to_ = 0, from_ = 0;
    unsigned value_ = 0, count_ = n;
    void* poke_values_[2] = {&where_, &value_};
    void* scale_values_[4] = {&to_, &from_, &value_, &count_};
};

}  // namespace graph_tests
