// Compiling for the current device, and running the result.

#include <memory>
#include <thread>

#include "compiler_fixture.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/modules/linker.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/reports/report.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

class CompileForDevice : public CompilerTest {
protected:
    CompileForDevice() {
        init();
        context_ = Device(0).make_context();
    }
    ~CompileForDevice() override { context_->detach(); }

    static CompileRequest for_device(const std::string& source) {
        CompileRequest made = request(source);
        made.arch = "";
        return made;
    }
    /// The first int that kernel `name` of `image` writes.
    static int run(const Bytes& image, const std::string& name) {
        const auto module = Module::from_buffer(image.data(), image.size());
        const Function kernel = module->get_function(name);
        const DeviceAllocation memory(sizeof(int));
        const DevicePtr argument = memory.pointer();
        kernel.launch({}, &argument, sizeof argument);
        int result = 0;
        memcpy_dtoh(&result, sizeof result, memory.pointer());
        return result;
    }
    std::string device_arch(const char* prefix) const {
        const ComputeCapability capability = Device(0).compute_capability();
        return prefix + std::to_string(10 * capability.major + capability.minor);
    }
    std::shared_ptr<Context> context_;
};

const std::string answer = "__global__ void answer(int *out) { *out = 42; }\n";

TEST_F(CompileForDevice, ArchitectureIsTheDevicesOwn) {
    for (const char* backend : {"nvcc", "nvrtc"}) {
        CompileRequest made = for_device(answer);
        made.backend = backend;
        for (const char* target : {"", "cubin"}) {
            made.target = target;
            const CompileResult result = compile(made);
            EXPECT_EQ(result.kind, driver_info().is_cpu_device ? "ptx" : "cubin");
            EXPECT_TRUE(result.warnings.empty());
            EXPECT_EQ(run(result.image, "answer"), 42);
        }
        made.target = "ptx";
        EXPECT_EQ(run(compile(made).image, "answer"), 42);
    }
}

TEST_F(CompileForDevice, GivenArchitectureIsMadeLoadable) {
    CompileRequest made = for_device(answer);
    made.arch = device_arch("sm_");
    EXPECT_EQ(run(compile(made).image, "answer"), 42);
    made.arch = device_arch("compute_");
    EXPECT_EQ(run(compile(made).image, "answer"), 42);
}

TEST_F(CompileForDevice, TemplatesByTheirCxxNames) {
    CompileRequest made = for_device("template <int n> __global__ void constant(int *out) { *out = n; }\n");
    made.name_expressions = {"constant<3>", "constant<4>"};
    const CompileResult result = compile(made);
    EXPECT_EQ(run(result.image, result.lowered_names[0]), 3);
    EXPECT_EQ(run(result.image, result.lowered_names[1]), 4);
}

TEST_F(CompileForDevice, OldCompilerGivesPtxThatIsCachedUnderTheDevicesArchitecture) {
    set("PYCUDA_TOOLKIT", folder_ / "old");
    write_fake_nvcc("old/bin/nvcc", "10.2", "50 60");
    const CompileResult result = compile(for_device(answer));
    EXPECT_EQ(result.kind, "ptx");
    EXPECT_NE(text_of(result).find("-arch compute_60"), std::string::npos) << text_of(result);
    EXPECT_NE(text_of(result).find("--ptx"), std::string::npos);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("compute_60"), std::string::npos) << result.warnings[0];
    EXPECT_TRUE(compile(for_device(answer)).cached);
    EXPECT_TRUE(compile(for_device(answer + " ")).warnings.empty()) << "said once";
}

class CompileWithoutDevice : public CompilerTest {};

TEST_F(CompileWithoutDevice, OpensNoDriver) {
    // A fresh process: this one may have a driver already. Opening one of that name would raise.
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "nonsense");
            EXPECT_TRUE(is_elf(compile(request(answer))));
            EXPECT_THROW(init(), LogicError);
            fs::remove_all(folder_);  // finish() leaves without the fixture's clean-up
            finish();
        },
        "");
}

class LinkForDevice : public CompileForDevice {
protected:
    Bytes ptx(const std::string& source) {
        CompileRequest made = for_device(source);
        made.options = {"-rdc=true"};
        made.target = "ptx";
        return compile(made).image;
    }
    const std::string callee_ = "__device__ int twice(int x) { return 2 * x; }\n";
    const std::string caller_ =
        "extern __device__ int twice(int); __global__ void answer(int *out) { *out = twice(21); }\n";
};

TEST_F(LinkForDevice, PiecesBecomeOneModule) {
    Linker linker;
    const Bytes callee = ptx(callee_), caller = ptx(caller_);
    linker.add_data(callee.data(), callee.size(), JitInputType::PTX, "callee");
    linker.add_file(write("caller.ptx", std::string(caller.begin(), caller.end())), JitInputType::PTX);
    linker.add_library("cudadevrt");
    EXPECT_EQ(run(linker.complete(), "answer"), 42);
    EXPECT_TRUE(linker.log().success);
    EXPECT_THROW(linker.add_data(callee.data(), callee.size(), JitInputType::PTX), LogicError);
    EXPECT_THROW(linker.complete(), LogicError);
}

TEST_F(LinkForDevice, LtoIrIsOptimisedAtLinkTime) {
    if (!has_nvjitlink()) GTEST_SKIP() << "nvJitLink is not installed";
    Linker linker;
    CompileRequest made = for_device(callee_);
    made.target = "ltoir";
    const Bytes callee = compile(made).image;
    made.source = caller_;
    const Bytes caller = compile(made).image;
    linker.add_data(callee.data(), callee.size(), JitInputType::NVVM, "callee");
    linker.add_data(caller.data(), caller.size(), JitInputType::NVVM, "caller");
    const Bytes linked = linker.complete();
    EXPECT_EQ(run(linked, "answer"), 42);
    EXPECT_EQ(std::string(linked.begin(), linked.end()).find("twice"), std::string::npos) << "the call is gone";

    Linker lacking;
    lacking.add_data(caller.data(), caller.size(), JitInputType::NVVM, "caller");
    EXPECT_HAS(message_of<CompileError>([&] { lacking.complete(); }), "twice");
    EXPECT_HAS(lacking.log().error, "twice");
}

TEST_F(LinkForDevice, LtoIrCallsOtherCode) {
    if (!has_nvjitlink()) GTEST_SKIP() << "nvJitLink is not installed";
    CompileRequest made = for_device(caller_);
    made.target = "ltoir";
    const Bytes caller = compile(made).image, callee = ptx(callee_);
    Linker linker;
    linker.add_data(callee.data(), callee.size(), JitInputType::PTX, "callee");
    linker.add_data(caller.data(), caller.size(), JitInputType::NVVM, "caller");
    linker.add_library("cudadevrt");
    EXPECT_EQ(run(linker.complete(), "answer"), 42);
    EXPECT_TRUE(linker.log().success);
}

TEST_F(LinkForDevice, MayChangeThreads) {
    const Bytes callee = ptx(callee_), caller = ptx(caller_);
    for (int n = 0; n < 5; ++n) {
        auto linker = std::make_unique<Linker>();
        linker->add_data(callee.data(), callee.size(), JitInputType::PTX, "callee");
        std::thread([&] { linker.reset(); }).join();
    }
    Linker linker;
    std::thread([&] { linker.add_data(callee.data(), callee.size(), JitInputType::PTX, "callee"); }).join();
    linker.add_data(caller.data(), caller.size(), JitInputType::PTX, "caller");
    Bytes linked;
    std::thread([&] { linked = linker.complete(); }).join();
    EXPECT_EQ(run(linked, "answer"), 42);
}

TEST_F(LinkForDevice, MissingPieceIsNamed) {
    Linker linker;
    const Bytes caller = ptx(caller_);
    linker.add_data(caller.data(), caller.size(), JitInputType::PTX);
    EXPECT_HAS(message_of<Error>([&] { linker.complete(); }), "twice");
    EXPECT_HAS(linker.log().error, "twice");
    EXPECT_HAS(message_of<RuntimeError>([&] { linker.add_file("/no/such/file", JitInputType::PTX); }), "/no/such/file");
}

TEST(ReportTest, SaysThatKernelsRun) {
    const Report made = report("a test");
    EXPECT_TRUE(made.ok) << made.text;
    EXPECT_NE(made.text.find("a kernel can be compiled and run: yes"), std::string::npos);
    EXPECT_NE(made.json.find("\"language\": \"a test\""), std::string::npos);
    EXPECT_EQ(Context::current_or_null(), nullptr);
}

}  // namespace
}  // namespace pycuda::test
