// Many threads at the same time: each with its own objects, all sharing one context, or each destroying what others
// use.
#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace {

constexpr unsigned elements = 1000;
const std::set<CUresult> succeeded = {CUDA_SUCCESS};
const std::set<CUresult> asked = {CUDA_SUCCESS, CUDA_ERROR_NOT_READY};

/// Threads that repeat a round until the time is up. The first unexpected result stops them all.
class Crowd {
public:
    template <class Round>
    void run(unsigned threads, Round round) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
        std::vector<std::thread> running;
        for (unsigned n = 0; n < threads; ++n)
            running.emplace_back([&, n] {
                std::mt19937 random(n);
                do round(n, random);
                while (!failed_ && std::chrono::steady_clock::now() < end);
            });
        for (std::thread& thread : running) thread.join();
    }
    void expect(CUresult result, const char* call, const std::set<CUresult>& expected) {
        if (expected.contains(result) || failed_.exchange(true)) return;
        ADD_FAILURE() << call << ": " << result_name(result);
    }
    void expect(bool holds, const char* what) {
        if (!holds && !failed_.exchange(true)) ADD_FAILURE() << what;
    }

private:
    std::atomic<bool> failed_{false};
};

#define ONE_OF(results, ...) crowd.expect(__VA_ARGS__, #__VA_ARGS__, results)
#define OK(...) ONE_OF(succeeded, __VA_ARGS__)

class StressTest : public DriverTest {
protected:
    /// In a stream: allocates, fills, launches, counts in a host function, copies back, frees.
    void compute(CUstream stream, CUfunction scale, unsigned factor) {
        CUdeviceptr in = 0, out = 0;
        unsigned n = elements;
        OK(cuMemAllocAsync(&in, elements * 4, stream));
        OK(cuMemAllocAsync(&out, elements * 4, stream));
        OK(cuMemsetD32Async(in, 3, elements, stream));
        void* parameters[] = {&out, &in, &factor, &n};
        OK(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, parameters, nullptr));
        std::atomic<int> called{0};
        OK(cuLaunchHostFunc(stream, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &called));
        std::vector<unsigned> result(elements);
        OK(cuMemcpyDtoHAsync(result.data(), out, elements * 4, stream));
        OK(cuMemFreeAsync(in, stream));
        OK(cuMemFreeAsync(out, stream));
        OK(cuStreamSynchronize(stream));
        crowd.expect(called == 1, "the host function ran once");
        for (unsigned i = 0; i < elements; ++i) crowd.expect(result[i] == 3 * factor + i, "the kernel's result");
    }
    /// Queries only, which may meet anything that the others are doing.
    void ask(CUdeviceptr known, CUstream stream) {
        size_t free = 0, total = 0, limit = 0;
        unsigned type = 0;
        CUcontext current = nullptr;
        int number = 0;
        OK(cuMemGetInfo(&free, &total));
        OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
        OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, known));
        OK(cuStreamGetCtx(stream, &current));
        ONE_OF(asked, cuStreamQuery(stream));
        OK(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    }
    Crowd crowd;
};

TEST_F(StressTest, ContextsOfTheirOwn) {
    crowd.run(4, [&](unsigned n, std::mt19937& random) {
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        CUfunction scale = nullptr;
        CUstream stream = nullptr;
        CUevent event = nullptr;
        CUdeviceptr left = 0;
        OK(cuCtxCreate(&context, nullptr, 0, 0));
        OK(cuModuleLoadData(&module, kernels::all));
        OK(cuModuleGetFunction(&scale, module, "scale"));
        OK(cuStreamCreate(&stream, random() % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
        OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
        OK(cuMemAlloc(&left, 4096));
        for (unsigned times = random() % 4; times > 0; --times) compute(stream, scale, n);
        ask(left, stream);
        OK(cuMemsetD8Async(left, 1, 4096, stream));
        OK(cuEventRecord(event, stream));
        if (random() % 2) OK(cuEventSynchronize(event));
        if (random() % 2) OK(cuStreamDestroy(stream));
        if (random() % 2) OK(cuModuleUnload(module));
        OK(cuCtxDestroy(context));  // with all that is left
    });
}

TEST_F(StressTest, OneContextForAll) {
    CUcontext context = nullptr;
    ASSERT_OK(cuDevicePrimaryCtxRetain(&context, 0));
    ASSERT_OK(cuCtxSetCurrent(context));
    CUdeviceptr known = 0;
    ASSERT_OK(cuMemAlloc(&known, 64));
    CUevent shared = nullptr;
    ASSERT_OK(cuEventCreate(&shared, CU_EVENT_DISABLE_TIMING));
    crowd.run(6, [&](unsigned n, std::mt19937& random) {
        CUmodule module = nullptr;
        CUfunction scale = nullptr;
        CUstream stream = nullptr;
        CUmemoryPool pool = nullptr;
        CUdeviceptr own = 0;
        CUcontext again = nullptr;
        OK(cuDevicePrimaryCtxRetain(&again, 0));
        OK(cuCtxSetCurrent(context));
        OK(cuModuleLoadData(&module, kernels::all));
        OK(cuModuleGetFunction(&scale, module, "scale"));
        OK(cuStreamCreateWithPriority(&stream, CU_STREAM_DEFAULT, -static_cast<int>(n)));
        OK(cuStreamWaitEvent(stream, shared, 0));
        compute(random() % 4 ? stream : random() % 2 ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD, scale, n);
        OK(cuEventRecord(shared, stream));
        ONE_OF(asked, cuEventQuery(shared));
        ask(known, stream);
        OK(cuDeviceGetDefaultMemPool(&pool, 0));
        if (random() % 4 == 0) OK(cuMemPoolTrimTo(pool, 0));
        if (random() % 4 == 0) OK(cuCtxSynchronize());
        OK(cuMemAlloc(&own, 64));
        OK(cuMemsetD8Async(own, 1, 64, stream));
        OK(cuStreamDestroy(stream));
        OK(cuMemFree(own));
        OK(cuModuleUnload(module));
        OK(cuDevicePrimaryCtxRelease(0));
    });
    EXPECT_OK(cuEventDestroy(shared));
    EXPECT_OK(cuMemFree(known));
    EXPECT_OK(cuDevicePrimaryCtxRelease(0));
}

// The programs below are wrong. Real drivers do not survive all of them.
class MisuseTest : public StressTest {
protected:
    void SetUp() override {
        StressTest::SetUp();
        if (!on_cpu_device()) GTEST_SKIP() << "a driver need not survive this";
    }
    const std::set<CUresult> gone = {CUDA_SUCCESS,
                                     CUDA_ERROR_NOT_READY,
                                     CUDA_ERROR_INVALID_VALUE,
                                     CUDA_ERROR_INVALID_HANDLE,
                                     CUDA_ERROR_INVALID_CONTEXT,
                                     CUDA_ERROR_CONTEXT_IS_DESTROYED};
};

TEST_F(MisuseTest, HandlesThatOthersDestroy) {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    std::atomic<CUstream> stream{nullptr};
    std::atomic<CUevent> event{nullptr};
    std::atomic<CUmodule> module{nullptr};
    std::atomic<CUfunction> function{nullptr};
    crowd.run(5, [&](unsigned n, std::mt19937& random) {
        OK(cuCtxSetCurrent(context));
        if (n == 0) {
            CUstream new_stream = nullptr;
            CUevent new_event = nullptr;
            CUmodule new_module = nullptr;
            CUfunction new_function = nullptr;
            OK(cuStreamCreate(&new_stream, CU_STREAM_DEFAULT));
            OK(cuEventCreate(&new_event, CU_EVENT_DEFAULT));
            OK(cuModuleLoadData(&new_module, kernels::all));
            OK(cuModuleGetFunction(&new_function, new_module, "nothing"));
            function = new_function;
            if (CUstream old = stream.exchange(new_stream)) OK(cuStreamDestroy(old));
            if (CUevent old = event.exchange(new_event)) OK(cuEventDestroy(old));
            if (CUmodule old = module.exchange(new_module)) OK(cuModuleUnload(old));
            return;
        }
        CUfunction found = nullptr;
        if (!function) return;
        int value = 0;
        ONE_OF(gone, cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr));
        ONE_OF(gone, cuEventRecord(event, stream));
        ONE_OF(gone, cuStreamWaitEvent(stream, event, 0));
        ONE_OF(gone, cuLaunchHostFunc(stream, [](void*) {}, nullptr));
        ONE_OF(gone, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
        ONE_OF(gone, cuModuleGetFunction(&found, module, "scale"));
        ONE_OF(gone, cuEventQuery(event));
        ONE_OF(gone, random() % 2 ? cuStreamSynchronize(stream) : cuEventSynchronize(event));
    });
    EXPECT_OK(cuCtxDestroy(context));
}

TEST_F(MisuseTest, ContextsThatOthersDestroy) {
    std::atomic<CUcontext> context{nullptr};
    crowd.run(5, [&](unsigned n, std::mt19937& random) {
        if (n == 0) {
            CUcontext made = nullptr;
            OK(cuCtxCreate(&made, nullptr, 0, 0));
            if (CUcontext old = context.exchange(made)) OK(cuCtxDestroy(old));
            return;
        }
        if (!context || cuCtxSetCurrent(context) != CUDA_SUCCESS) return;
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        CUstream stream = nullptr;
        CUdeviceptr memory = 0;
        ONE_OF(gone, cuModuleLoadData(&module, kernels::all));
        ONE_OF(gone, cuModuleGetFunction(&function, module, "nothing"));
        ONE_OF(gone, cuStreamCreate(&stream, CU_STREAM_DEFAULT));
        ONE_OF(gone, cuMemAllocAsync(&memory, 100, stream));
        if (memory) ONE_OF(gone, cuMemsetD8Async(memory, 1, 100, stream));
        ONE_OF(gone, cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr));
        if (random() % 2) ONE_OF(gone, cuCtxSynchronize());
        ONE_OF(gone, cuStreamSynchronize(stream));
    });
    if (context) {
        EXPECT_OK(cuCtxDestroy(context));
    }
}

TEST_F(MisuseTest, MemoryThatOthersFree) {
    CUcontext context = nullptr;
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    std::atomic<CUdeviceptr> memory{0};
    std::set<CUresult> freed = gone;
    freed.insert(CUDA_ERROR_ILLEGAL_ADDRESS);
    crowd.run(5, [&](unsigned n, std::mt19937& random) {
        // Host memory is in every context. A kernel that comes too late breaks its own context.
        CUmodule module = nullptr;
        CUfunction poke = nullptr;
        CUcontext own = nullptr;
        if (n == 0) {
            CUdeviceptr made = 0;
            OK(cuCtxSetCurrent(context));
            OK(cuMemAllocHost(reinterpret_cast<void**>(&made), 100000));
            if (CUdeviceptr old = memory.exchange(made)) OK(cuMemFreeHost(reinterpret_cast<void*>(old)));
            return;
        }
        OK(cuCtxCreate(&own, nullptr, 0, 0));
        OK(cuModuleLoadData(&module, kernels::all));
        OK(cuModuleGetFunction(&poke, module, "poke"));
        std::vector<char> here(100000);
        for (int times = 0; times < 50; ++times) {
            CUdeviceptr where = memory;
            unsigned value = random();
            void* parameters[] = {&where, &value};
            if (where) ONE_OF(freed, cuLaunchKernel(poke, 200, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
            if (where) ONE_OF(freed, cuMemcpyDtoHAsync(here.data(), where, here.size(), nullptr));
        }
        ONE_OF(freed, cuCtxSynchronize());
        OK(cuCtxDestroy(own));
    });
    EXPECT_OK(cuCtxDestroy(context));
}

}  // namespace
