// Finding compilers in every layout, and the message when there is none.
#include "compiler/identity.hpp"
#include "compiler_fixture.hpp"
#include "platform/libraries.hpp"
#include "pycuda/reports/report.hpp"
#include "toolchain/toolchain_search.hpp"

#if defined(__aarch64__)
#define CONDA_TARGET "aarch64-linux"
#else
#define CONDA_TARGET "x86_64-linux"
#endif

namespace pycuda::test {
namespace {

class Toolchain : public CompilerTest {
protected:
    Toolchain() {
        for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX"}) unset(name);
        set("PATH", folder_ / "no-programs");
    }
    const Toolkit* toolkit_at(const std::string& root) {
        toolkits_ = find_toolkits();
        for (const Toolkit& toolkit : toolkits_)
            if (toolkit.root == root) return &toolkit;
        return nullptr;
    }
    std::vector<Toolkit> toolkits_;
};

TEST_F(Toolchain, SystemLayout) {
    const std::string root = folder_ / "cuda";
    write_fake_nvcc("cuda/bin/nvcc", "12.4", "90");
    write("cuda/lib64/libnvrtc.so.12", "");
    write("cuda/include/cuda.h", "");
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) {
        set(variable, root);
        const Toolkit* toolkit = toolkit_at(root);
        ASSERT_TRUE(toolkit) << variable;
        EXPECT_EQ(toolkit->found_by, variable);
        EXPECT_EQ(toolkit->nvcc, root + "/bin/nvcc");
        EXPECT_EQ(toolkit->nvrtc, root + "/lib64/libnvrtc.so.12");
        EXPECT_EQ(toolkit->include_dirs, std::vector<std::string>{root + "/include"});
        unset(variable);
    }
}

TEST_F(Toolchain, LinkOnPathLeadsToItsToolkit) {
    write_fake_nvcc("cuda/bin/nvcc", "12.4", "90");
    fs::create_directories(folder_ / "links");
    fs::create_symlink(folder_ / "cuda/bin/nvcc", folder_ / "links/nvcc");
    set("PATH", "/no/such:" + (folder_ / "links").string());
    const Toolkit* toolkit = toolkit_at(fs::canonical(folder_ / "cuda"));
    ASSERT_TRUE(toolkit);
    EXPECT_EQ(toolkit->found_by, "PATH");
    EXPECT_EQ(find_nvcc(), folder_ / "links/nvcc");
}

TEST_F(Toolchain, PipLayoutsNewestFirst) {
    const fs::path site = folder_ / "venv/lib/python3.12/site-packages";
    write_fake_nvcc(site / "nvidia/cuda_nvcc/bin/nvcc", "12.4", "90");
    write(site / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
    write(site / "nvidia/cuda_runtime/include/cuda.h", "");
    write(site / "nvidia/curand/include/curand_kernel.h", "");
    set("VIRTUAL_ENV", folder_ / "venv");
    const Toolkit* old = toolkit_at(site / "nvidia");
    ASSERT_TRUE(old);
    EXPECT_EQ(old->nvcc, site / "nvidia/cuda_nvcc/bin/nvcc");
    EXPECT_EQ(old->nvrtc, site / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    EXPECT_EQ(old->include_dirs,
              (std::vector<std::string>{site / "nvidia/cuda_runtime/include", site / "nvidia/curand/include"}));

    write(site / "nvidia/cu9/lib/libnvrtc.so.9", "");
    write_fake_nvcc(site / "nvidia/cu13/bin/nvcc", "13.0", "90");
    ASSERT_TRUE(toolkit_at(site / "nvidia/cu13"));
    std::vector<std::string> roots;
    for (const Toolkit& toolkit : toolkits_)
        if (toolkit.found_by == "VIRTUAL_ENV") roots.push_back(toolkit.root);
    EXPECT_EQ(roots, (std::vector<std::string>{site / "nvidia/cu13", site / "nvidia/cu9", site / "nvidia"}));
}

TEST_F(Toolchain, CondaLayout) {
    const std::string prefix = folder_ / "conda";
    write_fake_nvcc("conda/bin/nvcc", "12.4", "90");
    const std::string headers = prefix + "/targets/" CONDA_TARGET "/include";
    write(headers + "/cuda.h", "");
    add_toolkit_search_root(prefix + "/lib/python3.12/site-packages");
    const Toolkit* toolkit = toolkit_at(prefix);
    ASSERT_TRUE(toolkit) << "the environment of the running interpreter need not be activated";
    EXPECT_EQ(toolkit->nvcc, prefix + "/bin/nvcc");
    EXPECT_EQ(toolkit->include_dirs, std::vector<std::string>{headers});
}

TEST_F(Toolchain, WithoutAnInterpreterTheLibraryPathAndWhatPipInstalledAreSearched) {
    write("natives/libnvrtc.so.13", "");
    add_toolkit_library_folder(folder_ / "natives");
    const Toolkit* natives = toolkit_at(folder_ / "natives");
    ASSERT_TRUE(natives);
    EXPECT_EQ(natives->nvrtc, folder_ / "natives/libnvrtc.so.13");
    EXPECT_EQ(natives->library_dirs, std::vector<std::string>{folder_ / "natives"});

    write("user/.local/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "");
    set("HOME", folder_ / "user");
    EXPECT_TRUE(toolkit_at(folder_ / "user/.local/lib/python3.11/site-packages/nvidia/cu13"));

    write("environment/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "");
    write_script("system/python3.12", "");
    fs::create_directories(folder_ / "environment/bin");
    fs::create_symlink(folder_ / "system/python3.12", folder_ / "environment/bin/python3");
    set("PATH", folder_ / "environment/bin");
    EXPECT_TRUE(toolkit_at(folder_ / "environment/lib/python3.12/site-packages/nvidia/cu13")) << "not activated";
}

/// The first bytes of a shared library for this machine.
std::string library_for(unsigned machine) {
    std::string header(64, '\0');
    header.replace(0, 7,
                   "\x7f"
                   "ELF\2\1\1");
    header[16] = 3;  // shared
    header[18] = static_cast<char>(machine & 255);
    header[19] = static_cast<char>(machine >> 8);
    return header;
}

TEST_F(Toolchain, LibrariesForOtherProcessorsAreNotToolkits) {
    constexpr unsigned riscv = 243;
    write("other/lib64/libnvrtc.so.13", library_for(riscv));
    write("other/lib64/libnvJitLink.so.13", library_for(riscv));
    write("own/lib64/libnvrtc.so.12", "");
    write("own/lib64/libnvJitLink.so.12", "");
    set("CUDA_HOME", folder_ / "other");
    set("CUDA_PATH", folder_ / "own");
    EXPECT_FALSE(toolkit_at(folder_ / "other"));
    EXPECT_EQ(find_nvrtc(), folder_ / "own/lib64/libnvrtc.so.12");
    EXPECT_EQ(find_library("nvJitLink"), folder_ / "own/lib64/libnvJitLink.so.12");
}

TEST_F(Toolchain, NamedToolkitIsTheOnlyOne) {
    write_fake_nvcc("named/bin/nvcc", "12.4", "90");
    write_fake_nvcc("links/nvcc", "12.5", "90");
    set("PATH", folder_ / "links");
    EXPECT_EQ(find_nvcc(), folder_ / "links/nvcc");
    set("PYCUDA_TOOLKIT", folder_ / "named");
    EXPECT_EQ(find_nvcc(), folder_ / "named/bin/nvcc");
    EXPECT_EQ(find_toolkits().size(), 1u);
    EXPECT_EQ(find_nvcc(folder_ / "links/nvcc"), folder_ / "links/nvcc") << "a path is a path";
    set("PYCUDA_TOOLKIT", folder_ / "empty");
    EXPECT_EQ(find_nvcc(), "");
    EXPECT_EQ(find_nvrtc(), "");
}

TEST_F(Toolchain, NoCompilerSaysWhereItLookedAndTheRemedy) {
    set("PYCUDA_TOOLKIT", folder_ / "empty");
    for (const char* backend : {"auto", "nvcc", "nvrtc"}) {
        try {
            compile(request(fast_kernel, backend));
            FAIL() << backend;
        } catch (const CompileError& error) {
            EXPECT_NE(error.msg().find((folder_ / "empty").string()), std::string::npos) << error.msg();
            EXPECT_NE(error.msg().find("set CUDA_HOME to its folder"), std::string::npos) << error.msg();
        }
    }
    unset("PYCUDA_TOOLKIT");
    set("CUDA_HOME", folder_ / "empty-home");
    fs::create_directories(folder_ / "venv/lib/python3.12/site-packages");
    set("VIRTUAL_ENV", folder_ / "venv");
    const std::string report = toolkit_search_report();
    for (const char* place : {"PATH", "/empty-home (CUDA_HOME)", "/usr/local/cuda", "python3.12/site-packages/nvidia"})
        EXPECT_NE(report.find(place), std::string::npos) << place << " in\n" << report;
}

TEST_F(Toolchain, NvccThatDoesNotStartIsAnError) {
    CompileRequest bad = request(fast_kernel);
    bad.nvcc = folder_ / "none/nvcc";
    EXPECT_THROW(compile(bad), CompileError);
    bad.nvcc = write_script("bin/nvcc",
                            "case $1 in --version) echo V1;; *) echo on stdout; echo on stderr >&2; exit 3;; esac\n");
    try {
        compile(bad);
        FAIL();
    } catch (const CompileError& error) {
        EXPECT_EQ(error.stdout_text(), "on stdout\n");
        EXPECT_EQ(error.stderr_text(), "on stderr\n");
        EXPECT_EQ(error.command_line()[0], bad.nvcc);
    }
}

TEST_F(Toolchain, ReportWithoutCompilersIsShort) {
    set("PYCUDA_TOOLKIT", folder_ / "none");
    const Report made = report("a test");
    EXPECT_FALSE(made.ok);
    EXPECT_NE(made.summary.find("compiler: none found; --verbose lists"), std::string::npos) << made.summary;
    EXPECT_EQ(made.summary.find("Searched for"), std::string::npos) << made.summary;
    EXPECT_NE(made.text.find("Searched for nvcc and libnvrtc in:"), std::string::npos) << made.text;
}

TEST_F(Toolchain, StaticLibraries) {
    const std::string path = write("libs/libmine.a", "");
    EXPECT_EQ(find_static_library("mine", folder_ / "libs"), path);
    EXPECT_TRUE(find_static_library("cudadevrt").ends_with("/libcudadevrt.a"));
    set("LD_LIBRARY_PATH", "/no/such:" + (folder_ / "libs").string());
    EXPECT_EQ(find_static_library("mine"), path);
    try {
        find_static_library("none", "/given");
        FAIL();
    } catch (const RuntimeError& error) {
        EXPECT_NE(std::string(error.what()).find("libnone.a"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("/given"), std::string::npos);
    }
}

TEST_F(Toolchain, DeviceHeadersComeFromTheEnvironmentFirst) {
    const std::string given = folder_ / "headers";
    set("PYCUDA_DEVICE_INCLUDE_DIR", given);
    EXPECT_EQ(device_include_dir(), given);
    unset("PYCUDA_DEVICE_INCLUDE_DIR");
    EXPECT_TRUE(device_include_dir().ends_with("core/device/include"));
}

TEST_F(Toolchain, IdentityIsTheCompilersNotItsPlace) {
    const std::string one = write_fake_nvcc("one/bin/nvcc", "12.4", "90");
    const std::string two = write_fake_nvcc("two/bin/nvcc", "12.4", "90");
    const std::string other = write_fake_nvcc("other/bin/nvcc", "12.5", "90");
    EXPECT_EQ(nvcc_identity(one, ""), nvcc_identity(two, ""));
    EXPECT_NE(nvcc_identity(one, ""), nvcc_identity(other, ""));
    EXPECT_TRUE(nvcc_identity(one, "").starts_with("nvcc 12.4 "));
    EXPECT_EQ(nvcc_identity(folder_ / "none", ""), "");
    EXPECT_NE(build_id(path_of_own_library()), "");
}

TEST_F(Toolchain, IdentityOfABinaryIsRememberedOnDisk) {
    // Any program that answers --version does; a script would not be remembered, as it may start anything.
    const std::string program = folder_ / "bin/nvcc", script = write_fake_nvcc("script/nvcc", "12.4", "90");
    fs::create_directories(folder_ / "bin");
    fs::copy_file("/bin/true", program);
    const std::string identity = nvcc_identity(program, folder_ / "memo");
    EXPECT_TRUE(identity.starts_with("nvcc ")) << identity;
    nvcc_identity(script, folder_ / "memo");
    const fs::directory_iterator memos(folder_ / "memo");
    ASSERT_EQ(std::distance(memos, fs::directory_iterator()), 1);
    EXPECT_TRUE(read(fs::directory_iterator(folder_ / "memo")->path()).ends_with(identity));
}

}  // namespace
}  // namespace pycuda::test
