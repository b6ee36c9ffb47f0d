#include "pycuda/threads/hazard_pointers.hpp"

#include <stdexcept>
#include <thread>
#include <vector>

#include "pycuda/streams/stream.hpp"
#include "support.hpp"

// All of these also run with PYCUDA_MEMBARRIER=0, as on a system without membarrier (CMakeLists.txt).
namespace pycuda::test {
namespace {

constexpr std::size_t max_uses = 32;

TEST(HazardPointers, AreSeenFromEveryThread) {
    HazardPointers& uses = HazardPointers::of_this_thread();
    const int what = 0;
    const auto seen_elsewhere = [&] {
        bool seen = false;
        std::thread([&] { seen = HazardPointers::any(&what); }).join();
        return seen;
    };
    EXPECT_FALSE(HazardPointers::any(&what));
    const std::size_t place = uses.begin(&what);
    EXPECT_TRUE(HazardPointers::any(&what));
    EXPECT_TRUE(seen_elsewhere());
    uses.end(place);
    EXPECT_FALSE(HazardPointers::any(&what));
    EXPECT_FALSE(seen_elsewhere());
}

TEST(HazardPointers, UsesBeyondTheLimitAreRejectedAndNoneIsLost) {
    HazardPointers& uses = HazardPointers::of_this_thread();
    std::vector<char> objects(max_uses + 1);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < max_uses; ++i) places.push_back(uses.begin(&objects[i]));
    EXPECT_THROW(uses.begin(&objects[max_uses]), std::length_error);
    EXPECT_FALSE(HazardPointers::any(&objects[max_uses]));
    for (std::size_t i = 0; i < max_uses; ++i) EXPECT_TRUE(HazardPointers::any(&objects[i])) << i;
    // Ended in another order than begun: there is room again when the last ones are over.
    uses.end(places[0]);
    EXPECT_FALSE(HazardPointers::any(&objects[0]));
    EXPECT_THROW(uses.begin(&objects[0]), std::length_error);
    uses.end(places[max_uses - 1]);
    places[max_uses - 1] = uses.begin(&objects[max_uses]);
    EXPECT_TRUE(HazardPointers::any(&objects[max_uses]));
    for (std::size_t i = 1; i < max_uses; ++i) uses.end(places[i]);
    for (std::size_t i = 0; i < objects.size(); ++i) EXPECT_FALSE(HazardPointers::any(&objects[i])) << i;
    for (std::size_t i = 0; i < max_uses; ++i) places[i] = uses.begin(&objects[i]);
    for (std::size_t i = max_uses; i-- > 0;) uses.end(places[i]);
}

using HazardPointersOfHandles = ContextTest;

TEST_F(HazardPointersOfHandles, AHandleTooManyIsRefusedAndTheOthersAreDestroyedWhenTheirUsesEnd) {
    std::vector<Stream> streams(max_uses + 1);
    {
        std::vector<Handle<StreamTraits>::Use> uses;
        for (std::size_t i = 0; i < max_uses; ++i) uses.push_back(streams[i].use());
        EXPECT_THROW(static_cast<void>(streams[max_uses].use()), std::length_error);
        EXPECT_THROW(streams[max_uses].synchronize(), std::length_error);
        for (Stream& stream : streams) stream.close();
        EXPECT_EQ(live_handles("stream"), static_cast<long>(max_uses)) << "only the unused one is gone";
    }
    EXPECT_EQ(live_handles("stream"), 0);
    Stream().synchronize();
}

TEST_F(HazardPointersOfHandles, ClosingOnAnotherThreadWaitsForThem) {
    for (int round = 0; round < 200; ++round) {
        Stream stream;
        std::thread closing([&] { stream.close(); });
        try {
            for (;;) stream.synchronize();  // an invalid handle would be another error
        } catch (const LogicError& error) {
            EXPECT_STREQ(error.what(), "stream was closed");
        }
        closing.join();
    }
    EXPECT_EQ(live_handles("stream"), 0);
}

}  // namespace
}  // namespace pycuda::test
