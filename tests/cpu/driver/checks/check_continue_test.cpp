#include "driver/checks/checks.hpp"

using namespace checked;

namespace {

std::vector<unsigned> words(CUdeviceptr from, size_t count) {
    std::vector<unsigned> seen(count, 99);
    Checked::require(cuMemcpyDtoH(seen.data(), from, 4 * count));
    return seen;
}

void expect(bool as_it_should, const char* what) {
    if (as_it_should) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(22);
}

/// copy_words(in, out, n) of 64 words, where one side has room for 60.
void copy_too_far(Checked& c, CUdeviceptr out, CUdeviceptr in) {
    for (int time = 0; time < 3; ++time) c.succeeds("copy_words", {}, in, out, 64);
}

}  // namespace

TEST_F(CheckTest, ContinueGivesZerosBehindAnAllocation) {
    EXPECT_EXIT(
        {
            Checked c("continue");
            const CUdeviceptr out = c.memory(256);
            copy_too_far(c, out, c.filled(240));
            const std::vector<unsigned> seen = words(out, 64);
            for (size_t n = 0; n < 64; ++n) expect(seen[n] == (n < 60 ? 0x01010101u : 0u), "what was read");
            std::exit(0);
        },
        testing::ExitedWithCode(0),
        "kernel copy_words: illegal read of 4 bytes at .*past the end of the nearest allocation.*thread \\(60, 0, "
        "0\\)"
        ".*; continuing\npycuda: continued after 12 illegal accesses \\(distinct instructions: 1\\)");
}

TEST_F(CheckTest, ContinueDropsWritesBehindAnAllocation) {
    EXPECT_EXIT(
        {
            Checked c("continue");
            const CUdeviceptr out = c.memory(240);
            copy_too_far(c, out, c.filled(256));
            expect(words(out, 60) == std::vector<unsigned>(60, 0x01010101u), "what was written");
            std::exit(0);
        },
        testing::ExitedWithCode(0),
        "illegal write of 4 bytes.*\npycuda: continued after 12 illegal accesses \\(distinct instructions: 1\\)");
}

TEST_F(CheckTest, ContinueEndsWhereHardwareWould) {
    EXPECT_EXIT(
        {
            Checked c("continue");
            c.launch("copy_words", {}, c.filled(256), CUdeviceptr{16}, 64);
            expect(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "the fault");
            std::exit(0);
        },
        testing::ExitedWithCode(0), "illegal write of 4 bytes at 0x10");
}

TEST_F(CheckTest, ContinueAndTheOthersAtOnce) {
    EXPECT_AS_PLANNED(Checked c("continue,init,race");
                      c.fails({unwritten}, "copy_words", {}, c.memory(256), c.memory(256), 64));
    EXPECT_AS_PLANNED(Checked c("init,continue,race"); copy_too_far(c, c.memory(256), c.filled(240)); c.is_clean());
}
