#include <gtest/gtest.h>

#include "ptx/ptx_text.hpp"

using namespace cpu::ptx;
using ptx_text::error_of;

namespace {

/// The kernel `k` of ptx_text with the given body.
struct Parsed {
    explicit Parsed(std::string_view body) : module(parse(ptx_text::kernel(body))), function(*module.function("k")) {}
    const Instruction& instruction(std::size_t i) const { return function.instructions[i]; }
    const Operand& operand(std::size_t i, std::size_t n) const {
        return function.operands_of(function.instructions[i])[n];
    }
    const Register& reg(const Operand& operand) const { return function.registers[operand.index]; }

    Program module;
    const Function& function;
};

TEST(PtxInstruction, SeparatesOpcodeModifiersAndTypes) {
    const Parsed p(
        "cvt.rni.ftz.sat.s32.f32 %r1, %f2; ld.volatile.shared.v2.u32 {%r1, %r2}, [s+8];"
        "atom.acq_rel.gpu.global.cas.b64 %rd1, [%rd2], %rd3, %rd4; shf.l.wrap.b32 %r1, %r2, %r3, 4;");
    const Instruction& cvt = p.instruction(0);
    EXPECT_EQ(cvt.opcode, Opcode::Cvt);
    EXPECT_EQ(cvt.modifiers.rounding, Rounding::Rni);
    EXPECT_TRUE(cvt.modifiers.has(Flag::Ftz));
    EXPECT_TRUE(cvt.modifiers.has(Flag::Sat));
    EXPECT_EQ(cvt.types[0], Type::S32);
    EXPECT_EQ(cvt.types[1], Type::F32);
    const Instruction& ld = p.instruction(1);
    EXPECT_EQ(ld.modifiers.semantics, Semantics::Volatile);
    EXPECT_EQ(ld.modifiers.space, Space::Shared);
    EXPECT_EQ(ld.modifiers.lanes(), 2u);
    EXPECT_EQ(p.operand(1, 1).kind, OperandKind::MemoryVariable);
    EXPECT_EQ(p.operand(1, 1).offset(), 8);
    const Instruction& atom = p.instruction(2);
    EXPECT_EQ(atom.modifiers.operation, Operation::Cas);
    EXPECT_EQ(atom.modifiers.semantics, Semantics::AcqRel);
    EXPECT_EQ(atom.modifiers.scope, Scope::Gpu);
    EXPECT_EQ(p.instruction(3).opcode, Opcode::ShfL);
    EXPECT_EQ(p.instruction(3).modifiers.funnel, Funnel::Wrap);
}

TEST(PtxInstruction, ReadsAnAmbiguousWordByItsOpcode) {
    const Parsed p(
        "mul.lo.s32 %r1, %r2, %r3; setp.lo.u32 %p1, %r1, %r2; setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;"
        "setp.nan.f32 %p1, %f1, %f2; min.NaN.f32 %f1, %f2, %f3; vote.sync.uni.pred %p1, %p2, -1; bra.uni X; X:");
    EXPECT_EQ(p.instruction(0).modifiers.half, Half::Lo);
    EXPECT_EQ(p.instruction(1).modifiers.compare, Compare::Lo);
    EXPECT_EQ(p.instruction(2).modifiers.operation, Operation::And);
    EXPECT_TRUE(p.instruction(2).paired);
    EXPECT_TRUE(p.operand(2, 4).negated);
    EXPECT_EQ(p.instruction(3).modifiers.compare, Compare::Nan);
    EXPECT_TRUE(p.instruction(4).modifiers.has(Flag::Nan));
    EXPECT_EQ(p.instruction(5).modifiers.vote, Vote::Uni);
    EXPECT_TRUE(p.instruction(6).modifiers.has(Flag::Uni));
}

TEST(PtxInstruction, LetsWordsOfTheMnemonicStandApart) {
    const Parsed p("vote.any.sync.pred %p1, %p2, -1; barrier.sync.aligned 0; bar.cta.sync 1;");
    EXPECT_EQ(p.instruction(0).opcode, Opcode::VoteSync);
    EXPECT_EQ(p.instruction(0).modifiers.vote, Vote::Any);
    EXPECT_EQ(p.instruction(1).opcode, Opcode::BarSync);
    EXPECT_EQ(p.instruction(2).opcode, Opcode::BarSync);
}

TEST(PtxInstruction, GivesEachOperandTheTypeInWhichItIsRead) {
    const Parsed p(
        "mul.wide.s32 %rd1, %r2, -4; shl.b64 %rd1, %rd2, 3; mov.b64 {%r1, %r2}, %rd3; popc.b64 %r1, %rd1;"
        "dp4a.u32.s32 %r1, %r2, %r3, %r4;");
    EXPECT_EQ(p.operand(0, 0).type, Type::S64);
    EXPECT_EQ(p.operand(0, 2).type, Type::S32);
    EXPECT_EQ(p.operand(0, 2).bits, 0xfffffffcu);
    EXPECT_EQ(p.operand(1, 2).type, Type::U32);
    EXPECT_EQ(p.operand(2, 0).kind, OperandKind::Vector);
    EXPECT_EQ(p.operand(2, 0).type, Type::B32);
    EXPECT_EQ(p.function.elements_of(p.operand(2, 0)).size(), 2u);
    EXPECT_EQ(p.operand(3, 0).type, Type::U32);
    EXPECT_EQ(p.operand(4, 0).type, Type::S32);
}

TEST(PtxInstruction, EncodesConstantsInTheTypeOfTheirSlot) {
    const Parsed p(
        "add.f32 %f1, %f2, 1.5; add.f64 %fd1, %fd2, 0f3F800000; add.f32 %f1, %f2, 0d3FF8000000000000;"
        "mov.u16 %rs1, -1; mov.b32 %r1, 0f40000000; mov.pred %p1, -1; add.s32 %r1, %r2, 5000000000;"
        "setp.lt.f32 %p1, %f1, -2.0;");
    EXPECT_EQ(p.operand(0, 2).bits, 0x3fc00000u);
    EXPECT_EQ(p.operand(1, 2).bits, 0x3ff0000000000000u);
    EXPECT_EQ(p.operand(2, 2).bits, 0x3fc00000u);
    EXPECT_EQ(p.operand(3, 1).bits, 0xffffu);
    EXPECT_EQ(p.operand(4, 1).bits, 0x40000000u);
    EXPECT_EQ(p.operand(5, 1).bits, 1u);
    EXPECT_EQ(p.operand(6, 2).bits, 705032704u);
    EXPECT_EQ(p.operand(7, 2).bits, 0xc0000000u);
}

TEST(PtxInstruction, ReadsAddresses) {
    const Parsed p(
        "ld.global.u32 %r1, [%rd1+-16]; ld.param.u64 %rd1, [p0]; mov.u64 %rd1, g+12; mov.u32 %r1, %tid.y;"
        "st.shared.u32 [128], %r1; mov.u64 %rd1, f; ld.const.u32 %r1, [c+4];");
    EXPECT_EQ(p.operand(0, 1).kind, OperandKind::Memory);
    EXPECT_EQ(p.operand(0, 1).offset(), -16);
    EXPECT_EQ(p.module.variables[p.operand(1, 1).index].name, "p0");
    EXPECT_EQ(p.operand(2, 1).kind, OperandKind::Address);
    EXPECT_EQ(p.operand(2, 1).offset(), 12);
    EXPECT_EQ(p.operand(3, 1).special(), SpecialRegister::TidY);
    EXPECT_EQ(p.operand(4, 0).kind, OperandKind::MemoryAbsolute);
    EXPECT_EQ(p.operand(4, 0).bits, 128u);
    EXPECT_EQ(p.operand(5, 1).kind, OperandKind::FunctionAddress);
    EXPECT_EQ(p.module.functions[p.operand(5, 1).index].name, "f");
}

TEST(PtxInstruction, FlattensTextureAddresses) {
    const Parsed p(
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];"
        "tex.level.2d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%rd1, %rd2, {%f5, %f6}], %f7;"
        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}]; txq.width.b32 %r1, [%rd1];"
        "sust.b.2d.v2.b32.clamp [%rd1, {%r1, %r2}], {%r3, %r4};");
    ASSERT_EQ(p.instruction(0).operand_count, 3u);
    EXPECT_FALSE(p.instruction(0).separate_sampler);
    EXPECT_EQ(p.operand(0, 1).kind, OperandKind::Register);
    EXPECT_EQ(p.operand(0, 2).count, 2u);
    EXPECT_TRUE(p.instruction(1).separate_sampler);
    EXPECT_EQ(p.instruction(1).operand_count, 5u);
    EXPECT_EQ(p.operand(1, 4).type, Type::F32);
    EXPECT_EQ(p.operand(2, 2).kind, OperandKind::Register);
    EXPECT_EQ(p.operand(2, 2).type, Type::S32);
    EXPECT_EQ(p.operand(3, 1).kind, OperandKind::Register);
    EXPECT_EQ(p.instruction(4).modifiers.border, Border::Clamp);
}

TEST(PtxInstruction, ResolvesNestedScopesOfRegisters) {
    const Parsed p(
        "mov.u32 %r1, 1; { .reg .b32 %r<2>; .reg .b32 t; mov.u32 %r1, 2; mov.u32 %r3, 3; mov.u32 t, 4; }"
        "{ .reg .b32 t; mov.u32 t, 5; } mov.u32 %r1, 6;");
    const auto id = [&](std::size_t i) { return p.operand(i, 0).index; };
    EXPECT_NE(id(0), id(1));
    EXPECT_EQ(id(0), id(5));
    EXPECT_NE(id(3), id(4));
    EXPECT_EQ(p.function.registers.size(), 5u);  // only what is used has an id
    EXPECT_NE(error_of(ptx_text::kernel("{ .reg .b32 t; } mov.u32 t, 1;")), "");
    EXPECT_NE(error_of(ptx_text::kernel("mov.u32 %r10, 1;")), "");
    EXPECT_NE(error_of(ptx_text::kernel("mov.u32 %r01, 1;")), "");
}

TEST(PtxInstruction, ResolvesLabelsByScope) {
    const Parsed p("bra OUT; { bra IN; IN: bra OUT; } { bra IN; exit; IN: bra OUT; } OUT: exit;");
    const auto target = [&](std::size_t i) { return p.function.labels[p.operand(i, 0).index].target; };
    EXPECT_EQ(target(0), 6u);
    EXPECT_EQ(target(1), 2u);
    EXPECT_EQ(target(2), 6u);
    EXPECT_EQ(target(3), 5u);
    EXPECT_EQ(target(5), 6u);
    EXPECT_EQ(p.function.labels.size(), 3u);
    int line = 0;
    EXPECT_NE(error_of(ptx_text::kernel("\n\nbra NOWHERE;"), &line), "");
    EXPECT_EQ(line, 15);
    EXPECT_NE(error_of(ptx_text::kernel("A: A: ret;")), "");
    EXPECT_NE(error_of(ptx_text::kernel("{ IN: ret; } bra IN;")), "");
}

TEST(PtxInstruction, ReadsBranchTables) {
    const Parsed p("T: .branchtargets A, B, A; @%p1 brx.idx %r1, T; A: ret; B: exit;");
    EXPECT_EQ(p.instruction(0).opcode, Opcode::BrxIdx);
    ASSERT_EQ(p.function.branch_tables.size(), 1u);
    const auto& labels = p.function.branch_tables[0].labels;
    ASSERT_EQ(labels.size(), 3u);
    EXPECT_EQ(labels[0], labels[2]);
    EXPECT_EQ(p.function.labels[labels[1]].target, 2u);
}

TEST(PtxInstruction, ReadsCalls) {
    const Parsed p(R"({ .param .b64 a; .param .align 4 .b8 b[8]; .param .b32 r;
        st.param.b64 [a], %rd1; call.uni (r), f, (a, b); ld.param.b32 %r1, [r]; }
        { .param .b64 a; .param .b32 r; proto: .callprototype (.param .b32 _) _ (.param .b64 _);
        call (r), %rd1, (a), proto; })");
    ASSERT_EQ(p.function.calls.size(), 2u);
    EXPECT_EQ(p.function.calls[0].callee.kind, OperandKind::FunctionAddress);
    EXPECT_EQ(p.function.calls[0].arguments.size(), 2u);
    EXPECT_EQ(p.function.calls[1].callee.kind, OperandKind::Register);
    EXPECT_EQ(p.function.prototypes[p.function.calls[1].prototype].parameters[0].size(), 8u);
}

TEST(PtxInstruction, ChecksCallsAgainstTheCallee) {
    const std::string open = "{ .param .b64 a; .param .b32 small; .param .align 4 .b8 b[8]; .param .b32 r; ";
    for (const char* call :
         {"call (r), f, (a);", "call f, (a, b);", "call (r), f, (small, b);", "call (a), f, (a, b);",
          "call (r), k, (a, b);", "call (r), %rd1, (a, b);", "call (r), f, (a, %p1);", "call (r), g, (a);"})
        EXPECT_NE(error_of(ptx_text::kernel(open + call + "}")), "") << call;
    EXPECT_EQ(error_of(ptx_text::kernel(open + "call (r), f, (a, b); }")), "");
}

TEST(PtxInstruction, ReadsConstantArgumentsOfAnyCall) {
    const Program module = parse(ptx_text::module(R"(
        .func f(.param .b32 x) { ret; }
        .func g(.param .b32 y) { ret; }
        .entry caller() { .reg .b64 %rd<3>; .reg .b32 %r<3>;
            list: .calltargets f, g;
            call %rd1, (7), list; call f, (0x100000001); call g, (%r1); ret; })"));
    const Function& caller = *module.function("caller");
    EXPECT_EQ(caller.target_lists[caller.calls[0].target_list].size(), 2u);
    EXPECT_EQ(caller.calls[0].arguments[0].bits, 7u);
    EXPECT_EQ(caller.calls[1].arguments[0].bits, 1u);
    EXPECT_EQ(caller.calls[2].arguments[0].kind, OperandKind::Register);
}

TEST(PtxInstruction, LeavesItsParametersAlone) {
    EXPECT_NE(error_of(ptx_text::kernel("st.param.u32 [p1], %r1;")), "");
    EXPECT_EQ(error_of(ptx_text::kernel("{ .param .b32 p1; st.param.b32 [p1], %r1; }")), "");
}

TEST(PtxInstruction, KeepsGuardsLinesAndSourceLocations) {
    const Parsed p(
        "\n@!%p3 add.s32 %r1, %r2, %r3;\n.loc 1 42 7\nadd.s32 %r1, %r2, %r3;\n"
        ".loc 1 43 8, function_name $L__info0+4, inlined_at 1 42 7\nret;");
    EXPECT_TRUE(p.instruction(0).guard_negated);
    EXPECT_EQ(p.function.registers[p.instruction(0).guard].name, "%p3");
    EXPECT_EQ(p.instruction(0).location, none);
    EXPECT_EQ(p.instruction(1).line, p.instruction(0).line + 2);
    EXPECT_EQ(p.module.locations[p.instruction(1).location].line, 42u);
    EXPECT_EQ(p.module.locations[p.instruction(2).location].column, 8u);
}

TEST(PtxInstruction, ReadsVectorRegistersOfOldPtx) {
    const Parsed p(".reg .v4 .f32 %v; ld.global.v4.f32 %v, [%rd1]; add.f32 %f1, %v.x, %v.w;");
    EXPECT_EQ(p.operand(0, 0).kind, OperandKind::Vector);
    EXPECT_EQ(p.reg(p.operand(1, 2)).name, "%v.w");
}

}  // namespace
