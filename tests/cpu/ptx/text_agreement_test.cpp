// Whole texts, against ptxas: text that it refuses must not pass here and then fail on hardware.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "exec/image.hpp"
#include "exec/running/memory.hpp"
#include "ptx/ptx_text.hpp"

namespace {

struct Verdict {
    std::string text;
    bool taken;
};

/// Unlike for those of ptx_text, ptxas generates code for these.
std::string kernel_of(const std::string& body) {
    return ptx_text::module(
        ".visible .entry k() {\n.reg .b16 %rs<10>; .reg .b32 %r<10>; .reg .f32 %f<10>; "
        ".reg .b64 %rd<10>; .reg .f64 %fd<10>;\n" +
        body + "\nret;\n}\n");
}

std::string with_header(const std::string& version, const std::string& target) {
    return ".version " + version + "\n.target " + target + "\n.visible .entry k() { ret; }\n";
}

/// Whether ptxas accepts a file; empty where it crashes.
std::optional<bool> taken_by_assembler(const std::string& path) {
    const int status =
        std::system(("exec " PTX_ASSEMBLER " -arch=sm_90 -o /dev/null " + path + " >/dev/null 2>&1").c_str());
    if (!WIFEXITED(status)) return std::nullopt;
    return status == 0;
}

/// The verdict of ptxas where it is installed.
void expect_verdict(const Verdict& verdict) {
    EXPECT_EQ(ptx_text::error_of(verdict.text).empty(), verdict.taken) << verdict.text;
    if (!std::filesystem::exists(PTX_ASSEMBLER)) return;
    const std::string path = testing::TempDir() + "/text_agreement." + std::to_string(getpid()) + ".ptx";
    std::ofstream(path) << verdict.text;
    EXPECT_EQ(taken_by_assembler(path), verdict.taken) << "ptxas: " << verdict.text;
    std::filesystem::remove(path);
}

/// Empty when the file can be loaded, otherwise the message.
std::string load_error(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    cpu::exec::Memory memory;
    try {
        cpu::exec::Image::load(text.str(), memory);
        return "";
    } catch (const cpu::exec::LoadError& error) {
        return error.what();
    }
}

/// Files that a fuzzer damaged: both accept a file, or both refuse it.
TEST(PtxTextAgreement, OnDamagedFiles) {
    if (!std::filesystem::exists(PTX_ASSEMBLER)) GTEST_SKIP() << "no ptxas";
    int agreed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FUZZ_CORPUS_DIRECTORY)) {
        if (entry.path().extension() != ".ptx") continue;
        const auto taken = taken_by_assembler(entry.path());
        if (!taken) continue;
        const std::string error = load_error(entry.path());
        EXPECT_EQ(error.empty(), *taken) << entry.path() << " " << error;
        ++agreed;
    }
    EXPECT_GE(agreed, 89);
}

TEST(PtxTextAgreement, StatementsAreNotEmpty) {
    for (const char* body : {";", "mov.u32 %r1, 1;;", "{ mov.u32 %r1, 1; };", "L: ;", ".loc 1 1 1;", ".reg .u32 %x;;"})
        expect_verdict({kernel_of(body), false});
    for (const char* rest : {";\n.visible .entry k() { ret; }", ".visible .entry k() { ret; };", ".func f() { ; }"})
        expect_verdict({ptx_text::module(rest), false});
    expect_verdict({kernel_of(".pragma \"nounroll\"; { } L:"), true});
}

TEST(PtxTextAgreement, PartsInBracesAreBits) {
    for (const auto& [instruction, taken] : {std::pair("mov.b32 %r1, {%rs1, %rs2};", true),
                                             {"mov.b32 {%rs1, %rs2}, %r1;", true},
                                             {"mov.b64 %rd1, {%r1, %r2};", true},
                                             {"mov.u32 %r1, {%rs1, %rs2};", false},
                                             {"mov.s32 {%rs1, %rs2}, %r1;", false},
                                             {"mov.f32 %f1, {%rs1, %rs2};", false},
                                             {"mov.u64 %rd1, {%r1, %r2};", false},
                                             {"mov.f64 %fd1, {%r1, %r2};", false}})
        expect_verdict({kernel_of(instruction), taken});
}

TEST(PtxTextAgreement, KernelsHaveParametersInMemory) {
    expect_verdict({ptx_text::module(".visible .entry k(.reg .u64 q) { ret; }"), false});
    expect_verdict({ptx_text::module(".func f(.reg .u64 q) { ret; }"), true});
}

TEST(PtxTextAgreement, CallersOfInlinedCodeHavePositions) {
    const auto module = [](const std::string& positions) {
        return ptx_text::module(".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.visible .entry k() {\n" + positions +
                                "\nret;\n}\n.section .debug_str { L: .b8 0 }\n");
    };
    for (const auto& [positions, taken] :
         {std::pair(".loc 1 3 3\n.loc 2 1 1, function_name L, inlined_at 1 3 3", true),
          {".loc 1 3 3\n.loc 2 1 1, function_name L+4, inlined_at 1 3 3\n.loc 2 2 2, function_name L, inlined_at 2 1 1",
           true},
          {".loc 1 3 3\n.loc 1 3 3, function_name L, inlined_at 1 3 3", true},
          {".loc 1 3 4\n.loc 2 1 1, function_name L, inlined_at 1 3 3", false},
          {".loc 1 3 3, function_name L, inlined_at 1 3 3", false},
          {".loc 2 1 1, function_name L, inlined_at 1 3 3\n.loc 1 3 3", false},
          {".loc 1 3 3\n.loc 2 1 1, inlined_at 1 3 3, function_name L", false},
          {".loc 1 3 3\n.loc 2 1 1, inlined_at 1 3 3", false},
          {".loc 1 3 3\n.loc 2 1 1, function_name L", false},
          {".file 3 \"c.cu\"", false}})
        expect_verdict({module(positions), taken});
}

TEST(PtxTextAgreement, FilesAndPositionsHaveTheirPlaces) {
    for (const auto& [start, taken] : {std::pair(".file 1 \"a.cu\", 12, 34", true),
                                       {".file 1 \"a.cu\", 12", true},
                                       {".file 1 \"a.cu\"\n.file 1 \"b.cu\"", false},
                                       {".file 1 \"a.cu\"\n.loc 1 3 3", false}})
        expect_verdict({ptx_text::module(std::string(start) + "\n.visible .entry k() { ret; }\n"), taken});
}

TEST(PtxTextAgreement, PragmasAreStrings) {
    for (const auto& [pragma, taken] : {std::pair(".pragma \"nounroll\", \"unknown\";", true),
                                        {".pragma \"nounroll\" \"unknown\";", false},
                                        {".pragma \"nounroll\",;", false},
                                        {".pragma ;", false}})
        expect_verdict({kernel_of(pragma), taken});
    for (const auto& [pragma, taken] : {std::pair(".pragma \"nounroll\";", true), {".pragma \"unknown\";", false}})
        expect_verdict({ptx_text::module(std::string(pragma) + "\n.visible .entry k() { ret; }\n"), taken});
}

TEST(PtxTextAgreement, BlanksStandBeforeModifiers) {
    for (const auto& [instruction, taken] : {std::pair("mad .lo.s32 %r1, %r2, %r3, %r4;", false),
                                             {"mad/**/.lo.s32 %r1, %r2, %r3, %r4;", false},
                                             {"mad.lo\n.s32 %r1, %r2, %r3, %r4;", true},
                                             {"add .f32 %f1, %f2, %f3;", true},
                                             {"vote .sync .ballot .b32 %r1, 1, %r2;", true}})
        expect_verdict({kernel_of(instruction), taken});
}

TEST(PtxTextAgreement, TextIsAscii) {
    for (const char* body : {"// gr\xc3\xb6\xc3\x9f"
                             "e",
                             "/* \xe2\x82\xac */", ".pragma \"\xc3\xb6\";"})
        expect_verdict({kernel_of(body), false});
}

TEST(PtxTextAgreement, NumbersEndBeforeWords) {
    for (const auto& [instruction, taken] : {std::pair("mov.f32 %f1, .5;", true),
                                             {"mov.f32 %f1, 4.;", true},
                                             {"mov.f32 %f1, 1.e3;", true},
                                             {"mov.f32 %f1, .5e-1;", true},
                                             {"mov.f32 %f1, -.5;", true},
                                             {".shared .align 4.b8 x[4];", false}})
        expect_verdict({kernel_of(instruction), taken});
    expect_verdict({".version 8.0.target sm_90\n.visible .entry k() { ret; }", true});
    expect_verdict({".version 8.0\n.target sm_90\n.address_size 64.visible .entry k() { ret; }", false});
}

TEST(PtxTextAgreement, VersionsAndTargetsExist) {
    for (int tenths = 10; tenths <= 90; ++tenths) {
        const std::string target = tenths < 20 ? "sm_10" : tenths < 40 ? "sm_20" : tenths < 78 ? "sm_50" : "sm_90";
        const int digit = tenths % 10, whole = tenths / 10;
        constexpr int last[] = {0, 5, 3, 2, 3, 1, 5, 8, 8, 0};
        expect_verdict({with_header(std::to_string(whole) + "." + std::to_string(digit), target),
                        digit <= last[whole] && tenths != 79});
    }
    for (const auto& [target, taken] : {std::pair("sm_50", true),
                                        {"sm_75", true},
                                        {"sm_89", true},
                                        {"sm_90", true},
                                        {"compute_90", true},
                                        {"sm_51", false},
                                        {"sm_33", false},
                                        {"sm_85", false},
                                        {"sm_foo", false},
                                        {"compute_", false},
                                        {"compute_sversion", false}})
        expect_verdict({with_header("8.0", target), taken});
}

}  // namespace
