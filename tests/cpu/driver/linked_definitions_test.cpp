// Which definition of a name wins when texts are linked, and the linker's options.
#include <string>
#include <vector>

#include "driver/driver_test.hpp"

class LinkedDefinitionsTest : public InContext {};

namespace {

/// The texts linked and loaded; null, and the log, if that fails. NVIDIA's driver refuses a text that contradicts an
/// earlier one when it is added, the CPU device when all are linked.
CUmodule linked(const std::vector<std::string>& texts, std::string* log = nullptr, unsigned registers = 0) {
    char buffer[1000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void* values[] = {buffer, reinterpret_cast<void*>(sizeof buffer), reinterpret_cast<void*>(size_t{registers})};
    CUlinkState state = nullptr;
    EXPECT_OK(cuLinkCreate(registers ? 3 : 2, options, values, &state));
    bool good = true;
    for (const std::string& text : texts)
        good = good && cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()), text.size() + 1,
                                     "text.ptx", 0, nullptr, nullptr) == CUDA_SUCCESS;
    void* image = nullptr;
    size_t size = 0;
    CUmodule module = nullptr;
    if (good && cuLinkComplete(state, &image, &size) == CUDA_SUCCESS) {
        EXPECT_OK(cuModuleLoadData(&module, image));
    }
    EXPECT_OK(cuLinkDestroy(state));
    if (log) *log = buffer;
    return module;
}

/// The value that the kernel writes to its only parameter.
unsigned result_of(CUmodule module, const char* name) {
    CUfunction kernel = nullptr;
    EXPECT_OK(cuModuleGetFunction(&kernel, module, name));
    CUdeviceptr out = 0;
    EXPECT_OK(cuMemAlloc(&out, 4));
    void* parameters[] = {&out};
    EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH(&seen, out, 4));
    EXPECT_OK(cuMemFree(out));
    return seen;
}

constexpr const char* module_header = ".version 8.0\n.target sm_50\n.address_size 64\n";

/// A text whose kernel returns the value of `v`.
std::string text_that_reads(const std::string& kernel, const std::string& declaration) {
    return module_header + declaration + "\n.visible .entry " + kernel + R"((.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %out;
    ld.param.u64 %out, [out];
    ld.global.u32 %r, [v];
    st.global.u32 [%out], %r;
    ret;
}
)";
}

/// A text with a definition of `value`, and a kernel that returns its result.
std::string text_that_calls(const std::string& kernel, const std::string& linkage, int value) {
    return module_header + linkage + " .func (.param .b32 result) value()\n{\n    st.param.b32 [result], " +
           std::to_string(value) + ";\n    ret;\n}\n.visible .entry " + kernel + R"((.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %out;
    ld.param.u64 %out, [out];
    { .param .b32 x; call (x), value; ld.param.b32 %r, [x]; }
    st.global.u32 [%out], %r;
    ret;
}
)";
}

struct Definitions {
    const char* first;
    const char* second;
    unsigned seen;  ///< by both kernels; 0: it does not link
};

}  // namespace

TEST_F(LinkedDefinitionsTest, TheStrongestDefinitionOfAVariableCounts) {
    const Definitions table[] = {
        {".weak .global .u32 v = 3;", ".weak .global .u32 v = 3;", 3},
        {".weak .global .u32 v = 3;", ".visible .global .u32 v = 5;", 5},
        {".visible .global .u32 v = 5;", ".weak .global .u32 v = 3;", 5},
        {".extern .global .u32 v;", ".weak .global .u32 v = 3;", 3},
        {".common .global .u32 v;", ".visible .global .u32 v = 5;", 5},
        {".weak .global .u32 v = 3;", ".common .global .u32 v;", 3},
        {".visible .global .u32 v = 5;", ".visible .global .u32 v = 5;", 0},
    };
    for (const Definitions& row : table) {
        SCOPED_TRACE(std::string(row.first) + " " + row.second);
        const CUmodule module = linked({text_that_reads("first", row.first), text_that_reads("second", row.second)});
        ASSERT_EQ(row.seen != 0, module != nullptr);
        if (!module) continue;
        EXPECT_EQ(row.seen, result_of(module, "first"));
        EXPECT_EQ(row.seen, result_of(module, "second"));
        EXPECT_OK(cuModuleUnload(module));
    }
}

TEST_F(LinkedDefinitionsTest, AFunctionCanBeDeclaredOnceMore) {
    const std::string declared = std::string(module_header) + ".extern .func (.param .b32 result) value();\n";
    const CUmodule module = linked({text_that_calls("first", ".visible", 3), declared, declared});
    ASSERT_NE(nullptr, module);
    EXPECT_EQ(3u, result_of(module, "first"));
}

TEST_F(LinkedDefinitionsTest, AFunctionIsDeclaredAsItIsDefined) {
    std::string other = text_that_calls("first", ".visible", 3);
    const size_t begin = other.find(".visible .func"), end = other.find(".visible .entry");
    const std::string declared = other.replace(begin, end - begin, ".extern .func (.param .b32 result) value();\n");
    EXPECT_EQ(nullptr, linked({declared, std::string(module_header) + ".visible .func value() { ret; }\n"}));
}

TEST_F(LinkedDefinitionsTest, TheLargestOfCommonVariablesCounts) {
    const CUmodule module = linked(
        {text_that_reads("first", ".common .global .u32 v;"), text_that_reads("second", ".common .global .u32 v[9];")});
    ASSERT_NE(nullptr, module);
    CUdeviceptr address = 0;
    size_t size = 0;
    EXPECT_OK(cuModuleGetGlobal(&address, &size, module, "v"));
    EXPECT_EQ(36u, size);
    EXPECT_OK(cuMemsetD32(address, 7, 9));
    EXPECT_EQ(7u, result_of(module, "first"));
    EXPECT_EQ(7u, result_of(module, "second"));
}

TEST_F(LinkedDefinitionsTest, TheStrongestDefinitionOfAFunctionCounts) {
    const Definitions table[] = {
        {".weak", ".weak", 3},
        {".weak", ".visible", 5},
        {".visible", ".weak", 3},
        {".visible", ".visible", 0},
    };
    for (const Definitions& row : table) {
        SCOPED_TRACE(std::string(row.first) + " " + row.second);
        const CUmodule module =
            linked({text_that_calls("first", row.first, 3), text_that_calls("second", row.second, 5)});
        ASSERT_EQ(row.seen != 0, module != nullptr);
        if (!module) continue;
        EXPECT_EQ(row.seen, result_of(module, "first"));
        EXPECT_EQ(row.seen, result_of(module, "second"));
        EXPECT_OK(cuModuleUnload(module));
    }
}

TEST_F(LinkedDefinitionsTest, AKernelOfATemplateMayBeInTwoTexts) {
    const std::string text = std::string(module_header) + R"(.weak .entry k(.param .u64 out, .param .u64 more)
{
    .reg .b64 %out;
    ld.param.u64 %out, [out];
    st.global.u32 [%out], 9;
    ret;
}
)";
    const CUmodule module = linked({text, text});
    ASSERT_NE(nullptr, module);
    CUfunction kernel = nullptr;
    ASSERT_OK(cuModuleGetFunction(&kernel, module, "k"));
    int local = -1;
    EXPECT_OK(cuFuncGetAttribute(&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel));
    EXPECT_EQ(0, local);
}

TEST_F(LinkedDefinitionsTest, TextsForADebuggerCanBeLinked) {
    // NVIDIA's assembler takes the target only with debug information.
    const auto debugged = [](std::string text) {
        text.replace(text.find("sm_50"), 5, "sm_50, debug");
        text.insert(text.find("ld.param"), ".loc 1 1 0\n");
        return text + ".file 1 \"a.cu\"\n.section .debug_info { .b32 0 }\n";
    };
    const CUmodule module = linked({debugged(text_that_reads("first", ".extern .global .u32 v;")),
                                    debugged(text_that_reads("second", ".visible .global .u32 v = 5;"))});
    ASSERT_NE(nullptr, module);
    EXPECT_OK(cuModuleUnload(module));
}

TEST_F(LinkedDefinitionsTest, WhatIsDeclaredMustBeDefined) {
    std::string log;
    const std::string unused = std::string(module_header) + ".extern .global .u32 nowhere;\n";
    EXPECT_EQ(nullptr, linked({unused, module_header}, &log));
    EXPECT_NE(log.npos, log.find("Undefined reference to 'nowhere'")) << log;
    EXPECT_EQ(nullptr, linked({text_that_reads("k", ".extern .global .u32 v;"), module_header}, &log));
    EXPECT_NE(log.npos, log.find("Undefined reference to 'v'")) << log;
}

TEST_F(LinkedDefinitionsTest, RegistersAreLimitedAsAsked) {
    std::string names, loads, stores;
    for (int n = 0; n < 60; ++n) {
        const std::string x = "%x" + std::to_string(n), at = "[%out+" + std::to_string(4 * n) + "]";
        names += (n ? ", " : "") + x;
        loads += "ld.volatile.global.u32 " + x + ", " + at + ";\n";
        stores += "st.volatile.global.u32 " + at + ", " + x + ";\n";
    }
    const std::string text = std::string(module_header) +
                             ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %out; .reg .b32 " + names +
                             ";\nld.param.u64 %out, [out];\n" + loads + stores + "ret;\n}\n";
    const auto registers = [](CUmodule module) {
        CUfunction kernel = nullptr;
        int number = -1;
        EXPECT_OK(cuModuleGetFunction(&kernel, module, "k"));
        EXPECT_OK(cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel));
        return number;
    };
    EXPECT_GE(registers(linked({text})), 60);
    EXPECT_LE(registers(linked({text}, nullptr, 32)), 32);
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void* value = reinterpret_cast<void*>(size_t{32});
    CUmodule module = nullptr;
    ASSERT_OK(cuModuleLoadDataEx(&module, text.c_str(), 1, &option, &value));
    EXPECT_LE(registers(module), 32);
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    int number = -1;
    ASSERT_OK(cuLibraryLoadData(&library, text.c_str(), &option, &value, 1, nullptr, nullptr, 0));
    ASSERT_OK(cuLibraryGetKernel(&kernel, library, "k"));
    EXPECT_OK(cuKernelGetAttribute(&number, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
    EXPECT_LE(number, 32);
    EXPECT_OK(cuLibraryUnload(library));
}
