#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exec/image.hpp"
#include "exec/memory.hpp"

namespace {

/// Replays what fuzz_ptx found: each file reaches code that no other one reaches, most of them as far as lowering.
TEST(FuzzCorpus, EveryFileEndsInAnImageOrInAnErrorOfALine) {
    std::size_t loaded = 0, refused = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FUZZ_CORPUS_DIRECTORY)) {
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        const auto start = std::chrono::steady_clock::now();
        cpu::exec::Memory memory;
        try {
            cpu::exec::Image::load(text.str(), memory);
            ++loaded;
        } catch (const cpu::exec::LoadError& error) {
            EXPECT_GE(error.line(), 1) << entry.path() << ": " << error.what();
            EXPECT_STRNE(error.what(), "") << entry.path();
            ++refused;
        }
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << entry.path();
    }
    EXPECT_GT(loaded, 0u);
    EXPECT_GT(refused, 0u);
}

}  // namespace
