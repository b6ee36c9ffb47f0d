#include "driver/checks/checks.hpp"

using namespace checked;

// What all checks have in common.

TEST_F(CheckTest, WithoutTheVariableNothingMoreIsChecked) {
    EXPECT_AS_PLANNED(Checked c(""); c.succeeds("copy_words", {}, c.memory(256), c.memory(256), 64);
                      c.succeeds("neighbours", {}, 0, c.memory(256)); c.is_clean());
}

TEST_F(CheckTest, AnUnknownWordIsSaid) {
    EXPECT_EXIT(
        {
            Checked c("init,rase");
            c.fails({unwritten}, "copy_words", {}, c.memory(256), c.memory(256), 64);
        },
        testing::ExitedWithCode(0), "pycuda: PYCUDA_CPU_CHECK=rase is not init, race or continue; ignored");
}

TEST_F(CheckTest, BothChecksAtOnce) {
    EXPECT_AS_PLANNED(Checked c("init,race"); c.fails({unwritten}, "copy_words", {}, c.memory(256), c.memory(256), 64));
    EXPECT_AS_PLANNED(Checked c("race,init"); c.fails({"race at"}, "all_write", {}, 0, c.memory(256)));
}
