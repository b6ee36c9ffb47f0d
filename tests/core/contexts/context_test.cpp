#include "pycuda/contexts/context.hpp"

#include <atomic>
#include <thread>

#include "driver/driver_table.hpp"
#include "pycuda/handles/handle.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using ContextStackTest = ContextTest;

CUcontext current_handle() {
    CUcontext handle = nullptr;
    driver().cuCtxGetCurrent(&handle);
    return handle;
}

TEST_F(ContextStackTest, MakeContextMakesItCurrent) {
    EXPECT_EQ(Context::current(), context);
    EXPECT_EQ(current_handle(), context->handle());
    EXPECT_EQ(context->origin(), Context::Origin::Created);
    EXPECT_TRUE(Context::get_device() == Device(0));
}

TEST_F(ContextStackTest, PushAndPopAreTheDriversStack) {
    const auto other = Device(0).make_context();
    EXPECT_EQ(Context::current(), other);
    context->push();
    EXPECT_EQ(Context::current(), context);
    Context::pop();
    EXPECT_EQ(Context::current(), other);
    Context::pop();
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, NoContextIsALogicErrorOrNull) {
    Context::pop();
    EXPECT_EQ(Context::current_or_null(), nullptr);
    EXPECT_HAS(message_of<LogicError>([] { Context::current(); }), "no context is current");
    EXPECT_THROW(Context::synchronize(), LogicError);
    EXPECT_THROW(Context::get_device(), LogicError);
}

TEST_F(ContextStackTest, PopOfAnEmptyStackIsALogicError) {
    Context::pop();
    EXPECT_HAS(message_of<LogicError>([] { Context::pop(); }), "this thread's stack is empty");
}

TEST_F(ContextStackTest, LivesAsLongAsItIsOnTheStack) {
    const std::weak_ptr<Context> weak = context;
    context.reset();
    ASSERT_FALSE(weak.expired());
    EXPECT_EQ(Context::current(), weak.lock());
    DeviceAllocation memory(64);  // and works
    memory.free();
    Context::pop();
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(live_handles("context"), 0);
}

TEST_F(ContextStackTest, TwicePushedNeedsTwoPops) {
    const std::weak_ptr<Context> weak = context;
    context->push();
    context.reset();
    Context::pop();
    EXPECT_FALSE(weak.expired());
    Context::pop();
    EXPECT_TRUE(weak.expired());
}

TEST_F(ContextStackTest, DetachEndsItAndPopsIt) {
    const auto other = Device(0).make_context();
    other->detach();
    EXPECT_FALSE(other->is_valid());
    EXPECT_EQ(Context::current(), context);
    EXPECT_EQ(message_of<LogicError>([&] { other->detach(); }), "context has ended");
    EXPECT_THROW(other->push(), LogicError);
    EXPECT_THROW(static_cast<void>(other->handle()), LogicError);
    EXPECT_THROW(other->get_api_version(), LogicError);
    EXPECT_THROW(ContextScope scope(*other), LogicError);
    EXPECT_FALSE(CleanupScope(*other));
}

TEST_F(ContextStackTest, DetachInAHostFunctionEndsItOnAnotherThread) {
    const long before = live_handles("context");
    auto other = Device(0).make_context();
    const Stream stream;
    std::atomic<bool> go_on{false};
    stream.add_host_function([other, &go_on] {
        while (!go_on) std::this_thread::yield();
        other->detach();
    });
    Context::pop();
    go_on = true;
    while (live_handles("context") != before) std::this_thread::yield();
    EXPECT_FALSE(other->is_valid());
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, DetachBelowTheTopLeavesTheTop) {
    const auto top = Device(0).make_context();
    context->detach();
    EXPECT_EQ(Context::current(), top);
    top->detach();
    // The ended context's remaining entry on the driver's stack must not disturb.
    if (current_handle()) {
        EXPECT_NO_THROW(Context::pop());
    }
}

TEST_F(ContextStackTest, DependentsOfADetachedContextDoNothing) {
    testing::internal::CaptureStderr();
    {
        DeviceAllocation memory(64);
        Stream stream;
        Event event;
        context->detach();
        EXPECT_EQ(message_of<LogicError>([&] { static_cast<void>(memory.pointer()); }),
                  "device allocation belongs to a context that is gone");
        EXPECT_THROW(stream.synchronize(), LogicError);
        EXPECT_THROW(event.record(), LogicError);
        memory.free();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ContextStackTest, EqualsByTheDriversHandle) {
    const auto other = Device(0).make_context();
    EXPECT_TRUE(*context == *context);
    EXPECT_FALSE(*context == *other);
    other->detach();
    EXPECT_FALSE(*context == *other);
    EXPECT_TRUE(*other == *other);
}

TEST_F(ContextStackTest, ContextsOfOthersAreAdopted) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    {
        const auto adopted = Context::current();
        EXPECT_EQ(adopted->origin(), Context::Origin::Adopted);
        EXPECT_EQ(adopted->handle(), foreign);
        EXPECT_EQ(Context::current(), adopted) << "one object a context";
        DeviceAllocation memory(64);
        EXPECT_EQ(memory.context(), adopted);
    }
    EXPECT_EQ(current_handle(), foreign) << "forgetting it must not end it";
    DeviceAllocation again(64);
    again.free();
    driver().cuCtxDestroy(foreign);
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, NewContextIsNoDeadOneWithItsHandle) {
    // Drivers give a destroyed context's handle to the next one.
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    const auto dead = Context::current();
    driver().cuCtxDestroy(foreign);
    const auto wrapped = Context::wrap(foreign, 0, Context::Origin::Adopted);
    EXPECT_NE(wrapped, dead);
    EXPECT_FALSE(dead->is_valid());
    CUcontext again = nullptr;
    driver().cuCtxCreate(&again, 0, 0);
    const auto created = Context::wrap(again, 0, Context::Origin::Created);
    EXPECT_EQ(created->origin(), Context::Origin::Created);
    EXPECT_TRUE(created->is_valid());
    EXPECT_NE(created, dead);
    EXPECT_NE(created, wrapped);
    created->detach();
}

TEST_F(ContextStackTest, CreatedContextTakesTheHandleOfAnyOtherObject) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    const auto adopted = Context::current();
    const auto created = Context::wrap(foreign, 0, Context::Origin::Created);
    EXPECT_NE(created, adopted);
    EXPECT_FALSE(adopted->is_valid());
    EXPECT_EQ(Context::current(), created);
    created->detach();
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, DetachOfAnAdoptedContextOnlyForgetsIt) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    Context::current()->detach();
    EXPECT_EQ(Context::current(), context) << "it was the top, so it was popped";
    unsigned version = 0;
    EXPECT_EQ(driver().cuCtxGetApiVersion.try_call(foreign, &version), CUDA_SUCCESS);
    driver().cuCtxDestroy(foreign);
}

TEST_F(ContextStackTest, MemoryOfAForeignContextThatEndedIsNotFreed) {
    testing::internal::CaptureStderr();
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    {
        DeviceAllocation memory(64);
        driver().cuCtxDestroy(foreign);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ContextStackTest, ForeignContextThatEndedIsNotTouched) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    const auto adopted = Context::current();
    Stream stream;
    Event event;
    driver().cuCtxDestroy(foreign);
    // Detected before the driver is called, which may crash on it.
    EXPECT_EQ(message_of<LogicError>([&] { ContextScope scope(*adopted); }), "context has ended");
    EXPECT_EQ(message_of<LogicError>([&] { adopted->push(); }), "context has ended");
    EXPECT_FALSE(CleanupScope(*adopted));
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, ForeignContextLeavesNothingBehind) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    const auto before = mem_get_info().free;
    for (int n = 0; n < 10; ++n) DeviceAllocation(64).free();  // adopted and forgotten each time
    EXPECT_EQ(mem_get_info().free, before);
    driver().cuCtxDestroy(foreign);
}

TEST_F(ContextStackTest, ScopeIsFreeWhenCurrentAndRestoresOtherwise) {
    const auto other = Device(0).make_context();
    {
        const ContextScope scope(*other);
        EXPECT_EQ(Context::current(), other);
        const ContextScope inner(*context);
        EXPECT_EQ(Context::current(), context);
    }
    EXPECT_EQ(Context::current(), other);
    other->detach();
}

TEST_F(ContextStackTest, PrimaryContextIsRetainedOnceAndReleased) {
    {
        const auto primary = Device(0).retain_primary_context();
        EXPECT_EQ(primary->origin(), Context::Origin::Primary);
        EXPECT_EQ(Context::current(), context) << "it is not made current";
        EXPECT_EQ(Device(0).retain_primary_context(), primary);
        primary->push();
        EXPECT_EQ(Context::current(), primary);
        DeviceAllocation memory(64);
        Context::pop();
    }
    EXPECT_EQ(live_handles("context"), 1);
}

TEST_F(ContextStackTest, PrimaryContextOfAnotherLibraryIsRetained) {
    CUcontext handle = nullptr;
    driver().cuDevicePrimaryCtxRetain(&handle, 0);
    driver().cuCtxPushCurrent(handle);
    {
        const auto found = Context::current();
        EXPECT_EQ(found->origin(), Context::Origin::Primary);
        EXPECT_EQ(Device(0).retain_primary_context(), found);
        DeviceAllocation memory(64);
        driver().cuDevicePrimaryCtxRelease(0);
        EXPECT_EQ(mem_get_info().free > 0, true) << "our retain keeps it, whatever the other library does";
        driver().cuDevicePrimaryCtxRetain(&handle, 0);
    }
    EXPECT_EQ(current_handle(), handle) << "our release must leave the other's retain";
    DeviceAllocation(64).free();
    Context::pop();
    driver().cuDevicePrimaryCtxRelease(0);
}

TEST_F(ContextStackTest, DetachOfThePrimaryContextPopsIt) {
    const auto primary = Device(0).retain_primary_context();
    primary->push();
    primary->detach();
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, EachRetainOfThePrimaryContextIsAReference) {
    const auto first = Device(0).retain_primary_context(), second = Device(0).retain_primary_context();
    first->push();
    const DeviceAllocation memory(64);
    second->detach();
    EXPECT_TRUE(first->is_valid());
    EXPECT_EQ(Context::current(), first) << "whose push it was is not known: it stays";
    EXPECT_NE(memory.pointer(), 0u);
    DeviceAllocation(64).free();
    first->detach();
    EXPECT_FALSE(first->is_valid());
    EXPECT_EQ(Context::current(), context);
    EXPECT_THROW(static_cast<void>(memory.pointer()), LogicError);
    EXPECT_THROW(first->detach(), LogicError);
}

TEST_F(ContextStackTest, RetainAndDetachLeaveWhatWasThereBefore) {
    CUcontext handle = nullptr;
    driver().cuDevicePrimaryCtxRetain(&handle, 0);
    driver().cuCtxPushCurrent(handle);
    {
        const DeviceAllocation memory(64);
        driver().cuDevicePrimaryCtxRelease(0);
        Device(0).retain_primary_context()->detach();
        EXPECT_NE(memory.pointer(), 0u) << "the retain of the context found current is a reference too";
        DeviceAllocation(64).free();
    }
    Context::pop();
}

TEST_F(ContextStackTest, LastDetachLeavesWhatAnotherLibraryRetains) {
    const auto primary = Device(0).retain_primary_context();
    CUcontext handle = nullptr;
    driver().cuDevicePrimaryCtxRetain(&handle, 0);
    primary->push();
    {
        DeviceAllocation memory(64);
        const Stream stream;
        primary->detach();
        EXPECT_EQ(Context::current(), context) << "it was the top, so it was popped";
        EXPECT_NE(memory.pointer(), 0u);
        stream.synchronize();
        driver().cuDevicePrimaryCtxRelease(0);
        primary->push();  // our retain is there again
        EXPECT_EQ(Context::current(), primary);
        DeviceAllocation(64).free();
        Context::pop();
        EXPECT_EQ(Device(0).retain_primary_context(), primary);
        primary->detach();
        EXPECT_FALSE(primary->is_valid());
        EXPECT_THROW(static_cast<void>(memory.pointer()), LogicError);
    }
    unsigned flags = 0;
    int active = 1;
    driver().cuDevicePrimaryCtxGetState(0, &flags, &active);
    EXPECT_EQ(active, 0);
}

TEST_F(ContextStackTest, EndedContextsBelowTheTopAreNeverCurrent) {
    const auto lower = Device(0).make_context(), upper = Device(0).make_context();
    lower->push();
    upper->push();
    // The stack is context, lower, upper, lower, upper.
    lower->detach();
    EXPECT_EQ(Context::current(), upper);
    Context::pop();
    EXPECT_EQ(Context::current_or_null(), upper);
    EXPECT_EQ(current_handle(), upper->handle()) << "later calls go to it, on any path";
    upper->detach();
    EXPECT_EQ(Context::current(), context);
    EXPECT_EQ(current_handle(), context->handle());
}

TEST_F(ContextStackTest, ContextThatEndedOnAnotherThreadIsNotCurrent) {
    const auto other = Device(0).make_context();
    std::thread([&] { other->detach(); }).join();
    EXPECT_EQ(Context::current(), context);
    DeviceAllocation(64).free();
}

TEST_F(ContextStackTest, DestroyedContextOfOthersIsNotCurrent) {
    CUcontext foreign = nullptr;
    driver().cuCtxCreate(&foreign, 0, 0);
    context->push();
    driver().cuCtxDestroy(foreign);
    Context::pop();
    EXPECT_EQ(Context::current_or_null(), nullptr);
    EXPECT_EQ(current_handle(), foreign) << "theirs to pop";
    driver().cuCtxPopCurrent(&foreign);
    EXPECT_EQ(Context::current(), context);
}

TEST_F(ContextStackTest, LimitsAndConfigurations) {
    EXPECT_GT(Context::get_limit(Limit::STACK_SIZE), 0u);
    Context::set_limit(Limit::STACK_SIZE, 4096);
    EXPECT_GE(Context::get_limit(Limit::STACK_SIZE), 4096u);
    EXPECT_THROW(Context::get_limit(static_cast<Limit>(9999)), LogicError);
    Context::set_cache_config(FuncCache::PREFER_L1);
    EXPECT_EQ(Context::get_cache_config(), FuncCache::PREFER_L1);
    static_cast<void>(Context::get_shared_config());
    Context::set_shared_config(SharedConfig::FOUR_BYTE_BANK_SIZE);
    EXPECT_GT(context->get_api_version(), 3000u);
}

TEST_F(ContextStackTest, PeerAccessToTheSameDeviceIsRefused) {
    const auto other = Device(0).make_context();
    EXPECT_THROW(Context::enable_peer_access(*other, 1), LogicError);
    EXPECT_THROW(Context::disable_peer_access(*other), LogicError);
    EXPECT_HAS(message_of<LogicError>([&] { Context::disable_peer_access(*other, 1); }), "flags must be 0");
    other->detach();
}

TEST_F(ContextStackTest, UnknownFlagsAreRefused) {
    EXPECT_THROW(Device(0).make_context(0x80000000u), LogicError);
}

}  // namespace
}  // namespace pycuda::test
