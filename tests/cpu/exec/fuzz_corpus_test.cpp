#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/fuzz_execute.hpp"
#include "processor_time.hpp"

namespace {

/// Replays the findings of fuzz_ptx and fuzz_exec: each file reaches code that no other reaches. Those that load are
/// run.
TEST(FuzzCorpus, EveryFileEndsInAnImageOrInAnErrorOfALine) {
    testing::internal::CaptureStdout();  // of device printf
    std::size_t loaded = 0, refused = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FUZZ_CORPUS_DIRECTORY)) {
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        const test::ProcessorTime time;
        cpu::exec::Memory memory;
        try {
            const auto image = cpu::exec::Image::load(text.str(), memory);
            ++loaded;
            for (const cpu::exec::Kernel* kernel : image->kernels()) fuzz::execute(*kernel, memory, 0.1);
        } catch (const cpu::exec::LoadError& error) {
            EXPECT_GE(error.line(), 1) << entry.path() << ": " << error.what();
            EXPECT_STRNE(error.what(), "") << entry.path();
            ++refused;
        }
        EXPECT_LT(time.seconds(), 5) << entry.path();
    }
    testing::internal::GetCapturedStdout();
    EXPECT_GT(loaded, 0u);
    EXPECT_GT(refused, 0u);
}

}  // namespace
