// The disk cache: forbidden folders, bounded waits, and results that must not be stored.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include "compiler/cache_store.hpp"
#include "compiler/dependencies.hpp"
#include "compiler_fixture.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

constexpr uid_t nobodys_uid = 54321;

class CompilerCacheSafetyTest : public CompilerTest {
protected:
    CompilerCacheSafetyTest() { nvcc_ = write_fake_nvcc("bin/nvcc", "12.4", "80 90"); }

    CompileRequest fake(const std::string& source) const {
        CompileRequest made = request(source, "nvcc");
        made.nvcc = nvcc_;
        return made;
    }
    std::string cache_folder() const { return folder_ / "cache"; }

    std::string nvcc_;
};

/// Runs `body` in a process of a user without a passwd entry; true when that returned true.
bool as_nobody(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        try {
            _exit(setgid(nobodys_uid) == 0 && setuid(nobodys_uid) == 0 && body() ? 0 : 1);
        } catch (...) {
            _exit(2);
        }
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0;
}

/// Only root can be another user, not in every container, and not where that user may not go.
bool can_be_nobody(const std::string& folder) {
    return geteuid() == 0 && as_nobody([&] { return access(folder.c_str(), R_OK | X_OK) == 0; });
}

TEST_F(CompilerCacheSafetyTest, UserWithoutAHomeHasNoCache) {
    EXPECT_HAS(CacheStore("").reason_not_to_use(), "this user has no home directory");
    fs::permissions(folder_, fs::perms::all);
    if (!can_be_nobody(folder_)) GTEST_SKIP() << "cannot act as another user";
    for (const char* name : {"HOME", "XDG_CACHE_HOME", "PYCUDA_CACHE_DIR"}) unset(name);
    fs::remove(folder_ / "runs");
    EXPECT_TRUE(as_nobody([] { return CompilerCache::default_directory().empty(); }));
    EXPECT_TRUE(as_nobody([] { return CompilerCache().directory().empty() && CompilerCache().list().empty(); }));
    EXPECT_TRUE(as_nobody([&] { return !compile(fake("a")).cached && !compile(fake("a")).cached && runs() == 2; }));
    EXPECT_TRUE(as_nobody([] {
        return message_of<RuntimeError>([] { CompilerCache().import_from("any.tar"); }).find("no home directory") !=
               std::string::npos;
    }));
}

TEST_F(CompilerCacheSafetyTest, FoldersAreForThisUserOnly) {
    set("PYCUDA_CACHE_DIR", folder_ / "made/by/the/cache");
    compile(fake("a"));
    std::size_t folders = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "made")) {
        if (!entry.is_directory()) continue;
        ++folders;
        EXPECT_EQ(entry.status().permissions(), fs::perms::owner_all) << entry.path();
    }
    EXPECT_GE(folders, 6u);
}

TEST_F(CompilerCacheSafetyTest, FolderOfAnotherUserIsIgnored) {
    CompileRequest elsewhere = fake("a");
    elsewhere.cache_dir = folder_ / "mine";
    compile(elsewhere);
    const std::string archive = folder_ / "kernels.tar";
    CompilerCache(elsewhere.cache_dir).export_to(archive);
    EXPECT_TRUE(compile(elsewhere).cached);
    if (geteuid() != 0 || chown(elsewhere.cache_dir.c_str(), nobodys_uid, nobodys_uid) != 0)
        GTEST_SKIP() << "cannot give a folder to another user";
    EXPECT_FALSE(compile(elsewhere).cached);
    EXPECT_FALSE(compile(elsewhere).cached);
    EXPECT_TRUE(CompilerCache(elsewhere.cache_dir).list().empty());
    EXPECT_THROW(CompilerCache(elsewhere.cache_dir).import_from(archive), RuntimeError);
}

TEST_F(CompilerCacheSafetyTest, WhatRootPreparedServesAllUsers) {
    fs::permissions(folder_, fs::perms(0755));
    if (!can_be_nobody(folder_)) GTEST_SKIP() << "cannot act as another user";
    compile(fake("a"));
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
        fs::permissions(entry.path(), fs::perms(0755), fs::perm_options::add);
    EXPECT_TRUE(as_nobody([&] { return compile(fake("a")).cached; }));
}

TEST_F(CompilerCacheSafetyTest, HungCompilerOfAnotherProcessIsNotWaitedForForEver) {
    compile(fake("a"));
    const std::string lock = fs::directory_iterator(folder_ / "cache/locks")->path();
    const int held = open(lock.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
    CompilerCache().clear();
    set("PYCUDA_CACHE_WAIT", "0.2");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(compile(fake("a")).cached);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
    EXPECT_EQ(runs(), 2);
    EXPECT_TRUE(compile(fake("a")).cached) << "what was compiled without the lock is kept all the same";
    close(held);
}

TEST_F(CompilerCacheSafetyTest, LeftOverTemporaryFilesAreCountedAndCleared) {
    compile(fake("a"));
    const std::uint64_t before = CompilerCache().size();
    const std::string key = "ab/ab" + std::string(62, '0') + "/";
    const fs::path old = write("cache/" + key + "0123.entry.tmp.1.0", std::string(1000, 'x'));
    const fs::path memo = write("cache/compilers/0123.tmp.1.0", std::string(100, 'x'));
    const fs::path fresh = write("cache/" + key + "4567.entry.tmp.2.0", std::string(10, 'x'));
    for (const fs::path& path : {old, memo})
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(CompilerCache().size(), before + 1110);
    EXPECT_EQ(CompilerCache().list().size(), 1u);
    CacheStore(cache_folder()).shrink(1 << 20);
    EXPECT_FALSE(fs::exists(old));
    EXPECT_FALSE(fs::exists(memo));
    EXPECT_TRUE(fs::exists(fresh)) << "its writer may be at work";
    EXPECT_EQ(CompilerCache().clear(), 1u);
    EXPECT_FALSE(fs::exists(fresh));
    EXPECT_EQ(CompilerCache().size(), 0u);
}

TEST_F(CompilerCacheSafetyTest, HeaderThatCannotBeReadIsNotForgotten) {
    const std::string header = write("inc/a.h", "1\n");
    const HeaderRoots roots;
    EXPECT_TRUE(record_dependencies({header}, {}, {}, roots));
    EXPECT_FALSE(record_dependencies({header, folder_ / "inc/gone.h"}, {}, {}, roots));
    // A compiler that lists a header that cannot be hashed afterwards.
    nvcc_ = write_fake_nvcc("bin/nvcc", "12.4", "90", "echo \"x : " + header + "\" > kernel.d; rm -f " + header);
    CompileRequest included = fake("#include \"a.h\"\n");
    included.include_dirs = {folder_ / "inc"};
    compile(included);
    EXPECT_EQ(runs(), 1);
    write("inc/a.h", "2\n");
    EXPECT_FALSE(compile(included).cached);
}

}  // namespace
}  // namespace pycuda::test
