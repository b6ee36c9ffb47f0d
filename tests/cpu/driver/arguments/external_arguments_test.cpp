// Memory and semaphores of other interfaces, which are memfds: one bad argument per call.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/arguments/arguments.hpp"

class ExternalArgumentsTest : public ArgumentsTest {
protected:
    void SetUp() override {
        ArgumentsTest::SetUp();
        if (!on_cpu_device()) GTEST_SKIP() << "a memfd is external memory of the CPU device only";
    }

    static int file(size_t size) {
        const int made = memfd_create("external", MFD_CLOEXEC);
        EXPECT_EQ(0, ftruncate(made, static_cast<off_t>(size)));
        return made;
    }
    static bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) != -1; }

    static CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory_of(int descriptor) {
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC made{};
        made.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
        made.handle.fd = descriptor;
        made.size = bytes;
        return made;
    }
    static CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC semaphore_of(int descriptor) {
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC made{};
        made.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        made.handle.fd = descriptor;
        return made;
    }
};

TEST_F(ExternalArgumentsTest, ImportsOfMemory) {
    const int descriptor = file(bytes);
    CUexternalMemory made = nullptr;
    auto wrong = memory_of(descriptor);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalMemory(nullptr, &wrong));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalMemory(&made, nullptr));
    for (const unsigned long long size : {0ull, bytes + 1ull, ~0ull}) {
        wrong.size = size;
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalMemory(&made, &wrong));
    }
    wrong = memory_of(descriptor);
    wrong.flags = 2;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalMemory(&made, &wrong));
    wrong = memory_of(descriptor);
    for (const int type : {0, 10}) {
        wrong.type = value<CUexternalMemoryHandleType>(type);
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalMemory(&made, &wrong));
    }
    for (int type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32; type <= CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD;
         ++type) {
        wrong.type = value<CUexternalMemoryHandleType>(type);
        EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuImportExternalMemory(&made, &wrong));
    }
    for (const int other : {-1, 1 << 20, open("/dev/null", O_RDWR), open("/proc/self/exe", O_RDONLY)}) {
        wrong = memory_of(other);
        EXPECT_RESULT(CUDA_ERROR_OPERATING_SYSTEM, cuImportExternalMemory(&made, &wrong)) << other;
        close(other);
    }
    EXPECT_TRUE(is_open(descriptor)) << "a failed import takes the descriptor";
    const auto right = memory_of(descriptor);
    ASSERT_OK(cuImportExternalMemory(&made, &right));
    EXPECT_FALSE(is_open(descriptor)) << "an import leaves the descriptor";
    EXPECT_OK(cuDestroyExternalMemory(made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuDestroyExternalMemory(made));
}

TEST_F(ExternalArgumentsTest, Mappings) {
    CUexternalMemory made = nullptr;
    const auto right = memory_of(file(bytes));
    ASSERT_OK(cuImportExternalMemory(&made, &right));
    CUdeviceptr address = 0;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
    buffer.size = bytes;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedBuffer(nullptr, made, &buffer));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedBuffer(&address, made, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE,
                  cuExternalMemoryGetMappedBuffer(&address, garbage<CUexternalMemory>(), &buffer));
    for (const auto& [offset, size] :
         {std::pair{0ull, 0ull}, {0ull, bytes + 1ull}, {1ull, 0ull + bytes}, {~0ull, 2ull}}) {
        buffer.offset = offset;
        buffer.size = size;
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedBuffer(&address, made, &buffer));
    }
    buffer = {};
    buffer.size = 64;
    buffer.flags = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedBuffer(&address, made, &buffer));
    buffer.flags = 0;
    buffer.offset = 100;
    ASSERT_OK(cuExternalMemoryGetMappedBuffer(&address, made, &buffer));

    CUmipmappedArray levels = nullptr;
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC image{};
    image.arrayDesc = {.Width = 8, .Height = 8, .Depth = 0, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1, .Flags = 0};
    image.numLevels = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedMipmappedArray(nullptr, made, &image));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedMipmappedArray(&levels, made, nullptr));
    image.numLevels = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedMipmappedArray(&levels, made, &image));
    image.numLevels = 1;
    image.offset = 256;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedMipmappedArray(&levels, made, &image));
    image.offset = bytes;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuExternalMemoryGetMappedMipmappedArray(&levels, made, &image));
    image.offset = 0;
    ASSERT_OK(cuExternalMemoryGetMappedMipmappedArray(&levels, made, &image));

    ASSERT_OK(cuDestroyExternalMemory(made));  // what is mapped is freed by its own calls
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuExternalMemoryGetMappedBuffer(&address, made, &buffer));
    EXPECT_OK(cuMemsetD8(address, 1, 64));
    CUipcMemHandle ipc;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&ipc, address));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(address + 1));
    EXPECT_OK(cuMemFree(address));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
    EXPECT_OK(cuMipmappedArrayDestroy(levels));
}

TEST_F(ExternalArgumentsTest, Semaphores) {
    const int descriptor = file(8), small = file(7);
    CUexternalSemaphore made = nullptr;
    auto wrong = semaphore_of(descriptor);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalSemaphore(nullptr, &wrong));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalSemaphore(&made, nullptr));
    wrong.flags = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalSemaphore(&made, &wrong));
    wrong = semaphore_of(small);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalSemaphore(&made, &wrong));
    for (int type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;
         type < CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD; ++type) {
        wrong.type = value<CUexternalSemaphoreHandleType>(type);
        EXPECT_RESULT(CUDA_ERROR_NOT_SUPPORTED, cuImportExternalSemaphore(&made, &wrong));
    }
    wrong.type = value<CUexternalSemaphoreHandleType>(11);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuImportExternalSemaphore(&made, &wrong));
    wrong = semaphore_of(-1);
    EXPECT_RESULT(CUDA_ERROR_OPERATING_SYSTEM, cuImportExternalSemaphore(&made, &wrong));
    EXPECT_TRUE(is_open(descriptor) && is_open(small));
    const auto right = semaphore_of(descriptor);
    ASSERT_OK(cuImportExternalSemaphore(&made, &right));
    EXPECT_FALSE(is_open(descriptor));

    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal{};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSignalExternalSemaphoresAsync(&made, &signal, 0, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSignalExternalSemaphoresAsync(nullptr, &signal, 1, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSignalExternalSemaphoresAsync(&made, nullptr, 1, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuSignalExternalSemaphoresAsync(&made, &signal, 1, garbage<CUstream>()));
    signal.flags = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuSignalExternalSemaphoresAsync(&made, &signal, 1, stream));
    signal.flags = 0;
    wait.flags = CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuWaitExternalSemaphoresAsync(&made, &wait, 1, stream));
    wait.flags = 0;
    auto other = garbage<CUexternalSemaphore>();
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuSignalExternalSemaphoresAsync(&other, &signal, 1, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuWaitExternalSemaphoresAsync(&other, &wait, 1, stream));
    EXPECT_OK(cuSignalExternalSemaphoresAsync(&made, &signal, 1, stream));
    EXPECT_OK(cuWaitExternalSemaphoresAsync(&made, &wait, 1, nullptr));
    EXPECT_OK(cuCtxSynchronize());

    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
    ASSERT_OK(cuGraphCreate(&graph, 0));
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS parameters{&made, &signal, 1}, empty{&made, &signal, 0}, read{};
    CUDA_EXT_SEM_WAIT_NODE_PARAMS waits{};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, &empty));
    ASSERT_OK(cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, &parameters));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExternalSemaphoresWaitNodeGetParams(node, &waits));
    ASSERT_OK(cuGraphExternalSemaphoresSignalNodeGetParams(node, &read));
    EXPECT_EQ(1u, read.numExtSems);
    EXPECT_EQ(made, read.extSemArray[0]);
    CUgraphExec executable = nullptr;
    ASSERT_OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    CUexternalSemaphore twice[] = {made, made};
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS both[2] = {};
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS more{twice, both, 2};
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphExecExternalSemaphoresSignalNodeSetParams(executable, node, &more));
    EXPECT_OK(cuGraphExecExternalSemaphoresSignalNodeSetParams(executable, node, &parameters));
    EXPECT_OK(cuGraphExternalSemaphoresSignalNodeSetParams(node, &more));
    EXPECT_OK(cuDestroyExternalSemaphore(made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuDestroyExternalSemaphore(made));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuSignalExternalSemaphoresAsync(&made, &signal, 1, stream));
    EXPECT_OK(cuGraphExecDestroy(executable));
    EXPECT_OK(cuGraphDestroy(graph));
    close(small);
}
