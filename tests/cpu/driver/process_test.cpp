#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

/// The start and end of a process, forks included. Every test runs in its own process.
class ProcessTest : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

namespace {

void CUDA_CB sleep_long(void*) {
    std::this_thread::sleep_for(std::chrono::seconds(30));
}

[[noreturn]] void leave_while_busy() {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUmodule module = nullptr;
    if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0) || cuStreamCreate(&stream, 0)) std::exit(10);
    if (cuModuleLoadData(&module, kernels::all)) std::exit(11);
    if (cuLaunchHostFunc(stream, sleep_long, nullptr) || cuLaunchHostFunc(nullptr, sleep_long, nullptr)) std::exit(12);
    std::exit(0);
}

[[noreturn]] void fork_after_init() {
    CUcontext context = nullptr;
    if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0)) std::exit(10);
    const pid_t child = fork();
    if (child == 0) {
        CUdeviceptr pointer = 0;
        const bool refused =
            cuMemAlloc(&pointer, 4) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
        std::exit(refused ? 0 : 20);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 21);
}

[[noreturn]] void calls_fail_as_planned() {
    setenv("PYCUDA_CPU_FAULTS", "cuMemAlloc:2:2,cuStreamCreate:1:999", 1);
    CUcontext context = nullptr;
    if (cuInit(0)) std::exit(10);
    if (!on_cpu_device()) std::exit(0);  // the variable is the CPU device's
    if (cuCtxCreate(&context, nullptr, 0, 0)) std::exit(11);
    CUdeviceptr pointer = 0;
    CUstream stream = nullptr;
    const bool as_planned =
        cuMemAlloc(&pointer, 4) == CUDA_SUCCESS && cuMemAlloc(&pointer, 4) == CUDA_ERROR_OUT_OF_MEMORY &&
        cuMemAlloc(&pointer, 4) == CUDA_SUCCESS && cuStreamCreate(&stream, 0) == CUDA_ERROR_UNKNOWN &&
        cuStreamCreate(&stream, 0) == CUDA_SUCCESS;
    std::exit(as_planned ? 0 : 20);
}

[[noreturn]] void several_devices() {
    setenv("PYCUDA_CPU_DEVICES", "3", 1);
    setenv("PYCUDA_CPU_MEMORY", "64M", 1);
    int count = 0;
    size_t bytes = 0;
    if (cuInit(0)) std::exit(10);
    if (!on_cpu_device()) std::exit(0);  // the variables are the CPU device's
    if (cuDeviceGetCount(&count) || count != 3) std::exit(10);
    if (cuDeviceTotalMem(&bytes, 2) || bytes != 64u << 20) std::exit(11);
    CUcontext first = nullptr, second = nullptr;
    CUdeviceptr there = 0, here = 0;
    CUmodule module = nullptr;
    CUfunction poke = nullptr;
    int can = 0;
    if (cuDeviceCanAccessPeer(&can, 0, 1) || can != 1) std::exit(12);
    if (cuCtxCreate(&first, nullptr, 0, 0) || cuMemAlloc(&there, 4)) std::exit(13);
    if (cuCtxCreate(&second, nullptr, 0, 1) || cuMemAlloc(&here, 4)) std::exit(14);
    if (cuMemAlloc(&here, 65u << 20) != CUDA_ERROR_OUT_OF_MEMORY) std::exit(15);
    if (cuModuleLoadData(&module, kernels::all) || cuModuleGetFunction(&poke, module, "poke")) std::exit(16);
    if (cuCtxEnablePeerAccess(first, 0)) std::exit(17);
    if (cuCtxEnablePeerAccess(first, 0) != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) std::exit(18);
    unsigned value = 6, seen = 0;
    void* parameters[] = {&there, &value};
    if (cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) || cuCtxSynchronize()) std::exit(19);
    if (cuMemcpyDtoH(&seen, there, 4) || seen != 6) std::exit(20);
    if (cuCtxDisablePeerAccess(first)) std::exit(21);
    if (cuCtxDisablePeerAccess(first) != CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) std::exit(22);
    if (cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr)) std::exit(23);
    if (cuCtxSynchronize() != CUDA_ERROR_ILLEGAL_ADDRESS) std::exit(24);
    const char* text = "";
    cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text);
    const bool explained =
        std::strstr(text, "an allocation of another context, on device 0") && !std::strstr(text, "freed");
    std::exit(explained ? 0 : 25);
}

/// From one device to the other: linear, in a stream, and as a box.
[[noreturn]] void copies_between_devices() {
    setenv("PYCUDA_CPU_DEVICES", "2", 1);
    int count = 0;
    if (cuInit(0) || cuDeviceGetCount(&count)) std::exit(10);
    if (count < 2) std::exit(0);
    CUcontext here = nullptr, there = nullptr;
    CUdeviceptr source = 0, target = 0;
    CUstream stream = nullptr;
    unsigned values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, seen[8] = {};
    if (cuCtxCreate(&here, nullptr, 0, 0) || cuMemAlloc(&source, sizeof values)) std::exit(11);
    if (cuMemcpyHtoD(source, values, sizeof values)) std::exit(12);
    if (cuCtxCreate(&there, nullptr, 0, 1) || cuMemAlloc(&target, sizeof values)) std::exit(13);
    if (cuMemcpyPeer(target, there, source, here, 16)) std::exit(14);
    if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)) std::exit(15);
    if (cuMemcpyPeerAsync(target + 16, there, source + 16, here, 8, stream) || cuStreamSynchronize(stream))
        std::exit(16);
    CUDA_MEMCPY3D_PEER box{};
    box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = source;
    box.srcContext = here;
    box.dstDevice = target;
    box.dstContext = there;
    box.srcPitch = box.dstPitch = 4;
    box.srcY = box.dstY = 6;
    box.WidthInBytes = 4;
    box.Height = 2;
    box.Depth = 1;
    if (cuMemcpy3DPeer(&box)) std::exit(17);
    if (cuMemcpyDtoH(seen, target, sizeof seen) || std::memcmp(seen, values, sizeof seen)) std::exit(18);
    if (cuMemsetD32(target, 0, 8) || cuMemcpy3DPeerAsync(&box, stream) || cuStreamSynchronize(stream)) std::exit(19);
    if (cuMemcpyDtoH(seen, target, sizeof seen)) std::exit(20);
    std::exit(seen[5] == 0 && seen[6] == 7 && seen[7] == 8 ? 0 : 21);
}

/// A machine that allows no more threads: calls that need one fail and leave nothing behind.
[[noreturn]] void no_thread_to_be_had() {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CUdeviceptr pointer = 0;
    if (cuInit(0)) std::exit(10);
    if (!on_cpu_device()) std::exit(0);  // a real driver needs none
    if (cuCtxCreate(&context, nullptr, 0, 0) || cuStreamCreate(&stream, 0) || cuMemAlloc(&pointer, 4)) std::exit(11);
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    rlimit nothing = before;
    nothing.rlim_cur = 1 << 20;
    if (setrlimit(RLIMIT_AS, &nothing)) std::exit(12);
    const CUresult refused = cuLaunchHostFunc(stream, [](void*) {}, nullptr);
    if (setrlimit(RLIMIT_AS, &before)) std::exit(13);
    if (refused != CUDA_ERROR_OPERATING_SYSTEM) std::exit(14);
    static std::atomic<bool> ran{false};
    if (cuStreamSynchronize(stream) || cuLaunchHostFunc(stream, [](void*) { ran = true; }, nullptr)) std::exit(15);
    std::exit(cuCtxSynchronize() == CUDA_SUCCESS && ran ? 0 : 16);
}

struct Handles {
    CUipcMemHandle memory;
    CUipcEventHandle event;
};

int read_other_process(int from, int to) {
    Handles handles;
    if (read(from, &handles, sizeof handles) != sizeof handles) return 30;
    CUcontext context = nullptr;
    CUdeviceptr pointer = 0;
    CUevent event = nullptr;
    if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0)) return 31;
    if (cuIpcOpenMemHandle(&pointer, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)) return 32;
    if (cuIpcOpenEventHandle(&event, handles.event)) return 34;
    if (cuEventQuery(event) != CUDA_ERROR_NOT_READY) return 35;
    if (write(to, "x", 1) != 1) return 36;
    if (cuStreamWaitEvent(nullptr, event, 0)) return 37;
    unsigned seen = 0;
    if (cuMemcpyDtoH(&seen, pointer, 4) || seen != 1234) return 38;
    if (cuMemsetD32(pointer, 4321, 1) || cuCtxSynchronize()) return 39;
    if (cuMemFree(pointer) != CUDA_ERROR_INVALID_VALUE) return 40;
    return cuIpcCloseMemHandle(pointer) ? 41 : 0;
}

[[noreturn]] void share_with_another_process() {
    int to_child[2], to_parent[2];
    if (pipe(to_child) || pipe(to_parent)) std::exit(10);
    const pid_t child = fork();  // before the driver starts, which no child survives
    if (child == 0) std::exit(read_other_process(to_child[0], to_parent[1]));
    CUcontext context = nullptr;
    CUdeviceptr pointer = 0, unused = 0;
    CUevent event = nullptr;
    if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0) || cuMemAlloc(&pointer, 4000)) std::exit(11);
    if (cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING)) std::exit(12);
    if (cuMemsetD32(pointer, 1, 1000)) std::exit(13);
    Handles handles;
    if (cuIpcGetMemHandle(&handles.memory, pointer + 8) || cuIpcGetEventHandle(&handles.event, event)) std::exit(14);
    if (cuIpcOpenMemHandle(&unused, handles.memory, 1) != CUDA_ERROR_INVALID_CONTEXT) std::exit(15);
    static std::atomic<bool> open{false};
    const auto gate = [](void*) {
        while (!open) std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
    CUstream stream = nullptr;
    if (cuStreamCreate(&stream, 0) || cuLaunchHostFunc(stream, gate, nullptr)) std::exit(16);
    if (cuMemsetD32Async(pointer, 1234, 1, stream) || cuEventRecord(event, stream)) std::exit(17);
    if (write(to_child[1], &handles, sizeof handles) != sizeof handles) std::exit(18);
    char ready = 0;
    if (read(to_parent[0], &ready, 1) != 1) std::exit(19);
    open = true;
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 20);
    unsigned seen = 0;
    std::exit(cuMemcpyDtoH(&seen, pointer, 4) == CUDA_SUCCESS && seen == 4321 ? 0 : 21);
}

/// A file descriptor goes to another process in a separate message beside the data.
struct DescriptorMessage {
    explicit DescriptorMessage(CUmemPoolPtrExportData& data) : bytes{&data, sizeof data} {
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
    }
    iovec bytes;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
};

bool send_descriptor(int socket, int descriptor, CUmemPoolPtrExportData data) {
    DescriptorMessage sent(data);
    cmsghdr* const header = CMSG_FIRSTHDR(&sent.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &sent.message, 0) == sizeof data;
}

bool receive_descriptor(int socket, int& descriptor, CUmemPoolPtrExportData& data) {
    DescriptorMessage received(data);
    if (recvmsg(socket, &received.message, 0) != sizeof data) return false;
    const cmsghdr* const header = CMSG_FIRSTHDR(&received.message);
    if (!header) return false;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return true;
}

constexpr auto by_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

int use_pool_of_parent(int socket) {
    int descriptor = -1;
    CUmemPoolPtrExportData data;
    if (!receive_descriptor(socket, descriptor, data)) return 30;
    CUcontext context = nullptr;
    CUmemoryPool pool = nullptr;
    CUdeviceptr pointer = 0;
    if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0)) return 31;
    void* const handle = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
    if (cuMemPoolImportFromShareableHandle(&pool, handle, by_descriptor, 0)) return 32;
    if (cuMemPoolImportPointer(&pointer, pool, &data)) return 33;
    unsigned seen = 0;
    if (cuMemcpyDtoH(&seen, pointer, 4) || seen != 1234) return 34;
    if (cuMemsetD32(pointer, 4321, 1) || cuCtxSynchronize()) return 35;
    if (cuMemFree(pointer)) return 36;
    return cuMemPoolDestroy(pool) ? 37 : 0;
}

[[noreturn]] void share_a_pool_with_another_process() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) std::exit(10);
    const pid_t child = fork();  // before the driver starts, which no child survives
    if (child == 0) std::exit(use_pool_of_parent(ends[1]));
    CUcontext context = nullptr;
    CUmemoryPool pool = nullptr;
    CUdeviceptr pointer = 0;
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    props.handleTypes = by_descriptor;
    int descriptor = -1;
    CUmemPoolPtrExportData data{};
    if (cuInit(0) || cuCtxCreate(&context, nullptr, 0, 0) || cuMemPoolCreate(&pool, &props)) std::exit(11);
    if (cuMemAllocFromPoolAsync(&pointer, 4000, pool, nullptr) || cuMemsetD32(pointer, 1234, 1)) std::exit(12);
    if (cuCtxSynchronize()) std::exit(13);
    if (cuMemPoolExportToShareableHandle(&descriptor, pool, by_descriptor, 0)) std::exit(14);
    if (cuMemPoolExportPointer(&data, pointer) || !send_descriptor(ends[0], descriptor, data)) std::exit(15);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 20);
    unsigned seen = 0;
    std::exit(cuMemcpyDtoH(&seen, pointer, 4) == CUDA_SUCCESS && seen == 4321 ? 0 : 21);
}

}  // namespace

TEST_F(ProcessTest, EndsAtOnceWhileQueuesAreBusy) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EXIT(leave_while_busy(), testing::ExitedWithCode(0), "^$");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(ProcessTest, AForkedChildHasNoDriver) {
    EXPECT_EXIT(fork_after_init(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, CallsFailAsPlanned) {
    EXPECT_EXIT(calls_fail_as_planned(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, SeveralDevices) {
    EXPECT_EXIT(several_devices(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, CopiesBetweenDevices) {
    EXPECT_EXIT(copies_between_devices(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, NoThreadToBeHad) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs address space";
#endif
    EXPECT_EXIT(no_thread_to_be_had(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, MemoryAndEventsOfAnotherProcess) {
    EXPECT_EXIT(share_with_another_process(), testing::ExitedWithCode(0), "");
}

TEST_F(ProcessTest, PoolOfAnotherProcess) {
    EXPECT_EXIT(share_a_pool_with_another_process(), testing::ExitedWithCode(0), "");
}
