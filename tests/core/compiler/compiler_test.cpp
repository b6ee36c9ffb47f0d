// compile() with the real compilers: results, rejected sources and their messages.
#include <sys/wait.h>

#include <algorithm>

#include "compiler_fixture.hpp"

namespace pycuda::test {
namespace {

class EachBackend : public CompilerTest, public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Compiler, EachBackend, ::testing::Values("nvcc", "nvrtc"),
                         [](const auto& backend) { return std::string(backend.param); });

TEST_P(EachBackend, MakesCubinAndPtx) {
    CompileRequest cubin = request(fast_kernel, GetParam());
    const CompileResult binary = compile(cubin);
    EXPECT_EQ(binary.kind, "cubin");
    EXPECT_EQ(binary.backend, GetParam());
    EXPECT_TRUE(is_elf(binary));
    cubin.target = "ptx";
    const CompileResult ptx = compile(cubin);
    EXPECT_EQ(ptx.kind, "ptx");
    EXPECT_NE(text_of(ptx).find(".entry fill("), std::string::npos) << "extern \"C\" keeps the name";
    EXPECT_NE(text_of(ptx).find(".target sm_90"), std::string::npos);
}

TEST_P(EachBackend, VirtualArchitectureGivesPtx) {
    CompileRequest virtual_arch = request(fast_kernel, GetParam());
    virtual_arch.arch = "compute_80";
    const CompileResult result = compile(virtual_arch);
    EXPECT_EQ(result.kind, "ptx");
    EXPECT_NE(text_of(result).find(".target sm_80"), std::string::npos);
}

TEST_P(EachBackend, WithoutArchitectureTheCompilersDefaultIsUsed) {
    CompileRequest no_arch = request(fast_kernel, GetParam());
    no_arch.arch = "";
    EXPECT_TRUE(is_elf(compile(no_arch)));
}

TEST_P(EachBackend, ErrorsNameTheUsersLines) {
    for (const bool no_extern_c : {false, true}) {
        CompileRequest bad = request("__global__ void f(float *a)\n{\n\n    a[0] = undefined_thing;\n}\n", GetParam());
        bad.name = "my_kernels.cu";
        bad.no_extern_c = no_extern_c;
        try {
            compile(bad);
            FAIL() << "compiled";
        } catch (const CompileError& error) {
            EXPECT_NE(error.stderr_text().find("my_kernels.cu(4): error"), std::string::npos) << error.stderr_text();
            EXPECT_NE(error.stderr_text().find("undefined_thing"), std::string::npos);
            EXPECT_NE(error.msg().find("my_kernels.cu"), std::string::npos);
            EXPECT_GE(error.command_line().size(), 2u);
            EXPECT_NE(std::string(error.what()).find("undefined_thing"), std::string::npos);
        }
    }
}

TEST_P(EachBackend, MessagesOfASuccessAreWarnings) {
    const CompileResult result =
        compile(request("__global__ void f(float *a)\n{\n    int unused;\n    a[0] = 1;\n}\n", GetParam()));
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("kernel.cu(3)"), std::string::npos) << result.warnings[0];
    EXPECT_TRUE(compile(request(fast_kernel, GetParam())).warnings.empty());
}

TEST_P(EachBackend, NameExpressionsInstantiateTemplates) {
    for (const char* target : {"ptx", "cubin"}) {
        CompileRequest templates = request(
            "template <class T> __global__ void scale(T *a, T k) { a[threadIdx.x] *= k; }\n"
            "namespace n { __constant__ int table[3]; }\n",
            GetParam());
        templates.target = target;
        templates.name_expressions = {"scale<float>", "scale<double>", "n::table"};
        const std::vector<std::string> expected = {"_Z5scaleIfEvPT_S0_", "_Z5scaleIdEvPT_S0_", "_ZN1n5tableE"};
        const CompileResult result = compile(templates);
        EXPECT_EQ(result.lowered_names, expected);
        for (const std::string& name : expected) EXPECT_NE(text_of(result).find(name), std::string::npos) << name;
        const CompileResult again = compile(templates);
        EXPECT_TRUE(again.cached);
        EXPECT_EQ(again.lowered_names, expected);
    }
}

TEST_P(EachBackend, ToolkitHeadersAreFound) {
    std::string source = "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n";
    // These take seconds to compile; tests of cuRAND's and CUB's kernels do.
    for (const char* header : {"curand_kernel.h", "cub/block/block_reduce.cuh"})
        source.append("#if !__has_include(<").append(header).append(">)\n#error ").append(header).append("\n#endif\n");
    CompileRequest included = request(source + "__global__ void f() {}\n", GetParam());
    included.no_extern_c = true;
    EXPECT_TRUE(is_elf(compile(included)));
}

TEST_P(EachBackend, OptionsMacrosAndIncludeDirsArrive) {
    write("inc/mine.h", "#define FROM_HEADER 5\n");
    CompileRequest full =
        request("#include \"mine.h\"\n#if FROM_HEADER != 5 || FROM_OPTION != 7\n#error wrong\n#endif\n", GetParam());
    full.include_dirs = {folder_ / "inc"};
    full.options = {"-DFROM_OPTION=7", "-use_fast_math", "--std=c++17", "-lineinfo"};
    EXPECT_NO_THROW(compile(full));
    full.options[0] = "-DFROM_OPTION=8";
    EXPECT_THROW(compile(full), CompileError);
}

TEST_P(EachBackend, KeepLeavesTheFolderWithTheSource) {
    CompileRequest kept = request(fast_kernel, GetParam());
    kept.keep = true;
    for (int i = 0; i < 2; ++i) {
        const CompileResult result = compile(kept);
        EXPECT_FALSE(result.cached) << "a kept folder needs a compile";
        ASSERT_TRUE(fs::is_directory(result.build_dir));
        EXPECT_NE(read(fs::path(result.build_dir) / "kernel.cu").find("threadIdx"), std::string::npos);
        fs::remove_all(result.build_dir);
    }
}

class Compiler : public CompilerTest {};

TEST_F(Compiler, AutoPrefersNvrtc) {
    EXPECT_EQ(compile(request(fast_kernel)).backend, "nvrtc");
}

TEST_F(Compiler, AutoSendsNvccOnlyRequestsToNvcc) {
    CompileRequest option = request(fast_kernel);
    option.options = {"-Xcompiler", "-Wall"};
    EXPECT_EQ(compile(option).backend, "nvcc");
    CompileRequest code = request(fast_kernel);
    code.arch = "compute_80";
    code.code = "sm_80";
    code.target = "cubin";
    EXPECT_EQ(compile(code).backend, "nvcc");
    CompileRequest fatbin = request(fast_kernel);
    fatbin.target = "fatbin";
    const CompileResult result = compile(fatbin);
    EXPECT_EQ(result.backend, "nvcc");
    EXPECT_EQ(result.kind, "fatbin");
}

TEST_F(Compiler, AutoFallsBackToNvccForWhatNvrtcCannotCompile) {
    const std::string kernel =
        "#include <vector>\n#include <stdio.h>\nextern \"C\" __global__ void f() { printf(\"x\"); }\n";
    CompileRequest device_code = request(kernel);
    device_code.no_extern_c = true;
    EXPECT_EQ(compile(device_code).backend, "nvrtc");
    CompileRequest host_code = request(kernel + "std::vector<int> of_the_host() { return {1, 2}; }\n");
    host_code.no_extern_c = true;
    EXPECT_EQ(compile(host_code).backend, "nvcc");
    EXPECT_TRUE(compile(host_code).cached);
    host_code.backend = "nvrtc";
    EXPECT_THROW(compile(host_code), CompileError);
}

TEST_F(Compiler, ErrorsSayWhatToDo) {
    const auto error_of = [](CompileRequest bad) -> std::string {
        try {
            compile(bad);
        } catch (const CompileError& error) {
            return error.what();
        }
        return "compiled";
    };
    CompileRequest cub = request("#include <cub/block/block_reduce.cuh>\n__global__ void f() {}\n", "nvrtc");
    use_only_nvrtc("cuda");
    EXPECT_NE(
        error_of(cub).find("the toolkit in " + (folder_ / "cuda").string() + " does not have it. Install NVIDIA's"),
        std::string::npos)
        << error_of(cub);
    EXPECT_NE(error_of(request("template <class T> __device__ T f(T x) { return x; }\n", "nvrtc"))
                  .find("set CompileRequest::no_extern_c, and write extern \"C\""),
              std::string::npos);
    CompileRequest option = request(fast_kernel);
    option.options = {"-Xcompiler", "-O3"};
    EXPECT_NE(error_of(option).find("only nvcc supports option -Xcompiler"), std::string::npos) << error_of(option);
    EXPECT_EQ(error_of(option).find("Install a CUDA toolkit"), std::string::npos) << error_of(option);
}

TEST_F(Compiler, WithoutAHostCompilerNvrtcsErrorIsTheUsers) {
    set("PATH", folder_ / "no-programs");
    try {
        compile(request("__global__ void f(int *a) { a[0] = undeclared; }"));
        FAIL() << "compiled";
    } catch (const CompileError& error) {
        EXPECT_NE(error.stderr_text().find("undeclared"), std::string::npos) << error.what();
        EXPECT_NE(error.msg().find("no host compiler is installed"), std::string::npos) << error.msg();
        EXPECT_EQ(error.command_line().front(), "nvrtc");
    }
}

TEST_F(Compiler, NvccWithoutAHostCompilerNamesTheCure) {
    set("PATH", folder_ / "no-programs");
    try {
        compile(request(fast_kernel, "nvcc"));
        FAIL() << "compiled";
    } catch (const CompileError& error) {
        EXPECT_NE(error.msg().find("-ccbin"), std::string::npos) << error.msg();
    }
}

/// By itself, NVRTC would give each of these types another size.
TEST_F(Compiler, AlignmentBehindATypesBrace) {
    const std::string use = " pair;\nextern \"C\" __global__ void f(int *a) { *a = sizeof(pair); }\n";
    for (const std::string source :
         {"typedef struct { int a, b; } __align__(32)", "typedef struct { int a, b; }\n__attribute__((aligned(32)))",
          "#define ALIGN(bytes) __align__(bytes)\ntypedef struct { int a, b; } ALIGN(32)",
          "#define WIDE __align__(32)\ntypedef struct { int a, b; } WIDE",
          "struct part { int a; } __align__(8);\ntypedef union { part a; int b; } __align__(32)",
          "typedef struct { struct { char c; } __align__(16) a; /* } */ int b; } // {\n __align__(16)",
          "struct base { int a; };\ntypedef struct named : public base { char c = '}'; } __attribute__((aligned(16)))\n"
          "__align__(32)",
          "__device__ int g(int x) { return x; }\n__attribute__((unused)) static __device__ int h() { return 0; }\n"
          "typedef struct __align__(32) { int a, b; }"}) {
        for (const char* backend : {"nvrtc", "nvcc"}) {
            CompileRequest aligned = request(source + use, backend);
            aligned.no_extern_c = true;
            aligned.target = "ptx";
            const CompileResult result = compile(aligned);
            EXPECT_NE(text_of(result).find(" 32;"), std::string::npos) << backend << ": " << source;
        }
    }
}

/// It is moved, so that line numbers and what follows stay.
TEST_F(Compiler, ErrorsBehindAMovedAlignmentNameTheirLine) {
    CompileRequest wrong = request("typedef struct {\n  int a;\n}\n__align__(32) pair;\nerror", "nvrtc");
    wrong.no_extern_c = true;
    try {
        compile(wrong);
        FAIL() << "compiled";
    } catch (const CompileError& error) {
        EXPECT_NE(error.stderr_text().find("(5)"), std::string::npos) << error.stderr_text();
    }
}

TEST_F(Compiler, AlignmentBehindABraceOfAnotherKindGoesToNvcc) {
    CompileRequest aligned =
        request("enum class kind { a } __attribute__((aligned(16))) one = kind::a;\n" + std::string(fast_kernel));
    aligned.backend = "nvrtc";
    EXPECT_THROW(compile(aligned), CompileError);
}

TEST_F(Compiler, NvrtcOnlyOptionsGoToNvrtc) {
    CompileRequest made =
        request("constexpr int square(int x) { return x * x; }\n__global__ void f(int *a) { *a = square(*a); }\n");
    made.options = {"-default-device"};
    EXPECT_EQ(compile(made).backend, "nvrtc");
    made.source += "error";
    try {
        compile(made);
        FAIL();
    } catch (const CompileError& error) {
        EXPECT_EQ(error.command_line()[0], "nvrtc") << "nvcc does not know the option, so its error would mislead";
    }
}

TEST_P(EachBackend, WorkingDirectoryIsNoFolderOfHeaders) {
    write("here.h", "\n");
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    EXPECT_THROW(compile(request("#include \"here.h\"\n", GetParam())), CompileError);
    CompileRequest relative = request("#include \"here.h\"\n", GetParam());
    relative.include_dirs = {"."};
    EXPECT_NO_THROW(compile(relative));
    fs::current_path(before);
}

TEST_F(Compiler, EnvironmentChoosesTheBackend) {
    set("PYCUDA_COMPILER", "nvcc");
    EXPECT_EQ(compile(request(fast_kernel)).backend, "nvcc");
    set("PYCUDA_COMPILER", "gcc");
    EXPECT_THROW(compile(request(fast_kernel)), std::invalid_argument);
}

TEST_F(Compiler, UnknownTargetIsRefused) {
    CompileRequest bad = request(fast_kernel);
    bad.target = "exe";
    EXPECT_THROW(compile(bad), std::invalid_argument);
}

TEST_F(Compiler, NvrtcAloneRefusesNvccOnlyOptionsByName) {
    CompileRequest bad = request(fast_kernel, "nvrtc");
    bad.options = {"-Xcompiler=-Wall"};
    try {
        compile(bad);
        FAIL();
    } catch (const CompileError& error) {
        EXPECT_NE(error.msg().find("-Xcompiler"), std::string::npos) << error.msg();
    }
}

TEST_F(Compiler, ArchitectureAmongTheOptionsCounts) {
    CompileRequest option = request(fast_kernel);
    option.arch = "";
    option.options = {"-arch=sm_80"};
    option.target = "ptx";
    EXPECT_NE(text_of(compile(option)).find(".target sm_80"), std::string::npos);
}

TEST_F(Compiler, DefaultFlagsComeFromTheEnvironment) {
    set("PYCUDA_DEFAULT_NVCC_FLAGS", "  -O3   -DX=1 ");
    EXPECT_EQ(default_nvcc_flags(), (std::vector<std::string>{"-O3", "-DX=1"}));
    unset("PYCUDA_DEFAULT_NVCC_FLAGS");
    EXPECT_TRUE(default_nvcc_flags().empty());
}

TEST_F(Compiler, LeavesNoTemporaryFolderBehind) {
    const fs::path temporary = folder_ / "tmp";
    fs::create_directories(temporary);
    set("TMPDIR", temporary);
    compile(request(fast_kernel, "nvcc"));
    EXPECT_THROW(compile(request("nonsense", "nvcc")), CompileError);
    EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(Compiler, LeavesNoDescriptorAndNoChildBehind) {
    const auto descriptors = [] {
        return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    CompileRequest uncached = request(fast_kernel, "nvcc");
    uncached.nvcc = write_fake_nvcc("nvcc", "12.4", "90");
    compile(uncached);
    const auto before = descriptors();
    for (int i = 0; i < 5; ++i) {
        uncached.source += " ";
        compile(uncached);
    }
    EXPECT_EQ(descriptors(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

}  // namespace
}  // namespace pycuda::test
