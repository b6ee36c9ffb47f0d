#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "files/ptx_file.hpp"
#include "files/short_text.hpp"
#include "ptx/grammar.hpp"
#include "ptx/ptx_text.hpp"

using namespace cpu::ptx;
using ptx_text::error_of;
using ptx_text::kernel;

namespace {

/// Instructions, some with alternatives, each tried with ptxas 13.0 for sm_90 when it was written down.
void for_each_line(const char* file, void (*check)(const std::string& line)) {
    std::ifstream lines(std::string(PTX_TEST_DIRECTORY) + "/" + file);
    ASSERT_TRUE(lines) << file;
    int count = 0;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line[0] != '#')
            for (const std::string& instruction : short_text::alternatives(line)) check(instruction), ++count;
    EXPECT_GT(count, 20) << file;
}

TEST(PtxVerify, AcceptsWhatTheAssemblerAccepts) {
    for_each_line("accepted.txt", [](const std::string& line) { EXPECT_EQ(error_of(kernel(line)), "") << line; });
}

TEST(PtxVerify, RefusesWhatTheAssemblerRefuses) {
    for_each_line("refused.txt", [](const std::string& line) { EXPECT_NE(error_of(kernel(line)), "") << line; });
}

TEST(PtxVerify, NamesTheInstructionAndItsLine) {
    int line = 0;
    const std::string message = error_of(kernel("\n\nadd.sat.f64 %fd1, %fd2, %fd3;"), &line);
    EXPECT_NE(message.find("add.sat.f64"), std::string::npos) << message;
    EXPECT_EQ(line, 15);
    EXPECT_NE(error_of(kernel("frobnicate.u32 %r1;")).find("frobnicate.u32"), std::string::npos);
    EXPECT_NE(error_of(kernel("add.bogus.s32 %r1, %r2, %r3;")).find(".bogus"), std::string::npos);
}

TEST(PtxVerify, TellsWhatIsNotSupportedFromWhatIsWrong) {
    for (const char* text :
         {"mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r3, 0;",
          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1}, {%r1}, {%r2}, {%f2};",
          "wgmma.fence.sync.aligned;", "multimem.red.relaxed.gpu.global.add.u32 [%rd1], %r1;",
          "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd1, {%r1, %r2, %r3}], {%rs1};",
          "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {%r1, %r2, %r3, %r4, %r5}], "
          "[%r6];",
          "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd1, {%r1}], [%r2];",
          "fence.proxy.tensormap::generic.release.gpu;", "tcgen05.fence::before_thread_sync;"}) {
        try {
            parse(kernel(text));
            ADD_FAILURE() << text;
        } catch (const SyntaxError& error) {
            EXPECT_EQ(error.reason(), SyntaxError::Reason::Unsupported) << text;
            EXPECT_EQ(error.line(), 13) << text;
        }
    }
}

/// A new instruction is one row, one function and one .ptx file. Instructions that no such file can test are listed
/// here.
TEST(PtxGrammar, EveryOpcodeHasAnExecutableTest) {
    std::set<Opcode> shown = {
        Opcode::Trap,
        Opcode::Brkpt,  // end the program
        Opcode::Vote,
        Opcode::Shfl,  // older targets only
        Opcode::Tex,
        Opcode::Tld4,  // need a texture
        Opcode::Txq,
        Opcode::Istypep,  // and
        Opcode::SuldB,
        Opcode::SustB,  // a surface
        Opcode::CpAsyncBulkTensor,
        Opcode::CpAsyncBulkPrefetchTensor,  // a tensor map
        Opcode::SustP,
        Opcode::SuredB,
        Opcode::SuredP,
        Opcode::Suq,
        Opcode::CreatePolicyRange,
        Opcode::CreatePolicyCvt,
    };
    for (const auto& entry : std::filesystem::directory_iterator(INSTRUCTIONS_DIRECTORY))
        for (const Function& function : parse(ptx_file::read(entry.path()).text).functions)
            for (const Instruction& instruction : function.instructions) shown.insert(instruction.opcode);
    for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::Count); ++i)
        EXPECT_TRUE(shown.count(static_cast<Opcode>(i))) << name(static_cast<Opcode>(i));
}

TEST(PtxGrammar, EveryOpcodeHasAForm) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::Count); ++i)
        EXPECT_FALSE(grammar().forms(static_cast<Opcode>(i)).forms.empty()) << name(static_cast<Opcode>(i));
}

}  // namespace
