#include <atomic>
#include <thread>
#include <vector>

#include "driver/driver_table.hpp"
#include "pycuda/contexts/context.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

/// Records in order which attachments ended, and in which context.
struct End {
    std::string who;
    CUcontext current;
    bool reachable;
};
std::vector<End> ends;

template <int number>
struct Attached : ContextAttachment {
    void context_ends(bool reachable) noexcept override {
        CUcontext current = nullptr;
        driver().cuCtxGetCurrent.clean_up(&current);
        ends.push_back({std::to_string(number), current, reachable});
    }
};

struct KnowsItsContext : Attached<3> {
    explicit KnowsItsContext(Context& context) : owner(&context), before(context.attachment<Attached<1>>()) {}
    Context* owner;
    std::shared_ptr<Attached<1>> before;
};

class ContextAttachmentTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        ends.clear();
    }
};

TEST_F(ContextAttachmentTest, OneOfEachClassIsMadeAtFirstUse) {
    EXPECT_EQ(context->attachment_if_any<Attached<1>>(), nullptr);
    const auto first = context->attachment<Attached<1>>();
    EXPECT_EQ(context->attachment<Attached<1>>(), first);
    EXPECT_EQ(context->attachment_if_any<Attached<1>>(), first);
    EXPECT_EQ(context->attachment_if_any<Attached<2>>(), nullptr);
    EXPECT_NE(static_cast<void*>(context->attachment<Attached<2>>().get()), static_cast<void*>(first.get()));
    const auto other = Device(0).make_context();
    EXPECT_NE(other->attachment<Attached<1>>(), first);
    other->detach();
}

TEST_F(ContextAttachmentTest, IsGivenItsContextAndMayAskForOthers) {
    const auto knows = context->attachment<KnowsItsContext>();
    EXPECT_EQ(knows->owner, context.get());
    EXPECT_EQ(knows->before, context->attachment<Attached<1>>());
}

TEST_F(ContextAttachmentTest, EndsWithTheContextCurrentLastMadeFirst) {
    const CUcontext handle = context->handle();
    context->attachment<KnowsItsContext>();
    context->attachment<Attached<2>>();
    const auto top = Device(0).make_context();
    context->detach();
    ASSERT_EQ(ends.size(), 3u);
    EXPECT_EQ(ends[0].who + ends[1].who + ends[2].who, "231");
    for (const End& end : ends) {
        EXPECT_EQ(end.current, handle);
        EXPECT_TRUE(end.reachable);
    }
    EXPECT_EQ(Context::current(), top);
    top->detach();
    while (driver().cuCtxPopCurrent.try_call(std::make_unique<CUcontext>().get()) == CUDA_SUCCESS) {
    }
}

TEST_F(ContextAttachmentTest, NoneAfterTheEnd) {
    const auto kept = context->attachment<Attached<1>>();
    context->detach();
    EXPECT_EQ(ends.size(), 1u);
    EXPECT_EQ(context->attachment_if_any<Attached<1>>(), nullptr);
    EXPECT_THROW(context->attachment<Attached<1>>(), LogicError);
    EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(ContextAttachmentTest, DoesNotKeepTheContextAlive) {
    const std::weak_ptr<Context> weak = context;
    context->attachment<Attached<1>>();
    context.reset();
    Context::pop();
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(ends.size(), 1u);
}

TEST_F(ContextAttachmentTest, SaysWhenTheContextIsOutOfReach) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    auto adopted = Context::current();
    adopted->attachment<Attached<1>>();
    driver().cuCtxDestroy(foreign);
    adopted.reset();
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_FALSE(ends[0].reachable);
}

TEST_F(ContextAttachmentTest, ManyThreadsGetTheSame) {
    std::vector<std::shared_ptr<Attached<1>>> found(8);
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (auto& slot : found)
        threads.emplace_back([&] {
            for (++ready; ready < 8;) {
            }
            slot = context->attachment<Attached<1>>();
        });
    for (std::thread& thread : threads) thread.join();
    for (const auto& slot : found) EXPECT_EQ(slot, found[0]);
}

}  // namespace
}  // namespace pycuda::test
