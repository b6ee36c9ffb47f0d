// Whole kernels as the compiler emits them: results, memory faults, calls, printf.
#include <unistd.h>
#include <cmath>
#include <cstdio>

#include "exec/exec_test.hpp"

namespace exec_test {
namespace {

class Kernels : public testing::Test {
protected:
    Device device{Device::file("basics.ptx")};

    void expect_fault(const std::optional<Fault>& fault, CUresult code, const std::string& part) {
        ASSERT_TRUE(fault);
        EXPECT_EQ(fault->code, code);
        EXPECT_NE(fault->report.find(part), std::string::npos) << fault->report;
    }
};

/// What `action` writes to stdout.
template <class F>
std::string stdout_of(F action) {
    std::fflush(stdout);
    char name[] = "/tmp/exec_test_XXXXXX";
    const int file = mkstemp(name), saved = dup(1);
    dup2(file, 1);
    action();
    std::fflush(stdout);
    dup2(saved, 1);
    std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    close(file);
    close(saved);
    unlink(name);
    return text;
}

TEST_F(Kernels, Saxpy) {
    for (unsigned threads : {1u, 3u}) {
        std::vector<float> x(1000), y(1000);
        for (int n = 0; n < 1000; ++n) x[n] = 0.25f * static_cast<float>(n), y[n] = static_cast<float>(1000 - n);
        Buffer<float> dx(device.memory, x), dy(device.memory, y);
        EXPECT_TRUE(succeeds(device.run("saxpy", {8, 128, 0, threads}, Arguments(1.5f, dx, dy, 1000))));
        for (int n = 0; n < 1000; ++n) EXPECT_EQ(dy[n], std::fma(1.5f, x[n], y[n]));
    }
}

TEST_F(Kernels, MathematicalFunctions) {
    const int n = 500;
    std::vector<float> x(n);
    std::vector<double> d(n);
    for (int i = 0; i < n; ++i) {
        x[i] = i < 400 ? 0.05f * static_cast<float>(i - 200)
                       : static_cast<float>(i * i) * 731.0f;  // the slow path of sinf too
        d[i] = i < 400 ? 0.37 * (i - 200) : 1e5 * i * i;
    }
    Buffer<float> dx(device.memory, x), of(device.memory, 4 * n);
    Buffer<double> dd(device.memory, d), od(device.memory, 4 * n);
    EXPECT_TRUE(succeeds(device.run("functions", {4, 128}, Arguments(dx, dd, of, od, n))));
    const float weights[4] = {1, 10, 100, 1000};
    for (int i = 0; i < n; ++i) {
        const double v = x[i], a = std::fabs(v);
        EXPECT_NEAR(of[4 * i], std::sin(v), 2e-7) << v;
        const double expected = std::exp(v) + std::sqrt(a);
        if (expected < 3e38) {
            EXPECT_NEAR(of[4 * i + 1] / expected, 1, 1e-6) << v;
        }
        EXPECT_NEAR(of[4 * i + 2], std::pow(a, 1.25), 1e-6 * std::pow(a, 1.25) + 1e-30) << v;
        EXPECT_NEAR(of[4 * i + 3], v / 3.7f + std::log(a + 1) * weights[i & 3], 3e-7 * (a + 1e4)) << v;
        const double w = d[i], b = std::fabs(w);
        EXPECT_NEAR(od[4 * i], std::sin(w), 3e-16) << w;
        if (w * 0.01 < 600) {
            EXPECT_NEAR(od[4 * i + 1] / (std::exp(w * 0.01) / (1 + std::sqrt(b))), 1, 1e-15) << w;
        }
        EXPECT_NEAR(od[4 * i + 2], std::pow(b, 0.3), 1e-15 * std::pow(b, 0.3)) << w;
        EXPECT_NEAR(od[4 * i + 3], std::log(b + 1), 1e-15 * std::log(b + 1)) << w;
    }
}

TEST_F(Kernels, DivergentLoop) {
    std::vector<unsigned> start(300);
    for (unsigned n = 0; n < 300; ++n) start[n] = n + 1;
    Buffer<unsigned> in(device.memory, start);
    Buffer<int> out(device.memory, 300);
    EXPECT_TRUE(succeeds(device.run("collatz", {3, 100}, Arguments(in, out, 300))));
    for (unsigned n = 0; n < 300; ++n) {
        int steps = 0;
        for (unsigned v = n + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) ++steps;
        EXPECT_EQ(out[n], steps) << n;
    }
}

TEST_F(Kernels, StaticAndDynamicShared) {
    Buffer<int> data(device.memory, 64);
    for (int n = 0; n < 64; ++n) data[n] = n * n;
    EXPECT_TRUE(succeeds(device.run("reverse_shared", {1, 64, 256}, Arguments(data))));
    for (int n = 0; n < 64; ++n) EXPECT_EQ(data[n], 3 * (63 - n) * (63 - n));
}

TEST_F(Kernels, LocalArray) {
    std::vector<int> order(16);
    for (int k = 0; k < 16; ++k) order[k] = (k * 7 + 3) % 16;
    Buffer<int> dorder(device.memory, order), out(device.memory, 80);
    EXPECT_TRUE(succeeds(device.run("local_array", {2, 40}, Arguments(dorder, out))));
    for (int t = 0; t < 80; ++t) {
        int a[16], sum = 0;
        for (int k = 0; k < 16; ++k) a[k] = t % 40 * k;
        for (int k = 0; k < 16; ++k) a[order[k]] += 1, sum += a[order[15 - k]];
        EXPECT_EQ(out[t], sum);
    }
}

TEST_F(Kernels, AtomicsAcrossThreads) {
    std::vector<int> bins(20000);
    for (int n = 0; n < 20000; ++n) bins[n] = n * n % 7;
    for (unsigned threads : {1u, 4u}) {
        Buffer<int> dbins(device.memory, bins), histogram(device.memory, 7);
        EXPECT_TRUE(succeeds(device.run("count", {100, 256, 0, threads}, Arguments(histogram, dbins, 20000))));
        std::vector<int> expected(7);
        for (int b : bins) ++expected[b];
        EXPECT_EQ(histogram.values(), expected);
    }
    const GlobalVariable* counter = device.image().global("counter");
    ASSERT_TRUE(counter);
    EXPECT_EQ(counter->size, 4u);
    EXPECT_EQ(*reinterpret_cast<const int*>(counter->address), 9);
}

TEST_F(Kernels, PrintfInOrder) {
    const std::string text = stdout_of([&] {
        std::printf("before\n");
        EXPECT_TRUE(succeeds(device.run("print", {1, 3}, Arguments())));
        std::printf("after\n");
    });
    EXPECT_EQ(text,
              "before\n"
              "thread 0 of block 0:  0.00 text x 1099511627776\n"
              "thread 1 of block 0:  0.50 text x 2199023255552\n"
              "thread 2 of block 0:  1.00 text x 4398046511104\n"
              "after\n");
}

TEST_F(Kernels, AssertEndsTheLaunch) {
    EXPECT_TRUE(succeeds(device.run("check", {2, 64}, Arguments(64))));
    testing::internal::CaptureStderr();
    expect_fault(device.run("check", {2, 64}, Arguments(63)), CUDA_ERROR_ASSERT, "thread (63, 0, 0)");
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("thread: [63,0,0] Assertion `threadIdx.x < limit` failed."), std::string::npos) << text;
}

TEST_F(Kernels, MemoryIsCheckedToTheByte) {
    Buffer<int> out(device.memory, 32);
    Buffer<char> odd(device.memory, 4002);
    const long base = static_cast<long>(odd.address() % 4);
    ASSERT_EQ(base, 0);
    EXPECT_TRUE(succeeds(device.run("load_at", {1, 32}, Arguments(odd, 3996l, out))));
    expect_fault(device.run("load_at", {1, 32}, Arguments(odd, 4000l, out)), CUDA_ERROR_ILLEGAL_ADDRESS,
                 "read of 4 bytes");
    expect_fault(device.run("load_at", {1, 32}, Arguments(odd, -4l, out)), CUDA_ERROR_ILLEGAL_ADDRESS,
                 "4 bytes before");
    expect_fault(device.run("store_at", {1, 32}, Arguments(out, 128l, 1)), CUDA_ERROR_ILLEGAL_ADDRESS,
                 "thread (3, 0, 0)");
    expect_fault(device.run("store_at", {1, 32}, Arguments(out, 2l, 1)), CUDA_ERROR_MISALIGNED_ADDRESS, "basics.cu:");
    expect_fault(device.run("store_at", {1, 32}, Arguments(nullptr, 0l, 1)), CUDA_ERROR_ILLEGAL_ADDRESS,
                 "kernel store_at");
}

TEST_F(Kernels, RemovedMemoryIsGone) {
    Buffer<int> out(device.memory, 32);
    auto in = std::make_unique<Buffer<char>>(device.memory, 64);
    const std::uintptr_t address = in->address();
    EXPECT_TRUE(succeeds(device.run("load_at", {1, 32}, Arguments(address, 0l, out))));
    in.reset();
    expect_fault(device.run("load_at", {1, 32}, Arguments(address, 0l, out)), CUDA_ERROR_ILLEGAL_ADDRESS,
                 "illegal read");
}

TEST_F(Kernels, SharedLocalAndConstantMemoryAreChecked) {
    Buffer<int> out(device.memory, 32);
    EXPECT_TRUE(succeeds(device.run("shared_at", {1, 16}, Arguments(16, out))));
    expect_fault(device.run("shared_at", {1, 16}, Arguments(17, out)), CUDA_ERROR_ILLEGAL_ADDRESS, "shared memory");
    expect_fault(device.run("shared_at", {1, 16}, Arguments(-1, out)), CUDA_ERROR_ILLEGAL_ADDRESS, "thread (0, 0, 0)");
    EXPECT_TRUE(succeeds(device.run("local_at", {1, 32}, Arguments(7, out))));
    expect_fault(device.run("local_at", {1, 32}, Arguments(8, out)), CUDA_ERROR_ILLEGAL_ADDRESS, "local memory");
    const GlobalVariable* weights = device.image().global("weights");
    ASSERT_TRUE(weights && weights->constant);
    expect_fault(device.run("store_at", {1, 32}, Arguments(weights->address, 4l, 1)), CUDA_ERROR_ILLEGAL_ADDRESS,
                 "(constant)");
}

TEST_F(Kernels, RecursionAndIndirectCalls) {
    Buffer<int> out(device.memory, 64);
    EXPECT_TRUE(succeeds(device.run("recursion", {1, 64}, Arguments(out))));
    const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], fibonacci[t % 12]) << t;
    EXPECT_TRUE(succeeds(device.run("indirect", {1, 64}, Arguments(out))));
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 2 ? t * t : 2 * t);
    for (const char* endless : {"overflow", "overflow_of_arrays", "overflow_through_pointers"})
        expect_fault(device.run(endless, {1, 64}, Arguments(out)), CUDA_ERROR_LAUNCH_FAILED, "stack overflow");
}

TEST_F(Kernels, StructByValueAndSwitch) {
    struct Big {
        int v[20];
    } big;
    for (int n = 0; n < 20; ++n) big.v[n] = 100 - n * n;
    Buffer<int> out(device.memory, 64);
    EXPECT_TRUE(succeeds(device.run("by_value", {1, 64}, Arguments(big, out))));
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], big.v[t % 20]);
    EXPECT_TRUE(succeeds(device.run("choose", {1, 64}, Arguments(9, out))));
    for (int t = 0; t < 64; ++t) {
        const int expected[] = {t + 11, t * 3, t ^ 0x55, t * t - 9, t - 100, ~t, 9};
        EXPECT_EQ(out[t], expected[t % 7]) << t;
    }
}

TEST_F(Kernels, DeviceHeap) {
    Buffer<int> out(device.memory, 64);
    EXPECT_TRUE(succeeds(device.run("heap", {1, 64}, Arguments(out))));
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], t * (t + 1) / 2);
}

/// A function fills its caller's stack, which holds the return address, with a value.
TEST(Calls, AnOverwrittenFrameIsAFault) {
    Device device(R"(.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 result) smash(.param .b32 value)
{
    .local .align 16 .b8 own[16];
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    ld.param.u32 %r1, [value];
    mov.u64 %rd1, own;
    mov.u32 %r2, 0;
LOOP:
    st.local.u32 [%rd1], %r1;
    add.s64 %rd1, %rd1, -4;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 40;
    @%p bra LOOP;
    st.param.b32 [result], %r1;
    ret;
}
.visible .entry k(.param .u32 value)
{
    .local .align 16 .b8 space[512];
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    mov.u64 %rd1, space;
    ld.param.u32 %r1, [value];
    st.local.u32 [%rd1+508], %r1;
    {
    .param .b32 argument;
    .param .b32 returned;
    st.param.b32 [argument], %r1;
    call.uni (returned), smash, (argument);
    ld.param.b32 %r2, [returned];
    }
    st.local.u32 [%rd1], %r2;
    ret;
})");
    for (const unsigned value : {1u, 0x7fffffffu, ~0u}) {
        const auto fault = device.run("k", {1, 40}, Arguments(value));
        ASSERT_TRUE(fault) << value;
        EXPECT_EQ(fault->code, CUDA_ERROR_INVALID_PC);
        EXPECT_NE(fault->report.find("overwritten"), std::string::npos) << fault->report;
    }
}

TEST(Loading, AnUnknownInstructionIsNamedWithItsLine) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n"
        "vote.ballot.b32 %r1, 1;\nret;\n}\n";
    try {
        Device device(text);
        FAIL() << "it was accepted";
    } catch (const LoadError& e) {
        EXPECT_EQ(e.line(), 7);
        EXPECT_NE(std::string(e.what()).find("vote"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace exec_test
