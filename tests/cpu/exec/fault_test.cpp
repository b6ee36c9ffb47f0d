// Accesses that kernels must not make, in every state space: the error code, and the report that says where.
#include <tuple>

#include "exec/exec_test.hpp"

namespace exec_test {
namespace {

class Faults : public testing::Test {
protected:
    Device device{Device::file("faults.ptx")};

    void expect_fault(const std::optional<Fault>& fault, CUresult code, std::initializer_list<const char*> parts) {
        ASSERT_TRUE(fault) << *parts.begin();
        EXPECT_EQ(fault->code, code) << fault->report;
        for (const char* part : parts) EXPECT_NE(fault->report.find(part), std::string::npos) << fault->report;
    }
    void expect_illegal(const std::optional<Fault>& fault, std::initializer_list<const char*> parts) {
        expect_fault(fault, CUDA_ERROR_ILLEGAL_ADDRESS, parts);
    }
    void expect_misaligned(const std::optional<Fault>& fault, std::initializer_list<const char*> parts) {
        expect_fault(fault, CUDA_ERROR_MISALIGNED_ADDRESS, parts);
    }
};

/// Bytes on a 16-byte boundary, all of which belong to the device; what lies around them does not.
struct Bytes {
    Bytes(Memory& memory, std::size_t size) : buffer(memory, size / 16) {}
    explicit operator std::uintptr_t() const { return buffer.address(); }
    struct alignas(16) Unit {
        char bytes[16];
    };
    Buffer<Unit> buffer;
};

class GlobalAccess : public Faults, public testing::WithParamInterface<std::tuple<int, bool>> {};

TEST_P(GlobalAccess, IsCheckedAtBothEndsToTheByte) {
    const auto [size, write] = GetParam();
    const char* kernel = write ? "store_bytes" : "load_bytes";
    const std::string bytes = std::to_string(size) + (size == 1 ? " byte" : " bytes");
    const std::string what = (write ? "write of " : "read of ") + bytes;
    const Bytes memory(device.memory, 64);
    const auto at = [&](long offset) {
        return device.run(kernel, {1, 32}, Arguments(static_cast<std::uintptr_t>(memory), offset, size));
    };
    EXPECT_TRUE(succeeds(at(0)));
    EXPECT_TRUE(succeeds(at(64 - size)));
    const std::string before = bytes + " before the nearest allocation";
    expect_illegal(at(-size), {"kernel ", kernel, what.c_str(), before.c_str(), "of 64 bytes", "block (0, 0, 0)",
                               "thread (3, 0, 0)", "PTX line ", "faults.cu:"});
    expect_illegal(at(64), {what.c_str(), "just past the end of the nearest allocation"});
    expect_illegal(at(64 + 4096), {what.c_str(), "4096 bytes past the end"});
    if (size == 1) return;
    expect_misaligned(at(size / 2), {"misaligned", what.c_str(), "faults.cu:", "into the nearest allocation"});
    expect_illegal(at(64 - size / 2), {"into the nearest allocation"});  // the part outside comes first
}
INSTANTIATE_TEST_SUITE_P(Sizes, GlobalAccess, testing::Combine(testing::Values(1, 2, 4, 8, 16), testing::Bool()));

TEST_F(Faults, Atomics) {
    const Bytes memory(device.memory, 32);
    const auto address = static_cast<std::uintptr_t>(memory);
    EXPECT_TRUE(succeeds(device.run("atomic_at", {1, 32}, Arguments(address, 28l))));
    expect_illegal(device.run("atomic_at", {1, 32}, Arguments(address, 32l)),
                   {"write of 4 bytes", "just past the end"});
    expect_illegal(device.run("atomic_at", {1, 32}, Arguments(address, -4l)), {"4 bytes before"});
    expect_misaligned(device.run("atomic_at", {1, 32}, Arguments(address, 2l)), {"write of 4 bytes"});
    expect_illegal(device.run("wide_atomic_at", {1, 32}, Arguments(address, 32l)), {"write of 8 bytes"});
    expect_misaligned(device.run("wide_atomic_at", {1, 32}, Arguments(address, 4l)), {"write of 8 bytes"});
    expect_illegal(device.run("shared_atomic_at", {1, 32}, Arguments(64)), {"write of 4 bytes", "64 bytes of shared"});
    expect_misaligned(device.run("shared_atomic_at", {1, 32}, Arguments(2)), {"write of 4 bytes", "shared memory"});
}

TEST_F(Faults, AsynchronousCopies) {
    const Bytes memory(device.memory, 64);
    const auto run = [&](long offset, int to, int take) {
        const Arguments arguments(static_cast<std::uintptr_t>(memory), offset, to, take);
        return device.run("copy_async_at", {1, 32}, arguments);
    };
    EXPECT_TRUE(succeeds(run(48, 48, 16)));
    expect_illegal(run(64, 0, 16), {"read of 16 bytes", "just past the end", "faults.cu:"});
    expect_illegal(run(-16, 0, 16), {"read of 16 bytes", "16 bytes before"});
    expect_misaligned(run(8, 0, 16), {"read of 16 bytes"});
    expect_illegal(run(0, 64, 16), {"write of 16 bytes", "64 bytes of shared memory", "faults.cu:"});
    expect_misaligned(run(0, 8, 16), {"write of 16 bytes", "shared memory"});
    // Lanes that do not take the branch do not read.
    EXPECT_TRUE(succeeds(run(64, 0, 0)));
    const Buffer<int> words(device.memory, 3);
    const std::uintptr_t last = (words.address() + 8) & ~std::uintptr_t{15};
    const int left = static_cast<int>(words.address() + 12 - last);
    EXPECT_TRUE(succeeds(device.run("copy_async_at", {1, 32}, Arguments(last, 0l, 0, left))));
    expect_illegal(device.run("copy_async_at", {1, 32}, Arguments(last, 0l, 0, left + 4)), {"read of"});
}

TEST_F(Faults, SharedMemory) {
    for (int write : {0, 1}) {
        const char* what = write ? "write of 4 bytes" : "read of 4 bytes";
        EXPECT_TRUE(succeeds(device.run("static_shared_at", {1, 32}, Arguments(60, write))));
        expect_illegal(device.run("static_shared_at", {1, 32}, Arguments(64, write)),
                       {what, "0x40", "64 bytes of shared memory", "thread (0, 0, 0)", "faults.cu:"});
        expect_illegal(device.run("static_shared_at", {1, 32}, Arguments(-4, write)), {what, "shared memory"});
        expect_misaligned(device.run("static_shared_at", {1, 32}, Arguments(2, write)), {what, "shared memory"});
        for (unsigned size : {16u, 60000u}) {
            const int end = static_cast<int>(size);
            const Shape shape{1, 32, size};
            EXPECT_TRUE(succeeds(device.run("dynamic_shared_at", shape, Arguments(end - 4, write))));
            expect_illegal(device.run("dynamic_shared_at", shape, Arguments(end, write)), {what, "shared memory"});
            expect_illegal(device.run("dynamic_shared_at", shape, Arguments(-4, write)), {what, "shared memory"});
            expect_misaligned(device.run("dynamic_shared_at", shape, Arguments(1, write)), {what, "shared memory"});
        }
        expect_illegal(device.run("dynamic_shared_at", {1, 32}, Arguments(0, write)), {what});
    }
    EXPECT_TRUE(succeeds(device.run("generic_shared_at", {1, 32}, Arguments(60))));
    expect_illegal(device.run("generic_shared_at", {1, 32}, Arguments(64)), {"read of 4 bytes"});
    expect_illegal(device.run("generic_shared_at", {1, 32}, Arguments(-4)), {"read of 4 bytes"});
    expect_misaligned(device.run("generic_shared_at", {1, 32}, Arguments(1)), {"read of 4 bytes"});
}

TEST_F(Faults, LocalMemory) {
    for (int write : {0, 1}) {
        const char* what = write ? "write of 4 bytes" : "read of 4 bytes";
        EXPECT_TRUE(succeeds(device.run("local_memory_at", {1, 32}, Arguments(28, write))));
        expect_illegal(device.run("local_memory_at", {1, 32}, Arguments(1 << 16, write)), {what, "local memory"});
        expect_illegal(device.run("local_memory_at", {1, 32}, Arguments(-4096, write)), {what, "local memory"});
        expect_misaligned(device.run("local_memory_at", {1, 32}, Arguments(2, write)), {what, "local memory"});
    }
    EXPECT_TRUE(succeeds(device.run("generic_local_at", {1, 32}, Arguments(28))));
    expect_illegal(device.run("generic_local_at", {1, 32}, Arguments(1 << 20)), {"read of 4 bytes"});
    expect_misaligned(device.run("generic_local_at", {1, 32}, Arguments(3)), {"read of 4 bytes"});
}

TEST_F(Faults, ConstantsVariablesAndParameters) {
    EXPECT_TRUE(succeeds(device.run("constant_at", {1, 32}, Arguments(12))));
    expect_illegal(device.run("constant_at", {1, 32}, Arguments(16)),
                   {"read of 4 bytes", "just past the end", "of 16 bytes (constant)"});
    expect_illegal(device.run("constant_at", {1, 32}, Arguments(-4)), {"4 bytes before"});
    expect_misaligned(device.run("constant_at", {1, 32}, Arguments(1)), {"read of 4 bytes"});
    expect_illegal(device.run("constant_store", {1, 32}, Arguments(1)), {"write of 4 bytes", "(constant)"});
    EXPECT_TRUE(succeeds(device.run("variable_at", {1, 32}, Arguments(12))));
    expect_illegal(device.run("variable_at", {1, 32}, Arguments(16)), {"write of 4 bytes", "of 16 bytes"});
    expect_illegal(device.run("variable_at", {1, 32}, Arguments(-4)), {"write of 4 bytes", "4 bytes before"});
    struct Block {
        int values[8];
    };
    EXPECT_TRUE(succeeds(device.run("parameter_at", {1, 32}, Arguments(Block{}, 28))));
    expect_illegal(device.run("parameter_at", {1, 32}, Arguments(Block{}, 4096)), {"read of 4 bytes"});
    expect_illegal(device.run("parameter_at", {1, 32}, Arguments(Block{}, -64)), {"read of 4 bytes"});
    expect_misaligned(device.run("parameter_at", {1, 32}, Arguments(Block{}, 2)), {"read of 4 bytes"});
}

TEST_F(Faults, BetweenAllocationsTheNearerOneIsNamed) {
    alignas(16) static char memory[1024];
    const auto base = reinterpret_cast<std::uintptr_t>(memory);
    device.memory.add({base, 64, false});
    device.memory.add({base + 512, 128, false});
    const auto at = [&](long offset) { return device.run("load_bytes", {1, 32}, Arguments(base, offset, 4)); };
    expect_illegal(at(80), {"16 bytes past the end of the nearest allocation", "of 64 bytes"});
    expect_illegal(at(508), {"4 bytes before the nearest allocation", "of 128 bytes"});
    EXPECT_TRUE(succeeds(at(512)));
}

TEST_F(Faults, FreedMemoryIsNamed) {
    auto memory = std::make_unique<Bytes>(device.memory, 64);
    const auto address = static_cast<std::uintptr_t>(*memory);
    memory.reset();
    expect_illegal(device.run("load_bytes", {1, 32}, Arguments(address, 16l, 4)),
                   {"16 bytes into memory freed earlier", "of 64 bytes"});
    const auto after = device.run("load_bytes", {1, 32}, Arguments(address, 64l, 4));
    expect_illegal(after, {"read of 4 bytes"});
    EXPECT_EQ(after->report.find("freed"), std::string::npos) << after->report;
    device.memory.add({address, 32, false});
    const auto taken = device.run("load_bytes", {1, 32}, Arguments(address, 32l, 4));
    expect_illegal(taken, {"freed earlier", "just past the end of the nearest allocation"});
    device.memory.withdraw(address);
}

TEST_F(Faults, WithdrawnMemoryWasNotFreed) {
    alignas(16) static char memory[64];
    const auto base = reinterpret_cast<std::uintptr_t>(memory);
    device.memory.add({base, 64, false});
    EXPECT_TRUE(device.memory.withdraw(base));
    EXPECT_FALSE(device.memory.withdraw(base));
    const auto fault = device.run("load_bytes", {1, 32}, Arguments(base, 0l, 4));
    expect_illegal(fault, {"read of 4 bytes"});
    EXPECT_EQ(fault->report.find("freed"), std::string::npos) << fault->report;
}

TEST_F(Faults, TheHeapOfKernels) {
    expect_illegal(device.run("free_twice", {1, 32}, Arguments()),
                   {"free of an address that malloc did not return", "thread (2, 0, 0)", "faults.cu:"});
    expect_illegal(device.run("use_freed_heap", {1, 1}, Arguments()),
                   {"write of 4 bytes", "8 bytes into memory freed earlier", "of 64 bytes"});
}

class DivergentBarriers : public Faults, public testing::WithParamInterface<unsigned> {
protected:
    std::optional<Fault> run(const char* kernel, unsigned threads, const Arguments& arguments = Arguments()) {
        return device.run(kernel, {2, threads, 0, GetParam()}, arguments);
    }
    void expect_deadlock(const std::optional<Fault>& fault, std::initializer_list<const char*> parts) {
        expect_fault(fault, CUDA_ERROR_LAUNCH_TIMEOUT, parts);
        if (fault) {
            EXPECT_NE(fault->report.find("deadlock in block ("), std::string::npos) << fault->report;
        }
    }
};

TEST_P(DivergentBarriers, WarpsAtDifferentBarriers) {
    expect_deadlock(run("different_barriers", 64),
                    {"kernel different_barriers", "threads (0, 0, 0) to (31, 0, 0) wait at barrier 1, where 32 of 64",
                     "threads (32, 0, 0) to (63, 0, 0) wait at barrier 2, where 32 of 64 threads have arrived",
                     "PTX line", "faults.cu:"});
}

TEST_P(DivergentBarriers, HalvesOfAWarp) {
    expect_deadlock(run("half_warp_barrier", 32), {"threads (0, 0, 0) to (15, 0, 0) wait at barrier 3",
                                                   "threads (16, 0, 0) to (31, 0, 0) wait at barrier 4"});
}

TEST_P(DivergentBarriers, AWarpThatSkipsABarrier) {
    EXPECT_TRUE(succeeds(run("skips_barrier", 96, Arguments(7))));
    expect_deadlock(run("skips_barrier", 96, Arguments(1)),
                    {"threads (0, 0, 0) to (31, 0, 0), (64, 0, 0) to (95, 0, 0) wait at barrier 1, where 64 of 96",
                     "threads (32, 0, 0) to (63, 0, 0) have exited"});
}

TEST_P(DivergentBarriers, ExitedThreads) {
    expect_deadlock(run("exits_before_barrier", 64),
                    {"threads (0, 0, 0) to (31, 0, 0) wait at barrier 1, where 32 of 64 threads have arrived",
                     "threads (32, 0, 0) to (63, 0, 0) have exited"});
}

TEST_P(DivergentBarriers, LanesThatOthersOfTheWarpWaitFor) {
    expect_deadlock(run("missing_lanes", 32), {"wait for the lanes 0xffffffff of the warp", "wait at barrier 1"});
}

TEST_P(DivergentBarriers, DifferentCounts) {
    expect_fault(run("different_counts", 96), CUDA_ERROR_LAUNCH_FAILED,
                 {"barrier 1 for 96 threads, while 32 threads wait at it for 64", "thread (32, 0, 0)", "faults.cu:"});
    expect_fault(run("odd_count", 96, Arguments(48)), CUDA_ERROR_LAUNCH_FAILED,
                 {"a barrier for 48 threads, which is not a multiple of 32", "faults.cu:"});
}

TEST_P(DivergentBarriers, LanesThatTheLastWarpLacksCount) {
    Buffer<int> out(device.memory, 48);
    EXPECT_TRUE(succeeds(device.run("partial_warp_barrier", {1, 48, 0, GetParam()}, Arguments(out))));
    for (int n = 0; n < 48; ++n) EXPECT_EQ(out[static_cast<std::size_t>(n)], 47 - n);
}

INSTANTIATE_TEST_SUITE_P(Threads, DivergentBarriers, testing::Values(1u, 3u));

}  // namespace
}  // namespace exec_test
