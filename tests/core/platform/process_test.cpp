// Programs that are started: this one, which GoogleTest gives options for it.
#include "platform/process.hpp"

#include <gtest/gtest.h>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/libraries.hpp"
#include "platform/process_environment.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::test {
namespace {

/// This program runs all tests that its options name, although the run that starts it may have only some of them.
std::string own_program() {
    for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unset_environment(variable);
    return absolute_path(path_of_own_library());
}

TEST(ProcessTest, AProgramRunsToItsEnd) {
    const std::string own = own_program();
    const ProcessResult list = run_process({own, "--gtest_list_tests", "--gtest_filter=ProcessTest.*"});
    EXPECT_EQ(list.status, 0) << list.stderr_text;
    EXPECT_NE(list.stdout_text.find("AProgramRunsToItsEnd"), std::string::npos) << list.stdout_text;
    EXPECT_EQ(run_process({own, "--gtest_filter=ProcessTest.DISABLED_Fails", "--gtest_also_run_disabled_tests"}).status,
              1);
}

TEST(ProcessTest, DISABLED_Fails) {
    FAIL() << "for the test above";
}

TEST(ProcessTest, DISABLED_WritesMuch) {
    for (int n = 0; n < 3000; ++n) {
        std::fputs("0123456789012345678901234567890123456789\n", stdout);
        std::fputs("0123456789012345678901234567890123456789\n", stderr);
    }
}

TEST(ProcessTest, LargeOutputOnBothPipesDoesNotBlock) {
    const ProcessResult result = run_process(
        {own_program(), "--gtest_filter=ProcessTest.DISABLED_WritesMuch", "--gtest_also_run_disabled_tests"});
    EXPECT_EQ(result.status, 0);
    EXPECT_GT(result.stdout_text.size(), 3000u * 41);
    EXPECT_GE(result.stderr_text.size(), 3000u * 41);
}

TEST(ProcessTest, ArgumentsAndFoldersMayHaveAnyCharacters) {
    const TemporaryDirectory folder;
    const std::string odd = join_path(folder.path(), "it's \u00e9 folder");
    ASSERT_TRUE(make_private_folder(odd));
    const std::string file = "a b \"c\" \\.xml";
    run_process({own_program(), "--gtest_list_tests", "--gtest_output=json:list.json"}, odd);
    EXPECT_EQ(directory_entries(odd), std::vector<std::string>{"list.json"}) << "it ran in that folder";
    const ProcessResult result = run_process({own_program(), "--gtest_list_tests", "--gtest_filter=" + file});
    EXPECT_EQ(result.status, 0) << "and found no test of that name";
}

TEST(ProcessTest, WhatCannotBeStartedIsAnError) {
    EXPECT_THROW(run_process({"/no/such/program"}), RuntimeError);
    EXPECT_EQ(find_program("no-such-program"), "");
}

TEST(EnvironmentTest, EveryVariableIsListed) {
    EXPECT_NE(environment("PATH"), "");
    EXPECT_TRUE(environment_has("PATH"));
    EXPECT_FALSE(environment_has("PYCUDA_NO_SUCH_VARIABLE"));
    EXPECT_EQ(environment("PYCUDA_NO_SUCH_VARIABLE"), "");
    EXPECT_FALSE(environment_folders("PATH").empty());
    const auto all = environment_variables();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const std::string& variable) {
        return variable.size() > 5 && (variable.starts_with("PATH=") || variable.starts_with("Path="));
    }));
}

}  // namespace
}  // namespace pycuda::test
