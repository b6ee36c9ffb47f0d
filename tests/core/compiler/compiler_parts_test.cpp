// The parts of the compiler layer that need no compiler: options, include scanner, hash, archive, targets, old
// compilers.
#include <sys/wait.h>

#include <chrono>

#include "compiler/blake2b.hpp"
#include "compiler/include_scanner.hpp"
#include "compiler/options.hpp"
#include "compiler/select.hpp"
#include "compiler/tar.hpp"
#include "compiler/target.hpp"
#include "compiler_fixture.hpp"
#include "platform/linux/in_folder.hpp"
#include "platform/process.hpp"
#include "text/versions.hpp"

namespace pycuda::test {
namespace {

using Strings = std::vector<std::string>;

TEST(Blake2b, KnownDigests) {
    // From Python: hashlib.blake2b(text, digest_size=32).hexdigest()
    EXPECT_EQ(blake2b_hex(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    EXPECT_EQ(blake2b_hex("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    EXPECT_EQ(blake2b_hex(std::string(128, 'x')), "164ffb7089bae6f5a62fb0795e751dc9e88eac92e1a5b2fafe93a25abf2d9c3b");
    EXPECT_EQ(blake2b_hex(std::string(1000, 'x')), "ab75119ede14ef06ebf31f745fb655ed006cccfe8054c635308a557f7c9beaba");
}

TEST(Blake2b, PiecesAndFieldBoundaries) {
    Blake2b pieces;
    for (int i = 0; i < 1000; ++i) pieces.update("x", 1);
    EXPECT_EQ(pieces.hex(), blake2b_hex(std::string(1000, 'x')));
    Blake2b one, two;
    one.field("ab"), one.field("c");
    two.field("a"), two.field("bc");
    EXPECT_NE(one.hex(), two.hex());
}

TEST(CompilerOptions, TranslatedForNvrtc) {
    const ParsedOptions parsed =
        parse_options({"-use_fast_math", "--maxrregcount", "32", "-D", "A=1", "-DB", "-std=c++17", "-O3", "-G",
                       "--ftz=true", "-Xptxas=-v", "-lineinfo", "-m64", "--define-macro=C"});
    EXPECT_EQ(parsed.nvcc_only, "");
    EXPECT_EQ(parsed.nvrtc,
              (Strings{"--use_fast_math", "--maxrregcount=32", "-DA=1", "-DB", "--std=c++17", "--device-debug",
                       "--ftz=true", "--ptxas-options=-v", "--generate-line-info", "-DC"}));
    EXPECT_EQ(parsed.nvcc.size(), 14u) << "nvcc gets them as they were given";
}

TEST(CompilerOptions, NvccOnly) {
    for (const char* option : {"-Xcompiler", "--ptx", "-ccbin=gcc", "-gencode=arch=compute_80,code=sm_80",
                               "-Ofast-compile=max", "-v", "x.o", "-DA=1,2", "-maxrregcount"})
        EXPECT_EQ(parse_options({option}).nvcc_only, option);
    EXPECT_TRUE(parse_options({"-gencode", "arch=compute_80,code=sm_80"}).has_gencode);
    EXPECT_FALSE(parse_options({"-Xcompiler", "-Wall"}).has_gencode);
}

TEST(CompilerOptions, NvrtcOnly) {
    for (const char* option : {"-default-device", "-device-int128", "--device-int128"})
        EXPECT_EQ(parse_options({option}).nvrtc_only, option);
}

TEST(CompilerOptions, ArchitectureAndFolders) {
    const ParsedOptions parsed = parse_options(
        {"-arch", "sm_80", "-I/a", "-I", "/b", "--include-path=/c", "-isystem", "/d", "-Irel", "-include", "x.h"});
    EXPECT_EQ(parsed.arch, "sm_80");
    EXPECT_EQ(parsed.include_dirs,
              (Strings{"/a", "/b", "/c", "/d", (std::filesystem::current_path() / "rel").string()}));
    EXPECT_EQ(parsed.pre_includes, Strings{"x.h"});
    EXPECT_EQ(parsed.nvrtc, Strings{});
}

Strings names_in(const std::string& text) {
    Strings names;
    for (const auto& name : scan_includes(text).names) names.push_back((name.quoted ? "\"" : "<") + name.text);
    return names;
}

TEST(IncludeScanner, FindsDirectivesOnly) {
    EXPECT_EQ(names_in("#include <a>\n  #  include \"b\" // c\n/* x */ # /* y */ include <d>\n"),
              (Strings{"<a", "\"b", "<d"}));
    EXPECT_EQ(names_in("#inc\\\nlude <a>\n"), Strings{}) << "split words are beyond it";
    EXPECT_EQ(names_in("#include \\\n <a>\n"), Strings{"<a"});
    EXPECT_EQ(names_in("// #include <a>\n/*\n#include <b>\n*/ x; #include <c>\n\"\\\"\n#include <d>\n"), Strings{"<d"});
    EXPECT_EQ(names_in("auto s = R\"x(\n#include <a>\n)x\";\n#include <b>\n"), Strings{"<b"});
    EXPECT_EQ(names_in("int n = 1'000;\n#include <a>\n"), Strings{"<a"});
    EXPECT_EQ(names_in("#if 0\n#include <a>\n#endif\n"), Strings{"<a"}) << "a superset is safe";
    EXPECT_EQ(names_in("#if __has_include(<a>) && __has_include ( \"b\" )\n#elif defined __has_include\n"),
              (Strings{"<a", "\"b"}));
    EXPECT_EQ(names_in("#include <a\n#include"), Strings{});
}

TEST(IncludeScanner, TellsWhereNamesStand) {
    const std::string text = "int x;\n# include <a.h> // b\n#if __has_include( \"c\")\n";
    Strings names;
    for (const auto& name : scan_includes(text).names) names.push_back(text.substr(name.begin, name.end - name.begin));
    EXPECT_EQ(names, (Strings{"<a.h>", "\"c\""}));
    EXPECT_EQ(line_directive("a \"b\"\\c.cu"), "#line 1 \"a \\\"b\\\"\\\\c.cu\"\n");
}

TEST(IncludeScanner, ComputedIncludesAreNoticed) {
    EXPECT_TRUE(scan_includes("#include MACRO\n").has_computed);
    EXPECT_TRUE(scan_includes("#include_next <a>\n").has_computed);
    EXPECT_FALSE(scan_includes("#include <a>\n#pragma once\n").has_computed);
}

class IncludeClosureTest : public CompilerTest {};

TEST_F(IncludeClosureTest, FollowsInTheCompilersOrder) {
    const std::string first = write("one/first.h", "#include \"near.h\"\n#include <far.h>\n");
    const std::string near = write("one/near.h", "");
    const std::string far = write("sys/far.h", "#include COMPUTED\n");
    const IncludeClosure closure = find_includes("#include <first.h>\n#include \"first.h\"\n#include <none.h>\n", {},
                                                 {folder_ / "zero", folder_ / "one"}, {folder_ / "sys"});
    EXPECT_EQ(closure.files, (Strings{first, near, far}));
    EXPECT_TRUE(closure.complete) << "the toolkit's identity covers its own computed includes";
    for (const char* place : {"zero/first.h", "zero/far.h", "one/far.h", "zero/none.h", "one/none.h"})
        EXPECT_NE(std::find(closure.absent.begin(), closure.absent.end(), folder_ / place), closure.absent.end())
            << place;
    EXPECT_EQ(closure.target({"near.h", true}, folder_ / "one"), near);
    EXPECT_EQ(closure.target({"far.h", false}, folder_ / "one"), far);
    EXPECT_EQ(closure.target({"none.h", false}, ""), "");
    write("one/near.h", "#include COMPUTED\n");
    EXPECT_FALSE(find_includes("#include <first.h>\n", {}, {folder_ / "one"}, {}).complete);
}

TEST(Tar, RoundTrip) {
    TarWriter writer;
    writer.add("a/b", "", 5);
    writer.add("c", std::string(1000, 'x'), 6);
    const std::string text = writer.finish();
    EXPECT_EQ(text.size() % 512, 0u);
    TarReader reader(text);
    EXPECT_EQ(reader.next()->name, "a/b");
    EXPECT_EQ(reader.next()->content, std::string(1000, 'x'));
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.failed());
    TarReader cut(std::string_view(text).substr(0, 1024));
    cut.next();
    EXPECT_FALSE(cut.next());
    EXPECT_TRUE(cut.failed());
}

TEST(ToolchainSearch, VersionsAreComparedAsNumbers) {
    const Strings names = {"libx.so", "libx.so.9", "libx.so.13.0.88", "libx.so.13.0.9", "liby.so.14", "libx.so.12.6"};
    EXPECT_EQ(newest_version(names, "libx.so"), "libx.so.13.0.88");
    EXPECT_EQ(newest_version({"libx.so.9", "libx.so.10"}, "libx.so"), "libx.so.10");
    EXPECT_EQ(newest_version({"cuda-9.2", "cuda-13.0", "cuda"}, "cuda-"), "cuda-13.0");
    EXPECT_EQ(newest_version({"libx.so"}, "libx.so"), "libx.so");
    EXPECT_EQ(newest_version(names, "libz.so"), "");
}

constexpr TargetDevice none{}, gpu{true, false, 9, 0}, cpu{true, true, 9, 0}, new_gpu{true, false, 12, 1};

TEST(CompileTarget, FollowsTheDevice) {
    EXPECT_EQ(choose_target("", "", false, "", gpu).arch, "sm_90");
    EXPECT_EQ(choose_target("", "", false, "", gpu).kind, "cubin");
    EXPECT_EQ(choose_target("", "", false, "", new_gpu).arch, "sm_121");
    EXPECT_EQ(choose_target("", "", false, "", none).arch, "");
    EXPECT_EQ(choose_target("", "", false, "ptx", gpu).kind, "ptx");
    for (const char* target : {"", "cubin"}) {
        EXPECT_EQ(choose_target("", "", false, target, cpu).arch, "compute_90");
        EXPECT_EQ(choose_target("", "", false, target, cpu).kind, "ptx");
    }
    EXPECT_EQ(choose_target("", "", true, "", gpu).arch, "") << "-gencode says it already";
    EXPECT_EQ(choose_target("", "", true, "", gpu).kind, "fatbin") << "and may say several";
}

TEST(CompileTarget, GivenArchitectures) {
    EXPECT_EQ(choose_target("sm_80", "", false, "", gpu).kind, "cubin");
    EXPECT_EQ(choose_target("sm_80", "", false, "", cpu).kind, "ptx") << "the CPU device must be able to load it";
    EXPECT_EQ(choose_target("sm_80", "", false, "cubin", cpu).kind, "cubin") << "asked for by name";
    EXPECT_EQ(choose_target("compute_80", "", false, "", gpu).kind, "ptx");
    EXPECT_EQ(choose_target("compute_80", "sm_80", false, "", gpu).kind, "cubin");
    EXPECT_EQ(choose_target("compute_80", "compute_80", false, "", gpu).kind, "ptx");
    EXPECT_EQ(choose_target("compute_80", "sm_80,compute_80", false, "", gpu).kind, "fatbin");
    EXPECT_EQ(choose_target("compute_80", "sm_80", false, "", cpu).kind, "ptx");
    EXPECT_EQ(choose_target("native", "", false, "", gpu).kind, "cubin");
    EXPECT_EQ(choose_target("all-major", "", false, "", gpu).kind, "fatbin");
    EXPECT_EQ(choose_target("sm_80", "", false, "", gpu).warning, "");
    EXPECT_EQ(choose_target("sm_90a", "", false, "", gpu).warning, "");
    EXPECT_NE(choose_target("sm_100", "", false, "", gpu).warning, "") << "three digits are compared as a number";
    EXPECT_EQ(choose_target("sm_100", "", false, "", new_gpu).warning, "");
    EXPECT_EQ(choose_target("sm_100", "", false, "", none).warning, "");
}

class OldCompiler : public CompilerTest {
protected:
    std::vector<Attempt> plan(const std::vector<std::string>& nvccs, const TargetDevice& device) {
        CompileJob job;
        job.target = choose_target("", "", false, "", device);
        std::vector<Compiler> compilers;
        for (const std::string& path : nvccs) compilers.push_back({"nvcc", path, "nvcc of " + path, {}});
        return plan_attempts(job, compilers);
    }
};

TEST_F(OldCompiler, NewDeviceGetsItsNewestPtxWithOneWarning) {
    const std::string old = write_fake_nvcc("old/nvcc", "11.0", "52 70 80");
    const std::vector<Attempt> attempts = plan({old}, gpu);
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_EQ(attempts[0].target.arch, "compute_80");
    EXPECT_EQ(attempts[0].target.kind, "ptx");
    EXPECT_NE(attempts[0].target.warning.find("sm_90"), std::string::npos);
    EXPECT_EQ(plan({old}, gpu)[0].target.warning, "") << "once";
}

TEST_F(OldCompiler, BetterOneIsPreferred) {
    const std::string old = write_fake_nvcc("old/nvcc", "11.0", "52 70");
    const std::string newer = write_fake_nvcc("newer/nvcc", "11.1", "52 80");
    EXPECT_EQ(plan({old, newer}, gpu)[0].compiler.path, newer);
    const std::string newest = write_fake_nvcc("newest/nvcc", "12.0", "52 90 120");
    const std::vector<Attempt> attempts = plan({old, newest}, gpu);
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_EQ(attempts[0].compiler.path, newest);
    EXPECT_EQ(attempts[0].target.arch, "sm_90");
}

TEST_F(OldCompiler, ADeviceTooOldForTheCompilerIsReported) {
    const std::string nvcc = write_fake_nvcc("new/nvcc", "13.0", "75 90");
    try {
        plan({nvcc}, TargetDevice{true, false, 5, 2});
        FAIL();
    } catch (const CompileError& error) {
        EXPECT_NE(error.msg().find("sm_52"), std::string::npos) << error.msg();
        EXPECT_NE(error.msg().find("sm_75"), std::string::npos) << error.msg();
    }
}

TEST_F(OldCompiler, ArchitecturesOfTheOldestAreReadFromTheHelp) {
    const std::string ancient =
        write_script("nvcc", "case $1 in --help) echo \"'compute_35','compute_50','sm_35'\";; *) exit 1;; esac\n");
    EXPECT_EQ(nvcc_architectures({"nvcc", ancient, "", {}}), (std::vector<int>{35, 50}));
}

TEST_F(OldCompiler, IsQueriedOnceForItsArchitectures) {
    const std::string asked = (folder_ / "asked").string();
    const std::string nvcc = write_script("counting/nvcc", "echo >> " + asked + "; echo compute_90\n");
    for (int k = 0; k < 3; ++k) EXPECT_EQ(plan({nvcc}, gpu).size(), 1u);
    EXPECT_EQ(read(asked), "\n") << "a process for each compile takes longer than everything before it";
}

class Processes : public CompilerTest {};

TEST_F(Processes, StatusAndBothOutputs) {
    const std::string script = write_script("p", "pwd; echo err >&2; cat; exit 7\n");
    const ProcessResult result = run_process({script}, folder_);
    EXPECT_EQ(result.status, 7);
    EXPECT_EQ(result.stdout_text, fs::canonical(folder_).string() + "\n") << "and an empty standard input";
    EXPECT_EQ(result.stderr_text, "err\n");
    EXPECT_EQ(run_process({write_script("k", "kill -9 $$\n")}).status, 128 + 9);
}

TEST_F(Processes, AShellCanChangeTheFolder) {
    const fs::path odd = fs::path(folder_) / "it's a \"folder\" $HOME";
    fs::create_directory(odd);
    const std::string script = write_script("p", "pwd; printf '<%s>' \"$@\"; exit 7\n");
    const ProcessResult result = run_process(in_folder({script, "a b", "", "$c"}, odd));
    EXPECT_EQ(result.status, 7);
    EXPECT_EQ(result.stdout_text, fs::canonical(odd).string() + "\n<a b><><$c>");
}

TEST_F(Processes, LargeOutputOnBothPipesDoesNotBlock) {
    const std::string script = write_script(
        "p",
        "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; "
        "echo 0123456789012345678901234567890123456789012345678901234567890123456789 >&2; i=$((i+1)); done\n");
    const ProcessResult result = run_process({script});
    EXPECT_EQ(result.stdout_text.size(), 3000u * 71);
    EXPECT_EQ(result.stderr_text.size(), 3000u * 71);
}

TEST_F(Processes, WhatAProgramLeavesRunningIsNotWaitedFor) {
    const auto start = std::chrono::steady_clock::now();
    const ProcessResult result = run_process({write_script("p", "sleep 20 &\necho out; echo err >&2; exit 3\n")});
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.stdout_text, "out\n");
    EXPECT_EQ(result.stderr_text, "err\n");
    run_process({write_script("q", "yes &\nsleep 0.2; kill $!\n")});
    EXPECT_EQ(run_process({write_script("r", "(while echo y; do :; done) 2> /dev/null &\n")}).status, 0)
        << "not even while it writes";
}

TEST_F(Processes, WhatCannotBeStartedIsAnError) {
    EXPECT_THROW(run_process({"/no/such/program"}), RuntimeError);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace pycuda::test
