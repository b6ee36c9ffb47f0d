#include "pycuda/kernels/function.hpp"

#include <cuda.h>

#include <chrono>
#include <cstring>

#include "pycuda/kernels/launch_attributes.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"
#include "test_kernels.hpp"
#include "written_lines.hpp"

namespace pycuda::test {
namespace {

class FunctionTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        module = Module::from_buffer(kernels, std::strlen(kernels));
    }
    void TearDown() override {
        module.reset();
        ContextTest::TearDown();
    }
    Function function(const char* name) { return module->get_function(name); }
    std::shared_ptr<Module> module;
};

/// Packs `arguments` for `function`, and launches it.
template <class... Arguments>
void launch(const Function& function, const LaunchConfig& config, const Arguments&... arguments) {
    ArgumentPacker packer(thread_argument_block(), function.layout());
    (packer.append(&arguments, sizeof arguments, alignof(Arguments), "a C++ value"), ...);
    const std::size_t nbytes = packer.finish();
    function.launch(config, thread_argument_block(), nbytes);
}

LaunchConfig geometry(unsigned blocks, unsigned threads) {
    LaunchConfig config;
    config.grid[0] = blocks;
    config.block[0] = threads;
    return config;
}

TEST_F(FunctionTest, KnowsItsParameters) {
    const Function add = function("add");
    EXPECT_EQ(add.name(), "add");
    EXPECT_EQ(add.module(), module);
    ASSERT_TRUE(add.layout().known);
    ASSERT_EQ(add.layout().parameters.size(), 4u);
    EXPECT_EQ(add.layout().parameters[3].offset, 24u);
    EXPECT_EQ(add.layout().parameters[3].size, 4u);
    EXPECT_EQ(add.layout().total, 28u);
    const Function gap = function("gap");
    EXPECT_EQ(gap.layout().parameters[1].offset, 8u);
    EXPECT_EQ(function("by_value").layout().parameters[0].size, 12u);
    EXPECT_EQ(function("nothing").layout().total, 0u);
    EXPECT_TRUE(function("nothing").layout().known);
}

TEST_F(FunctionTest, RunsAGrid) {
    constexpr unsigned n = 1000;
    std::vector<float> a(n), b(n), c(n + 1, -1.0f);
    for (unsigned i = 0; i < n; ++i) a[i] = float(i), b[i] = 2.0f * float(i);
    DeviceAllocation da(n * 4), db(n * 4), dc((n + 1) * 4);
    memcpy_htod(da.pointer(), a.data(), n * 4);
    memcpy_htod(db.pointer(), b.data(), n * 4);
    memcpy_htod(dc.pointer(), c.data(), (n + 1) * 4);
    launch(function("add"), geometry(8, 128), da.pointer(), db.pointer(), dc.pointer(), n);
    memcpy_dtoh(c.data(), (n + 1) * 4, dc.pointer());
    for (unsigned i = 0; i < n; ++i) ASSERT_EQ(c[i], 3.0f * float(i)) << i;
    EXPECT_EQ(c[n], -1.0f);
}

TEST_F(FunctionTest, RunsOnAStream) {
    const Stream stream;
    LaunchConfig config = geometry(1, 1);
    config.stream = stream.handle();
    DeviceAllocation out(8);
    launch(function("gap"), config, static_cast<signed char>(-3), 4.5, out.pointer());
    stream.synchronize();
    double result = 0;
    memcpy_dtoh(&result, 8, out.pointer());
    EXPECT_EQ(result, 1.5);
}

TEST_F(FunctionTest, TakesStructuresByValue) {
    struct Three {
        int x, y, z;
    };
    DeviceAllocation out(4);
    launch(function("by_value"), geometry(1, 1), Three{1, 20, 300}, out.pointer());
    int result = 0;
    memcpy_dtoh(&result, 4, out.pointer());
    EXPECT_EQ(result, 321);
}

TEST_F(FunctionTest, TakesNoArguments) {
    function("nothing").launch({}, nullptr, 0);
    Context::synchronize();
}

TEST_F(FunctionTest, TooFewBytesNeverReachTheKernel) {
    const char bytes[20] = {};
    EXPECT_EQ(message_of<ArgumentTypeError>([&] { function("add").launch({}, bytes, sizeof bytes); }),
              "'add' takes 28 bytes of arguments, given 20");
}

TEST_F(FunctionTest, LaunchesWithAttributes) {
    DeviceAllocation out(8);
    LaunchAttributes attributes;
    attributes.cooperative().priority(0);
    LaunchConfig config = geometry(1, 1);
    config.attributes = attributes.list();
    launch(function("gap"), config, static_cast<signed char>(-3), 4.5, out.pointer());
    double result = 0;
    memcpy_dtoh(&result, 8, out.pointer());
    EXPECT_EQ(result, 1.5);
}

TEST_F(FunctionTest, RefusedAttributesAreNamed) {
    LaunchAttributes attributes;
    attributes.cluster(3, 1, 1);
    LaunchConfig config = geometry(4, 1);  // 4 is no multiple of 3
    config.attributes = attributes.list();
    const std::string message = message_of<Error>([&] { function("nothing").launch(config, nullptr, 0); });
    EXPECT_HAS(message, "cuLaunchKernelEx failed: ");
    EXPECT_HAS(message, "clusters of (3, 1, 1) blocks");
}

TEST(LaunchAttributesTest, HaveOneOfEachKind) {
    LaunchAttributes attributes;
    EXPECT_TRUE(attributes.list().empty());
    attributes.cluster(2, 1, 1).cooperative().cluster(4, 2, 1);
    ASSERT_EQ(attributes.list().size(), 2u);
    EXPECT_EQ(attributes.list()[0].value.clusterDim.x, 4u);
    EXPECT_EQ(attributes.list()[0].value.clusterDim.y, 2u);
    for (int id = 100; id < 118; ++id) attributes.set(static_cast<CUlaunchAttributeID>(id), {});
    EXPECT_THROW(attributes.set(static_cast<CUlaunchAttributeID>(200), {}), std::length_error);
}

struct CountedPreparation : LaunchPreparation {
    void before_launch(CUstream stream) override {
        ++launches;
        last = stream;
        if (refuses) throw LogicError("before_launch", 0, "refused");
    }
    int launches = 0;
    CUstream last = nullptr;
    bool refuses = false;
};

TEST_F(FunctionTest, PreparationsComeBeforeEveryLaunch) {
    const Function nothing = function("nothing");
    EXPECT_FALSE(module->has_launch_preparations());
    auto preparation = std::make_shared<CountedPreparation>(), other = std::make_shared<CountedPreparation>();
    module->prepare_launches_with(preparation);
    module->prepare_launches_with(other);
    const Stream stream;
    LaunchConfig config;
    config.stream = stream.handle();
    nothing.launch(config, nullptr, 0);
    EXPECT_EQ(preparation->launches, 1);
    EXPECT_EQ(preparation->last, stream.handle());
    EXPECT_EQ(other->launches, 1);
    preparation.reset();
    nothing.launch(config, nullptr, 0);
    EXPECT_EQ(other->launches, 2);
    other->refuses = true;
    EXPECT_THROW(nothing.launch(config, nullptr, 0), LogicError);
}

TEST_F(FunctionTest, Occupancy) {
    const Function add = function("add");
    const int blocks = add.max_active_blocks_per_multiprocessor(128);
    EXPECT_GE(blocks, 1);
    EXPECT_LE(add.max_active_blocks_per_multiprocessor(128, 32 << 10), blocks);
    EXPECT_HAS(message_of<LogicError>([&] { add.max_active_blocks_per_multiprocessor(0); }),
               "kernel 'add', blocks of 0 threads and 0 bytes of dynamic shared memory");
    const auto [grid, block] = add.max_potential_block_size();
    EXPECT_GE(grid, 1);
    EXPECT_GE(block, 32);
    EXPECT_LE(add.max_potential_block_size(0, 64).block_size, 64);
}

TEST_F(FunctionTest, RefusedGeometryIsExplained) {
    const Function nothing = function("nothing");
    const std::string message = message_of<Error>([&] { nothing.launch(geometry(1, 4096), nullptr, 0); });
    EXPECT_HAS(message, "cuLaunchKernel failed: ");
    EXPECT_HAS(message, "kernel 'nothing', grid (1, 1, 1), block (4096, 1, 1), 0 bytes of dynamic shared memory");
    EXPECT_HAS(message, "at most 1024 threads per block, 4096 were requested");
    EXPECT_HAS(message_of<Error>([&] { nothing.launch(geometry(0, 32), nullptr, 0); }),
               "grid (0, 1, 1), block (32, 1, 1), 0 bytes of dynamic shared memory, 0 bytes of arguments; a grid has "
               "blocks along x: 1 to 2147483647, not 0");
    EXPECT_HAS(message_of<Error>([&] { nothing.launch(geometry(1, 0), nullptr, 0); }),
               "a block has threads along x: 1 to 1024, not 0");
    LaunchConfig deep = geometry(1, 1);
    deep.block[2] = 65;
    EXPECT_HAS(message_of<Error>([&] { nothing.launch(deep, nullptr, 0); }), "threads along z: 1 to 64, not 65");
    LaunchConfig high = geometry(1, 1);
    high.grid[1] = 65536;
    EXPECT_HAS(message_of<Error>([&] { nothing.launch(high, nullptr, 0); }), "blocks along y: 1 to 65535, not 65536");
    LaunchConfig shared = geometry(1, 1);
    shared.shared_bytes = 1 << 20;
    EXPECT_HAS(message_of<Error>([&] { nothing.launch(shared, nullptr, 0); }), "MAX_DYNAMIC_SHARED_SIZE_BYTES");
    nothing.launch(geometry(1, 1), nullptr, 0);  // a refusal does no harm
    Context::synchronize();
}

TEST_F(FunctionTest, WrongContextIsALogicError) {
    const Function nothing = function("nothing");
    const auto other = Device(0).make_context();
    EXPECT_HAS(message_of<LogicError>([&] { nothing.launch({}, nullptr, 0); }),
               "must be the one that the module was loaded in");
    other->detach();
}

TEST_F(FunctionTest, TimedLaunchWaits) {
    const auto before = std::chrono::steady_clock::now();
    const double seconds = function("nothing").launch_timed({}, nullptr, 0);
    EXPECT_GT(seconds, 0.0);
    EXPECT_LE(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    const Stream stream;
    LaunchConfig config;
    config.stream = stream.handle();
    EXPECT_THROW(function("nothing").launch_timed(config, nullptr, 0), std::invalid_argument);
}

TEST_F(FunctionTest, HasAttributes) {
    Function add = function("add");
    EXPECT_GT(add.get_attribute(FunctionAttribute::NUM_REGS), 0);
    EXPECT_EQ(add.get_attribute(FunctionAttribute::MAX_THREADS_PER_BLOCK), 1024);
    EXPECT_EQ(add.get_attribute(FunctionAttribute::SHARED_SIZE_BYTES), 0);
    add.set_attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, 40000);
    EXPECT_EQ(add.get_attribute(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES), 40000);
    add.set_cache_config(FuncCache::PREFER_SHARED);
    add.set_shared_config(SharedConfig::EIGHT_BYTE_BANK_SIZE);
}

TEST_F(FunctionTest, UnknownAttributeIsNamed) {
    Function add = function("add");
    EXPECT_HAS(message_of<LogicError>([&] { add.get_attribute(static_cast<FunctionAttribute>(999)); }),
               "kernel 'add', attribute 999");
    EXPECT_HAS(message_of<LogicError>([&] { add.set_attribute(FunctionAttribute::NUM_REGS, 8); }), "kernel 'add'");
}

TEST(FunctionFault, OutOfResourcesTellsWhatTheKernelNeeds) {
    if (!can_inject_faults()) GTEST_SKIP() << "needs the CPU device's fault injection";
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_CPU_FAULTS", "cuLaunchKernel:1:701");
            init();
            const auto context = Device(0).make_context();
            const auto module = Module::from_buffer(kernels, std::strlen(kernels));
            const std::string message =
                message_of<LaunchError>([&] { module->get_function("nothing").launch(geometry(2, 64), nullptr, 0); });
            EXPECT_HAS(message, "kernel 'nothing', grid (2, 1, 1), block (64, 1, 1)");
            EXPECT_HAS(message, " registers per thread and 0 bytes of static shared memory per block");
            finish();
        },
        "");
}

TEST(FunctionFault, IsALaunchErrorAndCleanUpAfterItIsSilent) {
    // In a process of its own: on a GPU a fault takes the process's contexts with it.
    EXPECT_FRESH_PROCESS(
        {
            init();
            const auto context = Device(0).make_context();
            {
                const auto module = Module::from_buffer(kernels, std::strlen(kernels));
                const Function fault = module->get_function("fault");
                DeviceAllocation memory(64);
                Stream stream;
                Event event;
                fault.launch({}, nullptr, 0);
                EXPECT_EQ(code_of<LaunchError>([] { Context::synchronize(); }), CUDA_ERROR_ILLEGAL_ADDRESS);
                EXPECT_HAS(message_of<LaunchError>([&] { fault.launch({}, nullptr, 0); }), "kernel 'fault'");
            }
            context->detach();
            finish();
        },
        NothingButALine("pycuda: kernel fault"));  // the CPU device tells where; clean-up tells nothing
}

}  // namespace
}  // namespace pycuda::test
