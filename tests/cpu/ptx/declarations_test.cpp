#include <gtest/gtest.h>

#include <algorithm>

#include "ptx/ptx_text.hpp"

using namespace cpu::ptx;
using ptx_text::error_of;

namespace {

Program parse_module(std::string_view rest) {
    return parse(ptx_text::module(rest));
}

TEST(PtxModule, ReadsVersionTargetAndAddressSize) {
    const Program module = parse(".version 7.8 .target sm_90a, debug, texmode_independent .address_size 64");
    EXPECT_EQ(module.version, 78);
    EXPECT_EQ(module.target, 90);
    EXPECT_EQ(module.target_name, "sm_90a");
    EXPECT_TRUE(module.debug);
    EXPECT_TRUE(module.independent_textures);
}

TEST(PtxModule, RefusesABadHeader) {
    EXPECT_NE(error_of(""), "");
    EXPECT_NE(error_of(".target sm_90"), "");
    EXPECT_NE(error_of(".version 8 .target sm_90"), "");
    EXPECT_NE(error_of(".version 8.0 .target gfx90"), "");
    EXPECT_NE(error_of(".version 8.0 .target sm_90 .address_size 32"), "");
    EXPECT_NE(error_of(ptx_text::module(".bogus")), "");
    EXPECT_NE(error_of(ptx_text::module("add.s32")), "");
}

TEST(PtxVariable, KeepsSpaceTypeAlignmentAndSize) {
    const Program module = parse_module(R"(
        .visible .global .align 16 .b8 bytes[4][8];
        .const .f64 pi = 0d400921FB54442D18;
        .global .v4 .f32 quad;
        .extern .shared .align 128 .b8 dynamic[];
        .global .attribute(.managed) .align 4 .u32 shared_with_host = 7;
        .weak .global .texref texture;)");
    ASSERT_EQ(module.variables.size(), 6u);
    const Variable& bytes = *module.variable("bytes");
    EXPECT_EQ(bytes.space, Space::Global);
    EXPECT_EQ(bytes.linkage, Linkage::Visible);
    EXPECT_EQ(bytes.alignment, 16u);
    EXPECT_EQ(bytes.size(), 32u);
    EXPECT_EQ(module.variable("pi")->size(), 8u);
    EXPECT_EQ(module.variable("pi")->alignment, 8u);
    EXPECT_EQ(module.variable("quad")->size(), 16u);
    EXPECT_EQ(module.variable("quad")->alignment, 16u);
    EXPECT_TRUE(module.variable("dynamic")->unsized);
    EXPECT_EQ(module.variable("dynamic")->alignment, 128u);
    EXPECT_TRUE(module.variable("shared_with_host")->managed);
    EXPECT_EQ(module.variable("texture")->type, Type::Texref);
}

TEST(PtxVariable, StoresInitialValuesInMemoryOrder) {
    const Program module = parse_module(R"(
        .global .u32 one = 0x01020304;
        .global .b8 some[6] = {1, 2, 255, -1};
        .global .f32 floats[2] = {0f3F800000, 2.0};
        .global .s16 rows[2][3] = {{1, 2}, {4, 5, 6}};
        .global .u16 counted[] = {7, 8, 9};
        .global .v2 .u8 pairs[2] = {{1, 2}, {3, 4}};
        .global .f64 whole = 3;)");
    EXPECT_EQ(module.variable("one")->data, (std::vector<std::uint8_t>{4, 3, 2, 1}));
    EXPECT_EQ(module.variable("some")->data, (std::vector<std::uint8_t>{1, 2, 255, 255}));
    EXPECT_EQ(module.variable("some")->size(), 6u);
    EXPECT_EQ(module.variable("floats")->data, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}));
    EXPECT_EQ(module.variable("rows")->data, (std::vector<std::uint8_t>{1, 0, 2, 0, 4, 0, 5, 0, 6, 0}));
    EXPECT_EQ(module.variable("counted")->size(), 6u);
    EXPECT_FALSE(module.variable("counted")->unsized);
    EXPECT_EQ(module.variable("pairs")->data, (std::vector<std::uint8_t>{1, 2, 3, 4}));
    EXPECT_EQ(module.variable("whole")->data, (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 8, 0x40}));
}

TEST(PtxVariable, RecordsAddressesInInitialValues) {
    const Program module = parse_module(R"(
        .func f() { ret; }
        .global .b8 target[16];
        .global .u64 plain[3] = {target, target+4, generic(target)-8};
        .global .u64 function = f;
        .global .b8 masked[2] = {0xFF(target), 0xFF00(generic(target)+1)};)");
    const auto& plain = module.variable("plain")->relocations;
    ASSERT_EQ(plain.size(), 3u);
    EXPECT_EQ(plain[1].offset, 8u);
    EXPECT_EQ(plain[1].addend, 4);
    EXPECT_FALSE(plain[1].generic);
    EXPECT_EQ(plain[2].addend, -8);
    EXPECT_TRUE(plain[2].generic);
    EXPECT_EQ(&module.variables[plain[0].symbol], module.variable("target"));
    EXPECT_EQ(module.variable("plain")->data.size(), 24u);
    ASSERT_EQ(module.variable("function")->relocations.size(), 1u);
    EXPECT_TRUE(module.variable("function")->relocations[0].is_function);
    const auto& masked = module.variable("masked")->relocations;
    ASSERT_EQ(masked.size(), 2u);
    EXPECT_EQ(masked[0].size, 1u);
    EXPECT_EQ(masked[0].shift, 0u);
    EXPECT_EQ(masked[1].shift, 8u);
    EXPECT_EQ(masked[1].addend, 1);
}

TEST(PtxVariable, ReadsTheSettingsOfSamplers) {
    const Program module = parse(
        ".version 8.0\n.target sm_50, texmode_independent\n.address_size 64\n"
        ".global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear };");
    const auto& settings = module.variable("s")->properties;
    ASSERT_EQ(settings.size(), 2u);
    EXPECT_EQ(settings[0], std::pair(std::string("addr_mode_0"), std::string("wrap")));
}

TEST(PtxVariable, RefusesReferencesWhereTheAssemblerDoes) {
    for (const char* text : {
             ".const .texref t;",
             ".shared .texref t;",
             ".tex .u64 t;",
             ".global .v2 .texref t;",
             ".common .global .texref t;",
             ".global .texref t; .global .texref t;",
             ".global .texref t = 5;",
             ".global .texref t = {bogus = 1};",
             ".global .texref t = {filter_mode = none};",
             ".global .texref t = {addr_mode_3 = wrap};",
             ".global .texref t = {memory_layout = 1};",
             ".global .texref t = {force_unnormalized_coords = 1};",
             ".global .surfref s = {filter_mode = linear};",
             ".global .samplerref s;",
             ".visible .entry k() { .global .texref t; ret; }",
             ".func f(.param .texref t) { ret; }",
         })
        EXPECT_THROW(parse_module(text), SyntaxError) << text;
    EXPECT_NO_THROW(parse_module(".global .texref t = {normalized_coords = 2, width = linear}, u = {};"));
    EXPECT_NO_THROW(parse_module(".global .surfref s = {memory_layout = 1, channel_order = 3};"));
    EXPECT_NO_THROW(parse_module(".visible .entry k(.param .texref t) { ret; }"));
    EXPECT_NO_THROW(parse(".version 1.4\n.target sm_13\n.tex .u32 t;"));
}

TEST(PtxVariable, LetsADefinitionFollowAnExternDeclaration) {
    const Program module = parse_module(".extern .global .u32 x; .visible .global .u32 x = 5;");
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_EQ(module.variable("x")->data.size(), 4u);
    EXPECT_EQ(module.variable("x")->linkage, Linkage::Visible);
}

TEST(PtxVariable, RefusesWhatCannotBe) {
    for (const char* text : {".global .u32 x; .global .u32 x;",
                             ".global .pred p;",
                             ".global .u32 x[];",
                             ".global .u32 x[2][];",
                             ".global .u32 x[-1];",
                             ".global .u32 x[0x7fffffffffffffff];",
                             ".global .u32 x[1<<40][1<<40];",
                             ".global .align 3 .u32 x;",
                             ".global .align 0 .u32 x;",
                             ".global .u32 x[2] = {1, 2, 3};",
                             ".global .u32 x = 1.0;",
                             ".global .u32 x = {1, 2};",
                             ".shared .u32 x = 1;",
                             ".global .u32 x = y;",
                             ".global .b8 x = 0xFFF(g);",
                             ".global .u16 g; .global .u16 y = g;",
                             ".global .u32 ;",
                             ".global .u32 x",
                             ".global .b8 x[2] = {1 2};",
                             ".global .b8 x[2] = {{1}, {2};",
                             ".const[2] .u32 x;"})
        EXPECT_NE(error_of(ptx_text::module(text)), "") << text;
}

TEST(PtxFunction, LaysOutParameters) {
    const Program module = parse_module(R"(
        .visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 8 .b8 c[12], .param .u16 d)
        .maxntid 128, 2, 1 .minnctapersm 4 { ret; }
        .entry r() .reqntid 32 { ret; })");
    const Function& kernel = *module.function("k");
    EXPECT_TRUE(kernel.entry);
    EXPECT_TRUE(kernel.defined);
    ASSERT_EQ(kernel.parameters.size(), 4u);
    const std::uint64_t offsets[] = {0, 8, 16, 28};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(module.variables[kernel.parameters[i]].offset, offsets[i]) << i;
        EXPECT_EQ(module.variables[kernel.parameters[i]].owner, 0u);
    }
    EXPECT_TRUE(module.variables[kernel.parameters[1]].pointer);
    EXPECT_EQ(kernel.parameter_bytes, 30u);
    EXPECT_EQ(kernel.directives.maxntid, (std::array<std::uint32_t, 3>{128, 2, 1}));
    EXPECT_EQ(kernel.directives.minnctapersm, 4u);
    EXPECT_EQ(module.function("r")->directives.reqntid, (std::array<std::uint32_t, 3>{32, 1, 1}));
}

TEST(PtxFunction, MergesDeclarationAndDefinition) {
    const Program module = parse_module(R"(
        .extern .func (.param .b32 status) vprintf (.param .b64 a, .param .b64 b);
        .func (.param .b32 r) twice(.param .b32 x);
        .func (.param .b32 result) twice(.param .b32 value) { .reg .b32 %r<3>;
            ld.param.b32 %r1, [value]; add.s32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret; })");
    ASSERT_EQ(module.functions.size(), 2u);
    EXPECT_FALSE(module.function("vprintf")->defined);
    EXPECT_EQ(module.function("vprintf")->parameters.size(), 2u);
    const Function& twice = *module.function("twice");
    EXPECT_TRUE(twice.defined);
    EXPECT_EQ(module.variables[twice.parameters[0]].name, "value");
    EXPECT_EQ(module.variables[twice.results[0]].name, "result");
    EXPECT_EQ(module.variables[twice.results[0]].owner, 1u);
}

TEST(PtxFunction, FollowsAliases) {
    const Program module = parse_module(R"(
        .func f(); .func g() { ret; }
        .entry before() { call f; ret; }
        .alias f, g;
        .entry after() { call f; ret; })");
    for (const char* name : {"before", "after"}) {
        const Function& caller = *module.function(name);
        EXPECT_EQ(module.functions[caller.calls[0].callee.index].name, "g") << name;
    }
}

TEST(PtxFunction, RefusesWhatCannotBe) {
    for (const char* text :
         {".entry k() { ret;", ".entry k() { ret; } .entry k() { ret; }", ".entry k(.param .u32) { ret; }",
          ".entry k(.param .u32 a, .param .u32 a) { ret; }", ".entry k(.param .b8 a[40000]) { ret; }",
          ".entry k() .reqnctapercluster { ret; }", ".entry k() .bogus { ret; }", ".entry { ret; }",
          ".global .u32 k; .entry k() { ret; }", ".func f(.param .u32 a[]);"})
        EXPECT_NE(error_of(ptx_text::module(text)), "") << text;
}

TEST(PtxModule, SkipsDebugSectionsAndPragmas) {
    const Program module = parse_module(R"(
        .pragma "nounroll";
        .file 1 "a.cu", 12, 34
        .section .debug_info { .b32 1, label+12
          { .b8 3 } }
        .global .u32 x;)");
    EXPECT_EQ(module.files.at(1), "a.cu");
    EXPECT_NE(module.variable("x"), nullptr);
}

}  // namespace
