// Files, folders and locks as every system must give them, also with names that are not ASCII.
#include "platform/files.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace pycuda::test {
namespace {

class FilesTest : public ::testing::Test {
protected:
    std::string path(const std::string& name) const { return join_path(folder_.path(), name); }

    TemporaryDirectory folder_;
};

TEST(Paths, TheirPartsAreSeparatedBySlashes) {
    EXPECT_EQ(join_path("a", "b"), "a/b");
    EXPECT_EQ(join_path("a/", "b"), "a/b");
    EXPECT_EQ(parent_path("a/b/c"), "a/b");
    EXPECT_EQ(parent_path("a"), "");
    const std::string here = absolute_path(".");
    EXPECT_TRUE(is_absolute_path(here)) << here;
    EXPECT_TRUE(is_directory(here)) << here;
    EXPECT_EQ(here.find('\\'), std::string::npos) << here;
    EXPECT_EQ(absolute_path("x/../y"), join_path(absolute_path("z/.."), "y"));
    EXPECT_FALSE(is_absolute_path("a/b"));
    EXPECT_TRUE(names_a_folder("a/b"));
    EXPECT_FALSE(names_a_folder("nvcc"));
}

TEST(Paths, TheFoldersOfThisProcessExist) {
    for (const std::string& folder : {own_folder(), home_directory(), user_cache_folder(), temporary_folder()})
        EXPECT_TRUE(is_absolute_path(folder)) << folder;
    EXPECT_TRUE(is_directory(own_folder()));
    EXPECT_TRUE(is_directory(temporary_folder()));
}

TEST_F(FilesTest, NamesAreUtf8) {
    const std::string folder = path("caf\u00e9 \u6587\u4ef6"), file = join_path(folder, "a b \u00df.txt");
    ASSERT_TRUE(write_file_atomically(file, "text"));
    EXPECT_EQ(directory_entries(folder), std::vector<std::string>{"a b \u00df.txt"});
    EXPECT_EQ(read_file(file), "text");
    EXPECT_TRUE(is_file(file));
    EXPECT_FALSE(is_directory(file));
    EXPECT_TRUE(is_directory(folder));
    EXPECT_EQ(real_path(file), join_path(real_path(folder), "a b \u00df.txt"));
    EXPECT_TRUE(remove_file(file));
    EXPECT_FALSE(path_exists(file));
    EXPECT_TRUE(remove_file(file)) << "what is gone is no failure";
    remove_empty_folder(folder);
    EXPECT_FALSE(path_exists(folder));
}

TEST_F(FilesTest, ContentsAreBytes) {
    std::string bytes("a\r\n\x1a\0b\n", 7);
    ASSERT_TRUE(write_file_atomically(path("bytes"), bytes));
    EXPECT_EQ(read_file(path("bytes")), bytes);
    EXPECT_EQ(read_part(path("bytes"), 2, 3), bytes.substr(2, 3));
    EXPECT_FALSE(read_part(path("bytes"), 5, 3)) << "the file ends before";
    EXPECT_EQ(file_stamp(path("bytes"))->nbytes, bytes.size());
    ASSERT_TRUE(write_file_atomically(path("empty"), ""));
    EXPECT_EQ(read_file(path("empty")), "");
}

TEST_F(FilesTest, WhatIsNotThereIsSaid) {
    EXPECT_FALSE(read_file(path("none")));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(read_file(folder_.path()));
    EXPECT_EQ(errno, EISDIR);
    EXPECT_FALSE(file_stamp(folder_.path())) << "a folder";
    EXPECT_EQ(directory_entries(path("none")), std::vector<std::string>{});
    ASSERT_TRUE(write_new_file(path("file"), ""));
    EXPECT_FALSE(write_new_file(path("file"), ""));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_FALSE(write_file_atomically(path("file/below"), "")) << "a file is no folder";
    EXPECT_EQ(directory_entries(folder_.path()), std::vector<std::string>{"file"}) << "no temporary file remains";
}

TEST_F(FilesTest, AStampSaysThatAFileChanged) {
    ASSERT_TRUE(write_file_atomically(path("file"), "one"));
    const auto before = file_stamp(path("file"));
    EXPECT_EQ(file_stamp(path("file")), before);
    ASSERT_TRUE(write_file_atomically(path("file"), "two"));
    EXPECT_NE(file_stamp(path("file")), before) << "another file of the same size";
    constexpr std::int64_t minute = 60'000'000'000;
    EXPECT_NEAR(static_cast<double>(file_stamp(path("file"))->mtime_ns), static_cast<double>(now_ns()), minute);
}

TEST_F(FilesTest, AReaderNeverSeesHalfAFile) {
    const std::string first(5000, 'a'), second(300, 'b');
    ASSERT_TRUE(write_file_atomically(path("file"), first));
    std::atomic<bool> done{false};
    std::thread reader([&] {
        for (; !done; std::this_thread::sleep_for(std::chrono::milliseconds(5)))
            if (const auto seen = read_file(path("file"))) {
                EXPECT_TRUE(*seen == first || *seen == second);
            }
    });
    for (int n = 0; n < 100; ++n) EXPECT_TRUE(write_file_atomically(path("file"), n % 2 ? first : second)) << errno;
    done = true;
    reader.join();
}

TEST_F(FilesTest, ALockIsHeldByOne) {
    using namespace std::chrono_literals;
    std::atomic<int> inside{0}, others{0}, waits{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int n = 0; n < 5; ++n) {
                const FileLock lock(path("locks/one"), 60s);
                others += inside++;
                waits += lock.waited();
                std::this_thread::sleep_for(2ms);
                --inside;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(others, 0);
    EXPECT_GT(waits, 0);
    const FileLock held(path("locks/one"), 1s);
    EXPECT_FALSE(held.waited());
    const auto start = std::chrono::steady_clock::now();
    const FileLock refused(path("locks/one"), 20ms);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s) << "patience ends";
}

TEST_F(FilesTest, ATreeIsRemovedWhole) {
    ASSERT_TRUE(write_file_atomically(path("tree/a/b/c"), "x"));
    ASSERT_TRUE(write_file_atomically(path("tree/d"), "x"));
    remove_tree(path("tree"));
    EXPECT_FALSE(path_exists(path("tree")));
    EXPECT_FALSE(belongs_to_another_user(folder_.path()));
}

}  // namespace
}  // namespace pycuda::test
