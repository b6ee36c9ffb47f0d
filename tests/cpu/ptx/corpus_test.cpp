#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "exec/image.hpp"
#include "exec/running/memory.hpp"
#include "ptx/ptx_text.hpp"

namespace {

std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// Everything that the compiler emitted for the sources in corpus/ is parsed and verified.
TEST(PtxCorpus, EveryFileIsAccepted) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(PTX_CORPUS_DIRECTORY)) {
        if (entry.path().extension() != ".ptx") continue;  // fat binaries lie there too
        int line = 0;
        EXPECT_EQ(ptx_text::error_of(contents(entry.path()), &line), "") << entry.path() << ":" << line;
        ++files;
    }
    EXPECT_GE(files, 7);
}

/// And it is lowered: nothing that the compiler emits is refused.
TEST(PtxCorpus, EveryFileIsLowered) {
    for (const auto& entry : std::filesystem::directory_iterator(PTX_CORPUS_DIRECTORY)) {
        if (entry.path().extension() != ".ptx") continue;  // fat binaries lie there too
        cpu::exec::Memory memory;
        try {
            const auto image = cpu::exec::Image::load(contents(entry.path()), memory);
            EXPECT_FALSE(image->kernels().empty()) << entry.path();
        } catch (const cpu::exec::LoadError& error) {
            ADD_FAILURE() << entry.path() << ": " << error.what();
        }
    }
}

TEST(PtxCorpus, LineInformationReachesTheSource) {
    const auto module = cpu::ptx::parse(contents(std::filesystem::path(PTX_CORPUS_DIRECTORY) / "basic.ptx"));
    std::size_t located = 0, total = 0;
    for (const auto& function : module.functions)
        for (const auto& instruction : function.instructions) {
            ++total;
            if (instruction.location == cpu::ptx::none) continue;
            ++located;
            EXPECT_EQ(module.files.count(module.locations[instruction.location].file), 1u);
        }
    EXPECT_GT(located, total / 2);
}

}  // namespace
