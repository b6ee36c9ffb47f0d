// Shared by the compiler tests: a private cache folder, restored environment variables, fake compilers, the real
// toolkit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include "platform/process_environment.hpp"
#include "pycuda/compiler/cache.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/toolchain/toolchain.hpp"

namespace pycuda::test {

namespace fs = std::filesystem;

class CompilerTest : public ::testing::Test {
protected:
    CompilerTest() {
        folder_ = make_temporary_folder("pycuda-test-");
        for (const char* name : {"PYCUDA_COMPILER", "PYCUDA_DISABLE_CACHE", "PYCUDA_CACHE_SIZE", "PYCUDA_TOOLKIT",
                                 "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"})
            unset(name);
        set("PYCUDA_CACHE_DIR", folder_ / "cache");
        const fs::path root = PYCUDA_SOURCE_DIR;
        set_device_include_dir((root / "core/device/include").generic_string());
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(PYTHON_LIBRARIES, error))
            add_toolkit_search_root((entry.path() / "site-packages").generic_string());
    }

    ~CompilerTest() override {
        for (const auto& [name, value] : saved_) value ? set_environment(name, *value) : unset_environment(name);
        fs::permissions(folder_, fs::perms::owner_all);
        std::error_code error;
        fs::remove_all(folder_, error);
    }

    void set(const std::string& name, const fs::path& value) {
        save(name);
        set_environment(name, value.generic_string());
    }
    void unset(const std::string& name) {
        save(name);
        unset_environment(name);
    }

    std::string write(const fs::path& name, const std::string& text) {
        const fs::path path = folder_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.generic_string();
    }
    static std::string read(const fs::path& path) {
        std::stringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }
    /// Makes a toolkit in `name` that has libnvrtc and nothing else, and makes it the only one.
    void use_only_nvrtc(const fs::path& name) {
        const fs::path nvrtc = find_nvrtc();
        fs::create_directories(folder_ / name / "lib");
        for (const auto& file : fs::directory_iterator(nvrtc.parent_path()))
            if (file.path().filename().string().starts_with("libnvrtc"))
                fs::create_symlink(file.path(), folder_ / name / "lib" / file.path().filename());
        set("PYCUDA_TOOLKIT", folder_ / name);
    }
    std::string write_script(const fs::path& name, const std::string& body) {
        const std::string path = write(name, "#!/bin/sh\n" + body);
        fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                        fs::perm_options::add);
        return path;
    }

    /// An nvcc of version `version` that knows `architectures` ("50 60"), counts its compiles in <folder>/runs, and
    /// makes an image of its command line and the source.
    std::string write_fake_nvcc(const fs::path& name, const std::string& version, const std::string& architectures,
                                const std::string& extra = "") {
        std::string list;
        std::istringstream words(architectures);
        for (std::string number; words >> number;) list += "echo compute_" + number + "; ";
        return write_script(name,
                            "case \"$1\" in\n"
                            "--version) echo 'nvcc: Cuda compilation tools, release " +
                                version + ", V" + version +
                                "'; exit 0;;\n"
                                "--list-gpu-arch) " +
                                list +
                                "exit 0;;\nesac\n"
                                "echo run >> " +
                                (folder_ / "runs").string() + "\n" + extra +
                                "\n"
                                "line=\"$*\"\n"
                                "while [ $# -gt 0 ]; do\n"
                                "  case \"$1\" in -o) out=\"$2\"; shift;; *.cu) in=\"$1\";; esac; shift\n"
                                "done\n"
                                "{ echo \"$line\"; cat \"$in\"; } > \"$out\"\n");
    }
    int runs() const {
        const std::string text = read(folder_ / "runs");
        return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    }

    static std::string text_of(const CompileResult& result) { return {result.image.begin(), result.image.end()}; }
    static bool is_elf(const CompileResult& result) {
        return text_of(result).starts_with(
            "\x7f"
            "ELF");
    }

    static CompileRequest request(const std::string& source, const std::string& backend = "") {
        CompileRequest made;
        made.source = source;
        made.backend = backend;
        made.arch = "sm_90";
        return made;
    }

    fs::path folder_;

private:
    void save(const std::string& name) {
        const char* value = std::getenv(name.c_str());
        saved_.emplace(name, value ? std::optional<std::string>(value) : std::nullopt);
    }
    std::map<std::string, std::optional<std::string>> saved_;
};

inline const std::string fast_kernel = "__global__ void fill(float *a)\n{\n    a[threadIdx.x] = 1.0f;\n}\n";

}  // namespace pycuda::test
