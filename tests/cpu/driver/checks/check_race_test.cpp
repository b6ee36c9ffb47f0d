#include "driver/checks/checks.hpp"

// PYCUDA_CPU_CHECK=race: shared memory without barriers.

using namespace checked;

class RaceCheckTest : public CheckTest {};

#define EXPECT_CLEAN(...) EXPECT_AS_PLANNED(Checked c("race"); c.succeeds(__VA_ARGS__); c.is_clean())

TEST_F(RaceCheckTest, AReadOfWhatAnotherThreadWrites) {
    EXPECT_CLEAN("neighbours", {20}, 1, c.memory(20 * 256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails(
        {"race at byte 4 of shared memory, neighbours::tile + 4: read of 4 bytes by thread (0, 0, 0)",
         "with no barrier since the earlier write of 4 bytes by thread (1, 0, 0)"},
        "neighbours", {1, 64}, 0, c.memory(256)));
}

TEST_F(RaceCheckTest, AWriteOverWhatAnotherThreadReads) {
    EXPECT_CLEAN("shift", {3, 64, 256}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({": write of 4 bytes by thread", "no barrier since the earlier read of"}, "shift",
                              {1, 64, 256}, 0, c.memory(256)));
}

TEST_F(RaceCheckTest, WritesOfDifferentValues) {
    EXPECT_CLEAN("all_write", {}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({": write of 4 bytes by thread (1, 0, 0)", "thread (0, 0, 0)"},
                                                 "all_write", {}, 0, c.memory(256)));
}

TEST_F(RaceCheckTest, BytesOfOneWordAreApart) {
    EXPECT_CLEAN("bytes", {}, 1, c.memory(64));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"write of 1 byte by"}, "bytes", {}, 2, c.memory(64)));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"write of 4 bytes by thread (5, 0, 0)", "write of 1 byte by thread"},
                                                 "word_over_bytes", {1, 32}, c.memory(64)));
}

TEST_F(RaceCheckTest, AtomicsMeetOnlyAtomics) {
    EXPECT_CLEAN("count_shared", {}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"read of 4 bytes by", "atomic access of 4 bytes by"}, "count_shared",
                                                 {}, 0, c.memory(256)));
}

TEST_F(RaceCheckTest, VolatileAccessesOfOneWarpAreInOrder) {
    EXPECT_CLEAN("old_reduction", {4}, c.filled(256), c.memory(4));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"volatile_between_warps::s"}, "volatile_between_warps", {}, c.memory(256)));
}

TEST_F(RaceCheckTest, LanesThatSynchroniseAreInOrder) {
    for (int sync : {1, 2, 3, 4}) EXPECT_CLEAN("within_warp", {}, sync, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"within_warp::s"}, "within_warp", {}, 0, c.memory(256)));
    EXPECT_CLEAN("half_warps", {1, 32}, 0, c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"half_warps::s"}, "half_warps", {1, 32}, 1, c.memory(128)));
}

TEST_F(RaceCheckTest, NamedBarriersOrderTheirParticipants) {
    EXPECT_CLEAN("producer_consumer", {5}, 1, 9, c.memory(32 * 9 * 4));
    EXPECT_CLEAN("producer_consumer", {5}, 0, 1, c.memory(32 * 4));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"producer_consumer::s"}, "producer_consumer", {}, 0, 2, c.memory(32 * 2 * 4)));
}

TEST_F(RaceCheckTest, OrderIsPassedOn) {
    EXPECT_CLEAN("through_another_warp", {1, 96}, 1, c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"through_another_warp::s"}, "through_another_warp", {1, 96}, 0, c.memory(128)));
}

TEST_F(RaceCheckTest, AnAtomicFlagOrdersAfterAFence) {
    for (int fence : {1, 2}) EXPECT_CLEAN("flag_between_warps", {3, 64}, fence, c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"flag_between_warps::message"}, "flag_between_warps", {1, 64}, 0, c.memory(128)));
}

TEST_F(RaceCheckTest, TilesOfSeveralWarpsAreInOrder) {
    EXPECT_CLEAN("tiles_of_two_warps", {3, 128}, 1, c.memory(512));
    EXPECT_AS_PLANNED(Checked c("race");
                      c.fails({"tiles_of_two_warps::s"}, "tiles_of_two_warps", {1, 128}, 0, c.memory(512)));
}

TEST_F(RaceCheckTest, GenericAddressesOfSharedMemory) {
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"generic_race::s"}, "generic_race", {}, c.memory(256)));
}

TEST_F(RaceCheckTest, AsynchronousCopiesWrite) {
    EXPECT_CLEAN("fetch_and_share", {1, 32}, 1, c.filled(512), c.memory(128));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"read of 4 bytes", "write of 16 bytes"}, "fetch_and_share", {1, 32},
                                                 0, c.filled(512), c.memory(128)));
}

TEST_F(RaceCheckTest, DivergedThreads) {
    EXPECT_CLEAN("diverged", {6}, 1, c.memory(256));
    EXPECT_AS_PLANNED(Checked c("race"); c.fails({"diverged::s"}, "diverged", {6}, 0, c.memory(256)));
}
