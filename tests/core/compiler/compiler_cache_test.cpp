// The disk cache: hits and misses; crashes, concurrent writers and full disks do not break it.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "compiler_fixture.hpp"

namespace pycuda::test {
namespace {

class CompilerCacheTest : public CompilerTest {
protected:
    CompilerCacheTest() { nvcc_ = write_fake_nvcc("bin/nvcc", "12.4", "80 90"); }

    CompileRequest fake(const std::string& source) const {
        CompileRequest made = request(source, "nvcc");
        made.nvcc = nvcc_;
        return made;
    }
    std::string cache_folder() const { return folder_ / "cache"; }
    fs::path only_entry() const {
        fs::path found;
        for (const auto& file : fs::recursive_directory_iterator(cache_folder()))
            if (file.path().extension() == ".entry") found = file.path();
        return found;
    }

    std::string nvcc_;
};

TEST_F(CompilerCacheTest, HitRunsNoCompiler) {
    const CompileResult first = compile(fake("a"));
    EXPECT_FALSE(first.cached);
    const CompileResult second = compile(fake("a"));
    EXPECT_TRUE(second.cached);
    EXPECT_EQ(second.image, first.image);
    EXPECT_EQ(second.kind, first.kind);
    EXPECT_EQ(second.backend, "nvcc");
    EXPECT_EQ(second.command_line, first.command_line);
    EXPECT_EQ(runs(), 1);
}

TEST_F(CompilerCacheTest, EveryArgumentCounts) {
    const std::vector<std::function<void(CompileRequest&)>> changes = {
        [](CompileRequest& r) { r.source += " "; },     [](CompileRequest& r) { r.options = {"-DX"}; },
        [](CompileRequest& r) { r.arch = "sm_80"; },    [](CompileRequest& r) { r.no_extern_c = true; },
        [](CompileRequest& r) { r.target = "ptx"; },    [](CompileRequest& r) { r.include_dirs = {"/tmp"}; },
        [](CompileRequest& r) { r.name = "other.cu"; }, [](CompileRequest& r) { r.code = "sm_90"; },
    };
    compile(fake("a"));
    int expected = 1;
    for (const auto& change : changes) {
        CompileRequest changed = fake("a");
        change(changed);
        EXPECT_FALSE(compile(changed).cached) << expected;
        EXPECT_TRUE(compile(changed).cached) << expected;
        EXPECT_EQ(runs(), ++expected);
    }
}

TEST_F(CompilerCacheTest, ChangedHeaderIsSeenWithoutAWait) {
    write("inc/a.h", "#include \"deep/b.h\"\n");
    write("inc/deep/b.h", "1\n");
    CompileRequest included = fake("#include \"a.h\"\n");
    included.include_dirs = {folder_ / "inc"};
    compile(included);
    EXPECT_TRUE(compile(included).cached);
    write("inc/deep/b.h", "2\n");
    EXPECT_FALSE(compile(included).cached);
    EXPECT_TRUE(compile(included).cached);
    write("inc/deep/b.h", "1\n");
    EXPECT_TRUE(compile(included).cached) << "the first variant is still there";
    EXPECT_EQ(runs(), 2);
}

TEST_F(CompilerCacheTest, TouchedHeaderIsStillAHit) {
    const std::string header = write("inc/a.h", "1\n");
    CompileRequest included = fake("#include \"a.h\"\n");
    included.include_dirs = {folder_ / "inc"};
    compile(included);
    fs::last_write_time(header, fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_TRUE(compile(included).cached);
    EXPECT_TRUE(compile(included).cached);
}

TEST_F(CompilerCacheTest, HeaderThatShadowsAnotherIsSeen) {
    write("second/a.h", "2\n");
    fs::create_directories(folder_ / "first");
    CompileRequest included = fake("#include <a.h>\n");
    included.include_dirs = {folder_ / "first", folder_ / "second"};
    compile(included);
    EXPECT_TRUE(compile(included).cached);
    write("first/a.h", "1\n");
    EXPECT_FALSE(compile(included).cached);
}

TEST_F(CompilerCacheTest, RealNvccsDependenciesAreSeenAlsoThroughMacros) {
    write("inc/a.h", "#define B \"b.h\"\n#include B\n");
    write("inc/b.h", "__device__ int b = 1;\n");
    for (const char* backend : {"nvcc", "nvrtc"}) {
        CompileRequest included = request("#include \"a.h\"\n", backend);
        included.include_dirs = {folder_ / "inc"};
        compile(included);
        write("inc/b.h", "__device__ int b = 2;\n");
        EXPECT_FALSE(compile(included).cached) << backend;
    }
}

TEST_F(CompilerCacheTest, OtherCompilerIsAnotherEntryAndItsPathIsNot) {
    compile(fake("a"));
    const std::string newer = write_fake_nvcc("newer/nvcc", "13.0", "80 90");
    fs::rename(newer, nvcc_);
    EXPECT_FALSE(compile(fake("a")).cached);
    write_fake_nvcc("newer/nvcc", "13.0", "80 90");
    fs::rename(newer, nvcc_);
    EXPECT_TRUE(compile(fake("a")).cached) << "the same compiler, installed anew";
}

TEST_F(CompilerCacheTest, DisabledCacheIsNeitherReadNorWritten) {
    CompileRequest uncached = fake("a");
    uncached.use_cache = false;
    compile(uncached);
    EXPECT_FALSE(fs::exists(cache_folder()));
    compile(fake("a"));
    EXPECT_FALSE(compile(uncached).cached);
    set("PYCUDA_DISABLE_CACHE", "");
    EXPECT_FALSE(compile(fake("a")).cached) << "any value disables, the empty one too";
    CompileRequest elsewhere = fake("a");
    elsewhere.cache_dir = folder_ / "other";
    compile(elsewhere);
    EXPECT_FALSE(fs::exists(folder_ / "other")) << "the environment wins over cache_dir";
}

TEST_F(CompilerCacheTest, CacheDirWinsOverTheEnvironment) {
    CompileRequest elsewhere = fake("a");
    elsewhere.cache_dir = folder_ / "other";
    compile(elsewhere);
    EXPECT_FALSE(fs::exists(cache_folder()));
    EXPECT_TRUE(compile(elsewhere).cached);
    EXPECT_EQ(CompilerCache(folder_ / "other").list().size(), 1u);
}

TEST_F(CompilerCacheTest, CorruptedEntriesAreCompiledAgain) {
    const Bytes image = compile(fake("a")).image;
    const fs::path entry = only_entry();
    const std::string intact = read(entry);
    std::string flipped = intact;
    flipped[flipped.size() - 3] ^= 1;
    for (const std::string& corrupted :
         {flipped, intact.substr(0, intact.size() / 2), std::string("x"), std::string()}) {
        std::ofstream(entry, std::ios::binary) << corrupted;
        EXPECT_TRUE(CompilerCache().list().empty());
        const CompileResult result = compile(fake("a"));
        EXPECT_FALSE(result.cached);
        EXPECT_EQ(result.image, image);
        EXPECT_TRUE(compile(fake("a")).cached);
    }
}

TEST_F(CompilerCacheTest, ThreadsCompileASourceOnce) {
    nvcc_ = write_fake_nvcc("bin/nvcc", "12.4", "90", "sleep 0.3");
    std::vector<std::thread> threads;
    std::vector<CompileResult> results(6);
    for (CompileResult& result : results) threads.emplace_back([&] { result = compile(fake("a")); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(runs(), 1);
    for (const CompileResult& result : results) EXPECT_EQ(result.image, results[0].image);
}

TEST_F(CompilerCacheTest, ProcessesCompileASourceOnce) {
    nvcc_ = write_fake_nvcc("bin/nvcc", "12.4", "90", "sleep 0.3");
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            try {
                _exit(compile(fake("a")).image.empty() ? 1 : 0);
            } catch (...) {
                _exit(2);
            }
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(runs(), 1);
    EXPECT_TRUE(compile(fake("a")).cached);
}

TEST_F(CompilerCacheTest, LeastRecentlyUsedGoFirst) {
    const std::string kilobytes(4000, ' ');
    compile(fake("old" + kilobytes));
    const fs::path oldest = only_entry();
    fs::last_write_time(oldest, fs::file_time_type::clock::now() - std::chrono::hours(3));
    compile(fake("used" + kilobytes));
    set("PYCUDA_CACHE_SIZE", "11k");
    compile(fake("new" + kilobytes));
    EXPECT_FALSE(fs::exists(oldest));
    EXPECT_LE(CompilerCache().size(), 11u * 1024);
    EXPECT_TRUE(compile(fake("used" + kilobytes)).cached);
    EXPECT_TRUE(compile(fake("new" + kilobytes)).cached);
}

TEST_F(CompilerCacheTest, AHitIsAUse) {
    compile(fake("a"));
    fs::last_write_time(only_entry(), fs::file_time_type::clock::now() - std::chrono::hours(3));
    compile(fake("a"));
    EXPECT_GT(fs::last_write_time(only_entry()), fs::file_time_type::clock::now() - std::chrono::minutes(1));
}

TEST_F(CompilerCacheTest, UnwritableFolderIsReadFrom) {
    compile(fake("a"));
    // Root may write anywhere; FolderThatCannotBeMade... below tests a folder that even root cannot create.
    for (const auto& file : fs::recursive_directory_iterator(cache_folder()))
        fs::permissions(file.path(), fs::is_directory(file) ? fs::perms(0555) : fs::perms(0444));
    fs::permissions(cache_folder(), fs::perms(0555));
    EXPECT_TRUE(compile(fake("a")).cached);
    EXPECT_NO_THROW(compile(fake("b")));
    for (const auto& file : fs::recursive_directory_iterator(cache_folder()))
        fs::permissions(file.path(), fs::perms(0755));
    fs::permissions(cache_folder(), fs::perms(0755));
}

TEST_F(CompilerCacheTest, FolderThatCannotBeMadeIsNoObstacle) {
    CompileRequest impossible = fake("a");
    impossible.cache_dir = write("file", "") + "/cache";
    EXPECT_FALSE(compile(impossible).cached);
    EXPECT_FALSE(compile(impossible).cached);
    EXPECT_EQ(runs(), 2);
}

TEST_F(CompilerCacheTest, ListAndClear) {
    compile(fake("a"));
    CompileRequest named = fake("b");
    named.name = "second.cu";
    named.target = "ptx";
    compile(named);
    CompilerCache cache;
    std::vector<CacheEntryInfo> infos = cache.list();
    ASSERT_EQ(infos.size(), 2u);
    if (infos[0].name != "second.cu") std::swap(infos[0], infos[1]);
    EXPECT_EQ(infos[0].name, "second.cu");
    EXPECT_EQ(infos[0].kind, "ptx");
    EXPECT_EQ(infos[0].arch, "sm_90");
    EXPECT_TRUE(infos[0].compiler.starts_with("nvcc 12.4 "));
    EXPECT_NE(infos[0].key, infos[1].key);
    EXPECT_EQ(infos[0].nbytes + infos[1].nbytes, cache.size());
    EXPECT_EQ(cache.clear(), 2u);
    EXPECT_TRUE(cache.list().empty());
    EXPECT_EQ(cache.clear(), 0u);
}

TEST_F(CompilerCacheTest, MachineWithoutCompilerRunsWhatWasImported) {
    // Stands for the machine that compiles: a real one, with headers of the user's, the library's and the toolkit's.
    write("inc/mine.h", "#define SIZE 3\n");
    CompileRequest included = request("#include <cuda_fp16.h>\n#include \"mine.h\"\n__device__ __half table[SIZE];\n");
    included.include_dirs = {folder_ / "inc"};
    included.no_extern_c = true;
    const Bytes image = compile(included).image;
    const std::string archive = folder_ / "kernels.tar";
    EXPECT_EQ(CompilerCache().export_to(archive), 1u);

    set("PYCUDA_TOOLKIT", folder_ / "no-toolkit");
    CompileRequest elsewhere = included;
    elsewhere.cache_dir = folder_ / "imported";
    EXPECT_THROW(compile(elsewhere), CompileError);
    CompilerCache other(folder_ / "imported");
    EXPECT_EQ(other.import_from(archive), 1u);
    EXPECT_EQ(other.import_from(archive), 0u) << "all are there already";
    const CompileResult result = compile(elsewhere);
    EXPECT_TRUE(result.cached);
    EXPECT_EQ(result.image, image);
    write("inc/mine.h", "#define SIZE 4\n");
    EXPECT_THROW(compile(elsewhere), CompileError) << "what cannot be compiled anew is not served stale";
}

TEST_F(CompilerCacheTest, OtherKindOfCompilerDoesNotHideWhatWasImported) {
    // Made by nvcc, as its code of the host asks for; then only an NVRTC is there.
    CompileRequest host_code = request("extern \"C\" __global__ void f() {}\nint of_the_host() { return 1; }\n");
    host_code.no_extern_c = true;
    EXPECT_EQ(compile(host_code).backend, "nvcc");
    use_only_nvrtc("nvrtc-only");
    EXPECT_EQ(find_nvcc(), "");
    EXPECT_TRUE(compile(host_code).cached);
}

TEST_F(CompilerCacheTest, ImportRejectsOtherFiles) {
    compile(fake("a"));
    const std::string archive = folder_ / "kernels.tar";
    CompilerCache().export_to(archive);
    std::string text = read(archive);
    CompilerCache other(folder_ / "other");
    EXPECT_THROW(other.import_from(folder_ / "missing.tar"), RuntimeError);
    EXPECT_THROW(other.import_from(write("short.tar", text.substr(0, 700))), RuntimeError);
    text[600] ^= 1;
    EXPECT_THROW(other.import_from(write("flipped.tar", text)), RuntimeError);
    EXPECT_TRUE(other.list().empty());
    EXPECT_THROW(CompilerCache().export_to("/proc/none/kernels.tar"), RuntimeError);
}

}  // namespace
}  // namespace pycuda::test
