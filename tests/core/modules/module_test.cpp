#include "pycuda/modules/module.hpp"

#include <cuda.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "support.hpp"
#include "test_kernels.hpp"

namespace pycuda::test {
namespace {

using ModuleTest = ContextTest;

std::shared_ptr<Module> load() {
    return Module::from_buffer(kernels, std::strlen(kernels));
}

TEST_F(ModuleTest, LoadsPtxWithAndWithoutTheNul) {
    EXPECT_NE(Module::from_buffer(kernels, std::strlen(kernels) + 1)->handle(), nullptr);
    EXPECT_NE(load()->handle(), nullptr);
}

TEST_F(ModuleTest, LoadsAFile) {
    const std::string path = ::testing::TempDir() + "pycuda_module_test.ptx";
    std::ofstream(path) << kernels;
    EXPECT_EQ(Module::from_file(path)->get_function("add").name(), "add");
    std::remove(path.c_str());
}

TEST_F(ModuleTest, MissingFileIsNamed) {
    const std::string message = message_of<RuntimeError>([] { Module::from_file("/nowhere/kernels.cubin"); });
    EXPECT_HAS(message, "cuModuleLoad failed: file not found - '/nowhere/kernels.cubin': No such file");
}

TEST_F(ModuleTest, NotAModuleIsRefused) {
    EXPECT_THROW(Module::from_buffer("", 0), std::invalid_argument);
    const std::string garbage =
        "\x7f"
        "ELF and then nothing that makes sense";
    EXPECT_THROW(Module::from_buffer(garbage.data(), garbage.size()), Error);
}

TEST_F(ModuleTest, TruncatedImagesAreRefusedBeforeTheDriverReadsOn) {
    std::string fatbin("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    fatbin +=
        std::string("\x00\x10\x00\x00\x00\x00\x00\x00", 8) + std::string(64, '\0');  // 4096 bytes behind the header
    std::string elf(
        "\x7f"
        "ELF",
        4);
    elf.resize(200);
    elf[40] = '\xa0';  // where 3 sections of 64 bytes are described
    elf[58] = 64;
    elf[60] = 3;
    for (const std::string& image : {fatbin, fatbin.substr(0, 10), elf, elf.substr(0, 30)})
        EXPECT_HAS(message_of<Error>([&] { Module::from_buffer(image.data(), image.size()); }),
                   "cuModuleLoadDataEx failed: device kernel image is invalid - the image is truncated");
}

TEST_F(ModuleTest, FailureCarriesTheErrorLog) {
    const std::string broken =
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k() { nonsense.u32 %r1; }\n";
    JitLog log;
    const std::string message = message_of<Error>([&] { Module::from_buffer(broken.data(), broken.size(), {}, &log); });
    EXPECT_FALSE(log.success);
    EXPECT_FALSE(log.error.empty());
    EXPECT_HAS(message, "cuModuleLoadDataEx failed: ");
    EXPECT_HAS(message, log.error);
}

TEST_F(ModuleTest, SuccessFillsTheLogToo) {
    JitLog log;
    log.error = "old";
    Module::from_buffer(kernels, std::strlen(kernels), {{JitOption::OPTIMIZATION_LEVEL, 2}}, &log);
    EXPECT_TRUE(log.success);
    EXPECT_EQ(log.error, "");
}

TEST_F(ModuleTest, LogBuffersAreNoOptions) {
    EXPECT_THROW(Module::from_buffer(kernels, std::strlen(kernels), {{JitOption::INFO_LOG_BUFFER, 1}}),
                 std::invalid_argument);
}

TEST_F(ModuleTest, UnknownFunctionIsNamedWithThoseThereAre) {
    const std::string message = message_of<LogicError>([] { load()->get_function("saxpy"); });
    EXPECT_HAS(message, "cuModuleGetFunction failed: ");
    EXPECT_HAS(message, "no kernel 'saxpy'; the module has: ");
    for (const char* name : {"add", "gap", "by_value", "nothing", "fault"}) EXPECT_HAS(message, name);
    EXPECT_EQ(code_of<LogicError>([] { load()->get_function("saxpy"); }), CUDA_ERROR_NOT_FOUND);
}

TEST_F(ModuleTest, NamesItsKernels) {
    auto names = load()->function_names();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"add", "by_value", "fault", "gap", "nothing"}));
}

TEST_F(ModuleTest, GlobalsHaveAddressAndSize) {
    const auto module = load();
    const GlobalSymbol table = module->get_global("table");
    ASSERT_EQ(table.size, 16u);
    unsigned values[4] = {};
    memcpy_dtoh(values, sizeof values, table.pointer);
    EXPECT_EQ(values[3], 40u);
    EXPECT_HAS(message_of<LogicError>([&] { module->get_global("nowhere"); }), "no variable 'nowhere'");
}

TEST_F(ModuleTest, FunctionsKeepTheModuleAlive) {
    auto module = load();
    const Function function = module->get_function("nothing");
    const std::weak_ptr<Module> weak = module;
    module.reset();
    EXPECT_FALSE(weak.expired());
    function.launch({}, nullptr, 0);
    Context::synchronize();
}

TEST_F(ModuleTest, ClosedModuleMakesItsFunctionsUnusable) {
    const auto module = load();
    const Function function = module->get_function("nothing");
    module->close();
    module->close();
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(function.handle()); }), "module was closed");
    EXPECT_THROW(function.launch({}, nullptr, 0), LogicError);
    EXPECT_THROW(function.get_attribute(FunctionAttribute::NUM_REGS), LogicError);
    EXPECT_THROW(module->get_function("nothing"), LogicError);
    EXPECT_THROW(module->get_global("table"), LogicError);
}

TEST_F(ModuleTest, OfADeadContextIsUnusable) {
    const auto module = load();
    const Function function = module->get_function("nothing");
    context->detach();
    EXPECT_EQ(message_of<LogicError>([&] { function.launch({}, nullptr, 0); }),
              "module belongs to a context that is gone");
    EXPECT_THROW(function.get_attribute(FunctionAttribute::NUM_REGS), LogicError);
}

TEST_F(ModuleTest, IsAskedInItsOwnContext) {
    const auto module = load();
    const auto other = Device(0).make_context();
    EXPECT_EQ(module->get_function("add").get_attribute(FunctionAttribute::MAX_THREADS_PER_BLOCK) > 0, true);
    EXPECT_EQ(module->get_global("table").size, 16u);
    EXPECT_EQ(Context::current(), other);
    other->detach();
}

TEST_F(ModuleTest, IsUnloadedOnAnotherThread) {
    auto module = load();
    std::thread([taken = std::move(module)]() mutable { taken.reset(); }).join();
    EXPECT_EQ(live_handles("module"), 0);
}

}  // namespace
}  // namespace pycuda::test
