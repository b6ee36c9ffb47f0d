// The PYCUDA_CPU_ variables, each in a fresh process: their effect; invalid values are reported and ignored.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

class EnvironmentTest : public testing::Test {
protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        const char* driver = std::getenv("PYCUDA_DRIVER");
        if (driver && std::string(driver) == "cuda") GTEST_SKIP() << "the variables are the CPU device's";
    }
};

namespace {

/// Exits: with 0 if `holds` is true with the variable set.
template <class F>
[[noreturn]] void with(const char* name, const std::string& value, F holds) {
    setenv(name, value.c_str(), 1);
    std::exit(holds() ? 0 : 1);
}

#define EXPECT_WITH(name, value, told, ...) \
    EXPECT_EXIT(with(name, value, __VA_ARGS__), testing::ExitedWithCode(0), told)
int count_devices() {
    int count = -1;
    return cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : -1;
}

size_t total_memory() {
    size_t bytes = 0;
    return cuInit(0) == CUDA_SUCCESS && cuDeviceTotalMem(&bytes, 0) == CUDA_SUCCESS ? bytes : 0;
}

CUcontext make_context(CUdevice device = 0) {
    CUcontext context = nullptr;
    return cuInit(0) == CUDA_SUCCESS && cuCtxCreate(&context, nullptr, 0, device) == CUDA_SUCCESS ? context : nullptr;
}

std::ptrdiff_t threads_of_this_process() {
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return std::distance(begin(threads), end(threads));
}

/// How many threads this process starts to run a kernel of many blocks; 0 if that failed.
std::ptrdiff_t threads_of_a_launch() {
    std::thread([] {}).join();  // a sanitizer's own thread starts with the first
    const std::ptrdiff_t before = threads_of_this_process();
    CUmodule module = nullptr;
    CUfunction scale = nullptr;
    CUdeviceptr values = 0;
    unsigned factor = 1, count = 1 << 16;
    void* parameters[] = {&values, &values, &factor, &count};
    const bool ran =
        make_context() && cuModuleLoadData(&module, kernels::all) == CUDA_SUCCESS &&
        cuModuleGetFunction(&scale, module, "scale") == CUDA_SUCCESS &&
        cuMemAlloc(&values, 4 * count) == CUDA_SUCCESS &&
        cuLaunchKernel(scale, count / 64, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS &&
        cuCtxSynchronize() == CUDA_SUCCESS;
    return ran ? threads_of_this_process() - before : 0;
}

/// In how many of 100 rounds the first of two streams finished with a word before the second, which got its work later.
int rounds_of_the_first() {
    CUstream streams[2] = {};
    CUdeviceptr word = 0;
    if (!make_context() || cuMemAlloc(&word, 4)) return -1;
    for (CUstream& stream : streams)
        if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)) return -1;
    int first = 0;
    for (int round = 0; round < 100; ++round) {
        unsigned last = 0;
        for (unsigned number : {0, 1})
            if (cuMemsetD32Async(word, number, 1, streams[number])) return -1;
        if (cuCtxSynchronize() || cuMemcpyDtoH(&last, word, 4)) return -1;
        first += last == 1;
    }
    return first;
}

/// Whether work in one stream, and work ordered by an event or the default stream, runs in order 100 times.
bool order_is_kept() {
    CUstream streams[2] = {};
    CUevent event = nullptr;
    CUdeviceptr word = 0;
    if (!make_context() || cuMemAlloc(&word, 4) || cuEventCreate(&event, 0)) return false;
    if (cuStreamCreate(&streams[0], 0) || cuStreamCreate(&streams[1], 0)) return false;
    for (unsigned round = 0; round < 100; ++round) {
        unsigned seen = 0;
        if (cuMemsetD32Async(word, 1, 1, streams[0]) || cuMemsetD32Async(word, 2, 1, streams[0])) return false;
        if (cuEventRecord(event, streams[0]) || cuStreamWaitEvent(streams[1], event, 0)) return false;
        if (cuMemsetD32Async(word, 3 + round, 1, streams[1])) return false;
        if (cuMemcpyDtoH(&seen, word, 4) || seen != 3 + round) return false;  // waits for both, as blocking streams
    }
    return true;
}

/// Whether code is loaded while a slow host function of another stream is still running.
bool loads_beside_a_host_function() {
    static std::atomic<bool> returned{false};
    CUstream stream = nullptr;
    CUmodule module = nullptr;
    const auto takes_its_time = [](void*) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        returned = true;
    };
    const bool loaded = make_context() && cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                        cuLaunchHostFunc(stream, takes_its_time, nullptr) == CUDA_SUCCESS &&
                        cuModuleLoadData(&module, ".version 8.0\n.target sm_80\n.address_size 64\n") == CUDA_SUCCESS;
    return loaded && !returned;
}

}  // namespace

TEST_F(EnvironmentTest, Devices) {
    EXPECT_WITH("PYCUDA_CPU_DEVICES", "3", "^$", [] { return count_devices() == 3; });
    EXPECT_WITH("PYCUDA_CPU_DEVICES", "64", "^$", [] { return count_devices() == 64; });
    EXPECT_WITH("PYCUDA_CPU_DEVICES", "", "^$", [] { return count_devices() == 1; });
    EXPECT_WITH("PYCUDA_CPU_DEVICES", "0", "^$", [] {
        CUdevice device = 0;
        return cuInit(0) == CUDA_ERROR_NO_DEVICE && cuDeviceGet(&device, 0) == CUDA_ERROR_NOT_INITIALIZED;
    });
    for (const char* nonsense : {"many", "-1", "65", "2x", " ", "99999999999999999999", "1.5"})
        EXPECT_WITH("PYCUDA_CPU_DEVICES", nonsense, "PYCUDA_CPU_DEVICES=.* is not a number of devices.*ignored",
                    [] { return count_devices() == 1; });
}

TEST_F(EnvironmentTest, MemoryIsReported) {
    const auto gives = [](const char* text, size_t bytes) {
        EXPECT_WITH("PYCUDA_CPU_MEMORY", text, "^$", [bytes] { return total_memory() == bytes; }) << text;
    };
    gives("33554432", 32 << 20);
    gives("64M", 64 << 20);
    gives("64mb", 64 << 20);
    gives("1GiB", 1 << 30);
    gives("512k", 512 << 10);
    gives("3T", size_t{3} << 40);
    for (const char* nonsense : {"lots", "-5", "5X", "M", "1.5G", "64 M", "99999999999T", "99999999999999999999"})
        EXPECT_WITH("PYCUDA_CPU_MEMORY", nonsense, "PYCUDA_CPU_MEMORY=.* is not a byte count; ignored",
                    [] { return total_memory() > 64 << 20; });
    EXPECT_WITH("PYCUDA_CPU_DEVICES", "2", "^$", [] {
        size_t second = 0;
        const size_t first = total_memory();
        return cuDeviceTotalMem(&second, 1) == CUDA_SUCCESS && first == second && first > 0;
    });
}

TEST_F(EnvironmentTest, MemoryIsEnforced) {
    EXPECT_WITH("PYCUDA_CPU_MEMORY", "16M", "^$", [] {
        size_t free = 0, total = 0;
        CUdeviceptr most = 0, more = 0;
        CUarray array = nullptr;
        const CUDA_ARRAY_DESCRIPTOR description{1024, 1024, CU_AD_FORMAT_FLOAT, 1};
        if (!make_context() || cuMemAlloc(&most, 17 << 20) != CUDA_ERROR_OUT_OF_MEMORY) return false;
        if (cuMemAlloc(&most, 14 << 20) || cuMemGetInfo(&free, &total) || free != 2 << 20) return false;
        // Every kind of device memory comes out of the same budget, in every context.
        if (!make_context() || cuMemAlloc(&more, 3 << 20) != CUDA_ERROR_OUT_OF_MEMORY) return false;
        if (cuMemAllocManaged(&more, 3 << 20, CU_MEM_ATTACH_GLOBAL) != CUDA_ERROR_OUT_OF_MEMORY) return false;
        if (cuMemAllocAsync(&more, 3 << 20, nullptr) != CUDA_ERROR_OUT_OF_MEMORY) return false;
        if (cuArrayCreate(&array, &description) != CUDA_ERROR_OUT_OF_MEMORY) return false;
        if (cuMemFree(most) || cuArrayCreate(&array, &description)) return false;
        return cuMemGetInfo(&free, &total) == CUDA_SUCCESS && free == 12 << 20 && total == 16 << 20;
    });
}

TEST_F(EnvironmentTest, Threads) {
    // The stream's worker, and the threads that help it.
    EXPECT_WITH("PYCUDA_CPU_THREADS", "1", "^$", [] { return threads_of_a_launch() == 1; });
    EXPECT_WITH("PYCUDA_CPU_THREADS", "7", "^$", [] {
        const auto threads = threads_of_a_launch();
        return threads >= 6 && threads <= 7;
    });
    for (const char* nonsense : {"all", "0", "-2", "4096", "2.5"})
        EXPECT_WITH("PYCUDA_CPU_THREADS", nonsense, "PYCUDA_CPU_THREADS=.* is not a number of threads.*ignored",
                    [] { return threads_of_a_launch() > 0; });
}

TEST_F(EnvironmentTest, Faults) {
    EXPECT_WITH("PYCUDA_CPU_FAULTS", "cuMemAlloc:2:2,cuMemAlloc:4:999,cuStreamSynchronize:1:719", "^$", [] {
        CUdeviceptr pointer = 7;
        size_t free = 0, after = 0, total = 0;
        if (!make_context() || cuMemAlloc(&pointer, 64) || cuMemGetInfo(&free, &total)) return false;
        const CUdeviceptr first = pointer;
        if (cuMemAlloc(&pointer, 64) != CUDA_ERROR_OUT_OF_MEMORY || pointer != first) return false;
        if (cuMemGetInfo(&after, &total) || after != free) return false;  // nothing was done
        CUresult elsewhere = CUDA_ERROR_UNKNOWN;
        std::thread([&] {  // calls are counted over all threads; here nothing is current
            CUdeviceptr other = 0;
            elsewhere = cuMemAlloc(&other, 64);
        })
            .join();
        if (elsewhere != CUDA_ERROR_INVALID_CONTEXT || cuMemAlloc(&pointer, 64) != CUDA_ERROR_UNKNOWN) return false;
        return cuStreamSynchronize(nullptr) == CUDA_ERROR_LAUNCH_FAILED && cuStreamSynchronize(nullptr) == CUDA_SUCCESS;
    });
    EXPECT_WITH("PYCUDA_CPU_FAULTS", "cuInit:1:3", "^$",
                [] { return cuInit(0) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_SUCCESS; });
    for (const char* nonsense :
         {"cuMemAlloc", "cuMemAlloc:1", "cuMemAlloc:1:", "cuMemAlloc:0:2", "cuMemAlloc:1:0", "cuMemAlloc:1:2x",
          "cuMemAlloc:x:2", "cuNoSuchThing:1:2", "cuMemMapArrayAsync:1:2", ":1:2"})
        EXPECT_WITH("PYCUDA_CPU_FAULTS", std::string(nonsense) + ",cuMemFree:1:2",
                    "PYCUDA_CPU_FAULTS=" + std::string(nonsense) + " is not function:count:code; ignored", [] {
                        CUdeviceptr pointer = 0;
                        return make_context() && cuMemAlloc(&pointer, 64) == CUDA_SUCCESS &&
                               cuMemFree(pointer) == CUDA_ERROR_OUT_OF_MEMORY;
                    });
}

TEST_F(EnvironmentTest, Multiprocessors) {
    const auto count = [] {
        int multiprocessors = 0;
        const bool asked = cuInit(0) == CUDA_SUCCESS &&
                           cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) == 0;
        return asked ? multiprocessors : -1;
    };
    EXPECT_WITH("PYCUDA_CPU_MULTIPROCESSORS", "132", "^$", [&] { return count() == 132; });
    EXPECT_WITH("PYCUDA_CPU_MULTIPROCESSORS", "", "^$", [&] { return count() >= 1; });
    for (const char* nonsense : {"0", "1025", "many", "-1"})
        EXPECT_WITH("PYCUDA_CPU_MULTIPROCESSORS", nonsense,
                    "PYCUDA_CPU_MULTIPROCESSORS=.* is not a number of multiprocessors from 1 to 1024; ignored",
                    [&] { return count() >= 1; });
}

TEST_F(EnvironmentTest, Delay) {
    const auto in_both_orders = [] {
        const int first = rounds_of_the_first();
        return first >= 2 && first <= 98;
    };
    // Much longer than a thread waits for a busy core; otherwise the stream that got its work first would always win.
    for (const char* delay : {"3000", "3000:7", "2000:18446744073709551615"}) {
        EXPECT_WITH("PYCUDA_CPU_DELAY", delay, "^$", in_both_orders);
        EXPECT_WITH("PYCUDA_CPU_DELAY", delay, "^$", order_is_kept);
    }
    for (const char* none : {"", "0", "0:3"})
        EXPECT_WITH("PYCUDA_CPU_DELAY", none, "^$", [] { return rounds_of_the_first() == 100; });
    for (const char* nonsense : {"soon", "-1", "5us", "5:", ":5", "5:x", "5:6:7", "1000001", "1.5"})
        EXPECT_WITH("PYCUDA_CPU_DELAY", nonsense,
                    "PYCUDA_CPU_DELAY=.* is not microseconds or microseconds:seed; ignored",
                    [] { return rounds_of_the_first() == 100; });
}

TEST_F(EnvironmentTest, Watchdog) {
    EXPECT_WITH("PYCUDA_CPU_WATCHDOG", "0", "^$", [] { return threads_of_a_launch() > 0; });
    EXPECT_WITH("PYCUDA_CPU_WATCHDOG", "0.1", "longer than PYCUDA_CPU_WATCHDOG allows", [] {
        CUmodule module = nullptr;
        CUfunction endless = nullptr;
        const char* ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry endless() { L: bra L; }";
        return make_context() && cuModuleLoadData(&module, ptx) == CUDA_SUCCESS &&
               cuModuleGetFunction(&endless, module, "endless") == CUDA_SUCCESS &&
               cuLaunchKernel(endless, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS &&
               cuCtxSynchronize() == CUDA_ERROR_LAUNCH_TIMEOUT;
    });
    for (const char* nonsense : {"soon", "-1", "5s"})
        EXPECT_WITH("PYCUDA_CPU_WATCHDOG", nonsense, "PYCUDA_CPU_WATCHDOG=.* is not a number of seconds; ignored",
                    [] { return threads_of_a_launch() > 0; });
}

TEST_F(EnvironmentTest, InstructionSet) {
    EXPECT_WITH("PYCUDA_CPU_ISA", "baseline", "^$", [] { return threads_of_a_launch() > 0; });
    EXPECT_WITH("PYCUDA_CPU_ISA", "sse9", "PYCUDA_CPU_ISA=sse9 is not baseline, v3 or v4; ignored",
                [] { return threads_of_a_launch() > 0; });
}

TEST_F(EnvironmentTest, Loads) {
    EXPECT_WITH("PYCUDA_CPU_LOADS", "wait", "^$", [] { return !loads_beside_a_host_function(); });
    EXPECT_WITH("PYCUDA_CPU_LOADS", "", "^$", [] { return loads_beside_a_host_function(); });
    EXPECT_WITH("PYCUDA_CPU_LOADS", "late", "PYCUDA_CPU_LOADS=late is not wait; ignored",
                [] { return loads_beside_a_host_function(); });
}
