// Libraries that are loaded at run time, and what their files say.
#include "platform/libraries.hpp"

#include <gtest/gtest.h>

#include "platform/environment.hpp"
#include "platform/files.hpp"

namespace pycuda::test {
namespace {

TEST(LibrariesTest, NamesOfThisSystem) {
    EXPECT_TRUE(library_file("curand", 10).starts_with(library_prefix("curand")));
    EXPECT_TRUE(is_library_file(library_file("curand", 10)));
    EXPECT_NE(library_file("pycuda_cpu").find("pycuda_cpu"), std::string::npos);
}

TEST(LibrariesTest, TheCpuDeviceIsOne) {
    const std::string path = environment("PYCUDA_CPU_LIBRARY");
    if (path.empty()) GTEST_SKIP() << "PYCUDA_CPU_LIBRARY names no library";
    std::string why;
    void* const library = load_library(path, &why);
    ASSERT_TRUE(library) << why;
    EXPECT_TRUE(library_symbol(library, "cuInit"));
    EXPECT_FALSE(library_symbol(library, "cuNoSuchFunction"));
    EXPECT_FALSE(is_for_another_processor(path));
    EXPECT_EQ(linked_build_id(path), linked_build_id(path));
}

TEST(LibrariesTest, WhatCannotBeLoadedSaysWhy) {
    std::string why;
    EXPECT_FALSE(load_library("no-such-library", &why));
    EXPECT_NE(why.find("no-such-library"), std::string::npos) << why;
    const TemporaryDirectory folder;
    const std::string text = join_path(folder.path(), "text");
    ASSERT_TRUE(write_file_atomically(text, "no library"));
    EXPECT_FALSE(load_library(text, &why));
    EXPECT_FALSE(is_for_another_processor(text));
    EXPECT_EQ(linked_build_id(text), "");
}

TEST(LibrariesTest, ThisProgramIsKnown) {
    EXPECT_TRUE(is_file(path_of_own_library())) << path_of_own_library();
    EXPECT_EQ(parent_path(absolute_path(path_of_own_library())), own_folder());
}

}  // namespace
}  // namespace pycuda::test
