#include "pycuda/handles/handle.hpp"

#include <atomic>
#include <deque>
#include <stdexcept>
#include <thread>

#include "driver/driver_table.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

struct Destroyed {
    int handle;
    CUcontext current;
};
std::vector<Destroyed> destroyed;

struct FakeTraits {
    using type = int;
    static constexpr const char* what = "fake";
    static void destroy(int handle) noexcept {
        CUcontext current = nullptr;
        driver().cuCtxGetCurrent.clean_up(&current);
        destroyed.push_back({handle, current});
    }
};
using Fake = Handle<FakeTraits>;

class HandleTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        destroyed.clear();
    }
    void TearDown() override {
        EXPECT_EQ(live_handles("fake"), 0);
        ContextTest::TearDown();
    }
};

TEST_F(HandleTest, DestroysOnceAtTheEnd) {
    {
        const Fake fake(7, context);
    }
    ASSERT_EQ(destroyed.size(), 1u);
    EXPECT_EQ(destroyed[0].handle, 7);
    EXPECT_EQ(destroyed[0].current, context->handle());
}

TEST_F(HandleTest, ResetIsIdempotent) {
    Fake fake(7, context);
    fake.reset();
    fake.reset();
    EXPECT_EQ(destroyed.size(), 1u);
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(fake.get()); }), "fake was closed");
    EXPECT_EQ(fake.get_or_null(), 0);
}

TEST_F(HandleTest, MovesOwnership) {
    Fake first(1, context);
    Fake second(std::move(first));
    EXPECT_EQ(first.get_or_null(), 0);
    EXPECT_EQ(second.get(), 1);
    Fake third(3, context);
    third = std::move(second);
    ASSERT_EQ(destroyed.size(), 1u);
    EXPECT_EQ(destroyed[0].handle, 3);
    Fake& same = third;
    third = std::move(same);
    EXPECT_EQ(third.get(), 1);
    EXPECT_EQ(live_handles("fake"), 1);
}

TEST_F(HandleTest, KeepsItsContextAlive) {
    Fake fake(1, context);
    const std::weak_ptr<Context> weak = context;
    Context::pop();
    context.reset();
    EXPECT_FALSE(weak.expired());
    fake.reset();
    EXPECT_TRUE(weak.expired());
}

TEST_F(HandleTest, IsDestroyedInItsContextOnAnyThread) {
    auto fake = std::make_unique<Fake>(1, context);
    const CUcontext owner = context->handle();
    CUcontext before = nullptr, after = nullptr;
    std::thread([&] {
        driver().cuCtxGetCurrent(&before);
        fake.reset();
        driver().cuCtxGetCurrent(&after);
    }).join();
    ASSERT_EQ(destroyed.size(), 1u);
    EXPECT_EQ(destroyed[0].current, owner);
    EXPECT_EQ(before, nullptr);
    EXPECT_EQ(after, nullptr);
}

TEST_F(HandleTest, RestoresTheContextThatWasCurrent) {
    const auto other = Device(0).make_context();
    {
        const Fake fake(1, context);
    }
    EXPECT_EQ(destroyed[0].current, context->handle());
    EXPECT_EQ(Context::current(), other);
    other->detach();
}

TEST_F(HandleTest, IsNotDestroyedAfterItsContext) {
    Fake fake(1, context);
    context->detach();
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(fake.get()); }), "fake belongs to a context that is gone");
    fake.reset();
    EXPECT_TRUE(destroyed.empty());
}

TEST_F(HandleTest, IsClosedOnceWhileOthersAskForIt) {
    for (int round = 0; round < 50; ++round) {
        Fake fake(7, context);
        std::atomic<int> asking{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 2; ++t)
            threads.emplace_back([&] {
                ++asking;
                try {
                    for (;;) {
                        EXPECT_EQ(fake.get(), 7);
                        EXPECT_EQ(fake.live_owner(), context);
                    }
                } catch (const LogicError& error) {
                    EXPECT_STREQ(error.what(), "fake was closed");
                }
            });
        while (asking != 2) std::this_thread::yield();
        std::thread closer([&] { fake.reset(); });
        fake.reset();
        closer.join();
        for (std::thread& thread : threads) thread.join();
    }
    EXPECT_EQ(destroyed.size(), 50u);
}

TEST_F(HandleTest, IsDestroyedWhenItsLastUseEnds) {
    Fake fake(7, context);
    auto first = std::make_unique<Fake::Use>(fake.use()), second = std::make_unique<Fake::Use>(fake.use());
    bool was_open = false, again = true;
    std::thread([&] {
        was_open = fake.reset();
        again = fake.reset();
    }).join();
    EXPECT_TRUE(was_open);
    EXPECT_FALSE(again);
    EXPECT_EQ(*first, 7);
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(fake.get()); }), "fake was closed");
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(fake.use()); }), "fake was closed");
    EXPECT_EQ(fake.get_or_null(), 0);
    EXPECT_EQ(fake.owner(), nullptr);
    first.reset();
    EXPECT_TRUE(destroyed.empty());
    EXPECT_EQ(live_handles("fake"), 1);
    Context::pop();
    second.reset();
    ASSERT_EQ(destroyed.size(), 1u);
    EXPECT_EQ(destroyed[0].current, context->handle());
    EXPECT_EQ(live_handles("fake"), 0);
    context->push();
}

TEST_F(HandleTest, IsDestroyedByTheThreadThatUsesItLast) {
    Fake fake(7, context);
    std::atomic<bool> used{false}, closed{false};
    std::thread user([&] {
        const auto use = fake.use();
        used = true;
        while (!closed) std::this_thread::yield();
        EXPECT_TRUE(destroyed.empty());
    });
    while (!used) std::this_thread::yield();
    fake.reset();
    closed = true;
    user.join();
    EXPECT_EQ(destroyed.size(), 1u);
}

TEST_F(HandleTest, ItsOwnThreadMayCloseWhatItUses) {
    Fake fake(7, context);
    {
        const auto use = fake.use();
        fake.reset();
        EXPECT_TRUE(destroyed.empty());
    }
    EXPECT_EQ(destroyed.size(), 1u);
}

TEST_F(HandleTest, IsNotUsedAfterItsContext) {
    Fake fake(7, context);
    context->detach();
    EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(fake.use()); }), "fake belongs to a context that is gone");
}

TEST_F(HandleTest, OneHazardPointersManyInAnyOrder) {
    constexpr int max = 32;
    Fake fakes[max + 1];
    for (int i = 0; i <= max; ++i) fakes[i] = Fake(i + 1, context);
    for (int round = 0; round < 2; ++round) {
        std::deque<Fake::Use> uses;
        for (int i = 0; i < max; ++i) uses.push_back(fakes[i].use());
        EXPECT_THROW(static_cast<void>(fakes[max].use()), std::length_error);
        uses.pop_front();
    }
    fakes[0].reset();
    EXPECT_EQ(destroyed.size(), 1u);
}

// The object of a use is alive: a plain number that destruction clears, so that ThreadSanitizer sees races.
struct Kept {
    int value = 0;
    std::atomic<int> times{0};
} kept;

struct KeptTraits {
    using type = Kept*;
    static constexpr const char* what = "kept";
    static void destroy(Kept* object) noexcept {
        object->value = 0;
        ++object->times;
    }
};

TEST_F(HandleTest, IsNotDestroyedUnderThreadsThatUseIt) {
    for (int round = 0; round < 50; ++round) {
        kept.value = 7;
        kept.times = 0;
        Handle<KeptTraits> handle(&kept, context);
        std::atomic<int> using_it{0}, wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&] {
                ++using_it;
                try {
                    for (;;) {
                        const auto use = handle.use();
                        wrong += static_cast<Kept*>(use)->value != 7;
                    }
                } catch (const LogicError&) {
                }
            });
        while (using_it != 3) std::this_thread::yield();
        handle.reset();
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(kept.times, 1);
        ASSERT_EQ(wrong, 0);
    }
    EXPECT_EQ(live_handles("kept"), 0);
}

TEST_F(HandleTest, CountsWhatIsAlive) {
    EXPECT_EQ(live_handles("fake"), 0);
    EXPECT_EQ(live_handles("no such kind"), 0);
    Fake first(1, context), second(2, context);
    const Fake none;
    EXPECT_EQ(live_handles("fake"), 2);
    EXPECT_EQ(live_handles("context"), 1);
}

}  // namespace
}  // namespace pycuda::test
