#include "pycuda/memory/ipc_memory.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "platform/process.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using IpcMemoryTest = ContextTest;

TEST_F(IpcMemoryTest, OwnHandlesCannotBeOpened) {
    DeviceAllocation memory(64);
    const IpcMemHandle handle = mem_get_ipc_handle(memory.pointer());
    EXPECT_THROW(IPCMemoryHandle{handle}, Error);
    EXPECT_EQ(live_handles("IPC memory handle"), 0);
}

TEST_F(IpcMemoryTest, UnknownAddressesAndHandlesAreRefused) {
    EXPECT_THROW(mem_get_ipc_handle(12345), Error);
    EXPECT_THROW(IPCMemoryHandle{IpcMemHandle{}}, Error);
}

/// The other process: this test runs again in its own process, which reads the handle from a file.
TEST(IpcMemoryChild, DISABLED_WritesWhereTheHandleSays) {
    const char* file = std::getenv("PYCUDA_TEST_IPC_FILE");
    ASSERT_NE(file, nullptr) << "runs as the second process of ASecondProcessSeesTheMemory";
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    IpcMemHandle handle;
    ASSERT_EQ(bytes.size(), handle.size());
    std::copy(bytes.begin(), bytes.end(), handle.begin());
    init();
    const auto context = Device(0).make_context();
    {
        IPCMemoryHandle memory(handle);
        EXPECT_GE(memory.size(), 64u);
        EXPECT_EQ(memory.context(), context);
        std::vector<unsigned char> found(64);
        memcpy_dtoh(found.data(), found.size(), memory.pointer());
        EXPECT_EQ(found, std::vector<unsigned char>(64, 1));
        memset_d8(memory.pointer(), 2, 64);
        Context::synchronize();
        EXPECT_EQ(live_handles("IPC memory handle"), 1);
        memory.free();
        EXPECT_EQ(message_of<LogicError>([&] { memory.free(); }), "IPC memory handle was closed");
        EXPECT_EQ(live_handles("IPC memory handle"), 0);
    }
    context->detach();
}

TEST_F(IpcMemoryTest, ASecondProcessSeesTheMemory) {
    DeviceAllocation memory(64);
    memset_d8(memory.pointer(), 1, 64);
    Context::synchronize();
    const IpcMemHandle handle = mem_get_ipc_handle(memory.pointer());
    const std::filesystem::path folder = make_temporary_folder("pycuda-ipc-");
    const std::string file = (folder / "handle").string();
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(handle.data()), handle.size());
    set_environment("PYCUDA_TEST_IPC_FILE", file);
    const std::string program = std::filesystem::absolute(testing::internal::GetArgvs()[0]).string();
    const ProcessResult other =
        run_process({program, "--gtest_also_run_disabled_tests", "--gtest_filter=IpcMemoryChild.*"});
    unset_environment("PYCUDA_TEST_IPC_FILE");
    EXPECT_EQ(other.status, 0) << other.stdout_text << other.stderr_text;
    std::vector<unsigned char> back(64);
    memcpy_dtoh(back.data(), back.size(), memory.pointer());
    EXPECT_EQ(back, std::vector<unsigned char>(64, 2));
    std::filesystem::remove_all(folder);
}

TEST(IpcMemoryFaults, EachCallFailsOnce) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuIpcGetMemHandle:1:999,cuIpcOpenMemHandle:1:999");
            init();
            const auto context = Device(0).make_context();
            DeviceAllocation memory(64);
            EXPECT_HAS(message_of<Error>([&] { mem_get_ipc_handle(memory.pointer()); }), "cuIpcGetMemHandle failed");
            EXPECT_HAS(message_of<Error>([] { IPCMemoryHandle{IpcMemHandle{}}; }), "cuIpcOpenMemHandle failed");
            EXPECT_NO_THROW(mem_get_ipc_handle(memory.pointer()));
            EXPECT_EQ(live_handles("IPC memory handle"), 0);
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
