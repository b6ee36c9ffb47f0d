// Linking device code from several sources.
#include "compiler_fixture.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/modules/linker.hpp"

namespace pycuda::test {
namespace {

const std::string callee = "__device__ float twice(float x) { return 2 * x; }\n";
const std::string caller =
    "extern \"C\" __device__ float twice(float);\n__global__ void f(float *a) { *a = twice(*a); }\n";

class Linking : public CompilerTest {
protected:
    CompileRequest relocatable(const std::string& source, const std::string& target) {
        CompileRequest made = request(source);
        made.options = {"-rdc=true"};
        made.target = target;
        return made;
    }
};

TEST_F(Linking, LtoIrComesFromBothCompilers) {
    for (const char* backend : {"nvcc", "nvrtc"}) {
        CompileRequest made = request(callee, backend);
        made.target = "ltoir";
        const CompileResult result = compile(made);
        EXPECT_EQ(result.kind, "ltoir");
        EXPECT_GT(result.image.size(), 100u);
        EXPECT_FALSE(is_elf(result));
    }
}

TEST_F(Linking, NvJitLinkInlinesAcrossSources) {
    if (!has_nvjitlink()) GTEST_SKIP() << "nvJitLink is not installed";
    std::vector<LtoInput> inputs;
    for (const std::string& source : {callee, caller}) {
        CompileRequest made = request(source);
        made.target = "ltoir";
        inputs.push_back({compile(made).image, "ltoir", "part"});
    }
    const Bytes linked = link_lto(inputs, "sm_90");
    const std::string text(linked.begin(), linked.end());
    EXPECT_TRUE(
        text.starts_with("\x7f"
                         "ELF"));
    EXPECT_NE(text.find(".text.f"), std::string::npos);
    EXPECT_EQ(text.find("twice"), std::string::npos) << "the called function is inlined away";
    inputs.erase(inputs.begin());
    try {
        link_lto(inputs, "sm_90");
        FAIL() << "linked without 'twice'";
    } catch (const CompileError& error) {
        EXPECT_NE(error.stderr_text().find("twice"), std::string::npos) << error.what();
    }
    inputs[0].kind = "text";
    EXPECT_THROW(link_lto(inputs, "sm_90"), std::invalid_argument);
}

TEST_F(Linking, WithoutNvJitLinkTheErrorNamesThePackage) {
    set("PYCUDA_TOOLKIT", folder_ / "empty");
    EXPECT_FALSE(has_nvjitlink());
    try {
        link_lto({}, "sm_90");
        FAIL();
    } catch (const RuntimeError& error) {
        EXPECT_NE(std::string(error.what()).find("set CUDA_HOME to its folder"), std::string::npos);
    }
}

}  // namespace
}  // namespace pycuda::test
