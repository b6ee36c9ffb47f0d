#include "driver/graphs/capture_fixture.hpp"

#include <functional>
#include <string>
#include <utility>

using namespace graph_tests;

// Every call, in each mode, while a stream is captured.
namespace {

struct Call {
    const char* name;
    std::function<CUresult(CUstream captured)> make;
    CUresult in_stream;  ///< what it returns, or
    bool unsafe;         ///< refused in the modes global and thread_local only
};

}  // namespace

class EveryCallTest : public InCapture {
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
            {"peer", [this](CUstream s) { return cuMemcpyPeerAsync(b, context, a, context, 4, s); }, refused, false},
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
            {"write a word", [this](CUstream s) { return cuStreamWriteValue32(s, a, 7, 0); }, good, false},
            {"wait for a word",
             [this](CUstream s) { return cuStreamWaitValue64(s, a + 8, 0, CU_STREAM_WAIT_VALUE_GEQ); }, good, false},
            {"write and wait",
             [this](CUstream s) {
                 CUstreamBatchMemOpParams both[2] = {};
                 both[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
                 both[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
                 both[0].writeValue.address = both[1].waitValue.address = a;
                 both[0].writeValue.value64 = both[1].waitValue.value64 = 1ull << 40;
                 return cuStreamBatchMemOp(s, 2, both, 0);
             },
             good, false},
            {"callback",
             [](CUstream s) { return cuStreamAddCallback(s, [](CUstream, CUresult, void*) {}, nullptr, 0); }, refused,
             false},
            {"query", [](CUstream s) { return cuStreamQuery(s); }, refused, false},
            {"flags",
             [](CUstream s) {
                 unsigned flags = 0;
                 return cuStreamGetFlags(s, &flags);
             },
             refused, false},
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
             good, false},
            {"synchronous copy", [this](CUstream) { return cuMemcpyDtoH(host, a, 4); }, good, false},
            {"synchronous fill", [this](CUstream) { return cuMemsetD8(a, 1, 4); }, good, false},
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
    if (!on_cpu_device()) return;  // NVIDIA's driver takes any value
    CUstreamCaptureMode bad = static_cast<CUstreamCaptureMode>(9);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(&bad));
}
