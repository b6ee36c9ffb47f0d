// Modules that no device of the architecture could run: ptxas, the oracle where there is one, refuses the same.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "exec/exec_test.hpp"

namespace {

using namespace cpu::exec;

struct Case {
    std::string name;
    std::string text;
    std::string complaint;  ///< part of it; empty: it can be loaded
};

std::string module(const std::string& declarations, const std::string& parameters, const std::string& directives,
                   const std::string& body, const std::string& version = "8.7") {
    return ".version " + version + "\n.target sm_90\n.address_size 64\n" + declarations + "\n.visible .entry k(" +
           parameters + ") " + directives + " {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n" + body + "\nret;\n}\n";
}

Case shared(unsigned bytes, const std::string& complaint) {
    const std::string array = ".shared .align 4 .b8 s[" + std::to_string(bytes) + "];";
    return {"shared " + std::to_string(bytes), module(array, "", "", "mov.u64 %rd1, s; st.shared.u32 [%rd1], %r1;"),
            complaint};
}

Case parameter(unsigned bytes, const std::string& version, const std::string& complaint) {
    return {"parameter " + std::to_string(bytes) + " of PTX " + version,
            module("", ".param .align 4 .b8 p[" + std::to_string(bytes) + "]", "", "", version), complaint};
}

Case directives(const std::string& text, const std::string& complaint) {
    return {text, module("", "", text, ""), complaint};
}

Case declaration(const std::string& text, const std::string& complaint) {
    return {text, module(text, "", "", ""), complaint};
}

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        shared(48 << 10, ""),
        shared((48 << 10) + 4, "Entry function 'k' uses too much shared data (0xc004 bytes, 0xc000 max)"),
        shared(1u << 30, "too much shared data"),
        {"shared of a callee",
         module(".shared .align 4 .b8 a[40000]; .shared .align 4 .b8 b[40000];\n"
                ".func f() { .reg .b32 %r1; ld.shared.u32 %r1, [a]; st.shared.u32 [a+4], %r1; ret; }",
                "", "", "call f; ld.shared.u32 %r1, [b]; st.shared.u32 [b+4], %r1;"),
         "uses too much shared data"},
        declaration(".shared .align 4 .b8 unused[50000];", ""),
        declaration(".const .align 4 .b8 c[65536];", ""),
        declaration(".const .align 4 .b8 c[65540];",
                    "File uses too much global constant data (0x10004 bytes, 0x10000 max)"),
        declaration(".visible .const .b8 c[40000]; .visible .const .b8 d[40000];", "global constant data"),
        declaration(".visible .const .b8 c[65533]; .visible .const .u32 d;", "(0x10004 bytes"),
        declaration(".extern .global .u32 v;", ""),
        declaration(".extern .const .u32 v;", ""),
        declaration(".extern .global .u32 v; .visible .global .u64 p = generic(v);", ""),
        declaration(".extern .global .u32 v[];", "unresolved extern variable v"),
        parameter(4352, "8.0", ""),
        parameter(4356, "8.0", "take 4356 bytes, more than the 4352 that PTX 8.0 has"),
        parameter(32764, "8.1", ""),
        parameter(32768, "8.1", "more than the 32764"),
        directives(".maxntid 1024", ""),
        directives(".maxntid 32, 32, 2", ""),
        directives(".maxntid 0", "'.maxntid' must not be 0"),
        directives(".reqntid 8, 0", "'.reqntid' must not be 0"),
        directives(".maxntid 32 .reqntid 32", "exclude each other"),
        directives(".maxntid 32 .minnctapersm 0", "'.minnctapersm' must not be 0"),
        directives(".maxnreg 0", "'.maxnreg' must not be 0"),
        directives(".maxnreg 300", ""),
    };
    return all;
}

std::string complaint_about(const std::string& text) {
    Memory memory;
    try {
        Image::load(text, memory);
        return "";
    } catch (const LoadError& error) {
        EXPECT_EQ(CUDA_ERROR_INVALID_PTX, error.code()) << error.what();
        return error.what();
    }
}

TEST(ArchitectureLimits, AreThoseOfTheTable) {
    for (const Case& c : cases()) {
        const std::string complaint = complaint_about(c.text);
        EXPECT_EQ(c.complaint.empty(), complaint.empty()) << c.name << ": " << complaint;
        EXPECT_NE(complaint.npos, complaint.find(c.complaint)) << c.name << ": " << complaint;
    }
}

TEST(ArchitectureLimits, AreThoseOfTheAssembler) {
    if (!std::filesystem::exists(PTX_ASSEMBLER)) GTEST_SKIP() << "no ptxas";
    const std::string path = testing::TempDir() + "architecture_limits.ptx";
    for (const Case& c : cases()) {
        std::ofstream(path) << c.text;
        const int status =
            std::system((PTX_ASSEMBLER " -arch=sm_90 -o /dev/null " + path + " >/dev/null 2>&1").c_str());
        EXPECT_EQ(c.complaint.empty(), status == 0) << c.name;
    }
    std::filesystem::remove(path);
}

std::uint32_t registers(const std::string& directives, const std::string& pragma = "") {
    Memory memory;
    std::string names, loads, stores;
    for (int n = 0; n < 200; ++n) {
        const std::string x = "%x" + std::to_string(n), at = "[%rd1+" + std::to_string(4 * n) + "]";
        names += (n ? ", " : ".reg .b32 ") + x;
        loads += "ld.volatile.global.u32 " + x + ", " + at + ";\n";
        stores += "st.volatile.global.u32 " + at + ", " + x + ";\n";
    }
    const std::string body = names + ";\nld.param.u64 %rd1, [p];\n" + loads + stores;
    const auto image = Image::load(module("", ".param .u64 p", directives, body) + pragma, memory);
    return info(*image->kernel("k")).registers;
}

TEST(ArchitectureLimits, RegistersAreNoMoreThanTheCodeAllows) {
    EXPECT_GE(registers(""), 200u);
    EXPECT_EQ(64u, registers(".maxntid 1024"));
    EXPECT_EQ(64u, registers(".reqntid 32, 32"));
    EXPECT_EQ(40u, registers(".maxnreg 40"));
    EXPECT_EQ(128u, registers(".maxnreg 128 .maxntid 1024"));
    EXPECT_EQ(24u, registers(".maxnreg 3"));
    EXPECT_EQ(32u, registers(".maxnreg 128", ".pragma \"pycuda: registers 32\";"));
}

}  // namespace
