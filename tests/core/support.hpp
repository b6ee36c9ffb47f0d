#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "platform/process_environment.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/handles/handle.hpp"
#include "pycuda/start/init.hpp"

namespace pycuda::test {

/// A size that exceeds every device's memory.
constexpr std::size_t too_much = std::size_t{1} << 60;

/// The exception of class E that `action` raises; a failure of the test, and an empty message, when it raises none.
template <class E, class Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << "another exception: " << error.what();
        return {};
    }
    ADD_FAILURE() << "no exception";
    return {};
}

/// The CUresult of the Error that `action` raises.
template <class E, class Action>
int code_of(Action&& action) {
    try {
        action();
    } catch (const E& error) {
        return error.code();
    }
    ADD_FAILURE() << "no exception";
    return -1;
}

/// `text` is in `message`.
#define EXPECT_HAS(message, text)                                            \
    do {                                                                     \
        const std::string has_message = (message);                           \
        EXPECT_NE(has_message.find(text), std::string::npos) << has_message; \
    } while (false)

/// A context of device 0 that is current during the test, and no handle of any kind left after it.
class ContextTest : public ::testing::Test {
protected:
    void SetUp() override {
        init();
        context = Device(0).make_context();
    }
    void TearDown() override {
        if (context && context->is_valid()) context->detach();
        context.reset();
        for (const char* kind :
             {"context", "stream", "event", "device allocation", "module", "pooled memory", "page-locked allocation",
              "registered host memory", "managed allocation", "IPC memory handle"})
            EXPECT_EQ(live_handles(kind), 0) << kind;
        EXPECT_EQ(Context::current_or_null(), nullptr) << "the test left a context on the stack";
    }
    std::shared_ptr<Context> context;
};

/// For tests of a fresh process: EXPECT_EXIT re-runs this program, so `statement` is the first that opens a driver
/// there. It passes when `statement` ends by finish(), with `regex` found in what it wrote to stderr.
#define EXPECT_FRESH_PROCESS(statement, regex)                       \
    do {                                                             \
        GTEST_FLAG_SET(death_test_style, "threadsafe");              \
        EXPECT_EXIT(statement, ::testing::ExitedWithCode(0), regex); \
    } while (false)

/// For tests that inject faults: true if the driver supports it. Always true in a fresh process, so that the check
/// opens no driver.
inline bool can_inject_faults() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (::testing::internal::InDeathTestChild()) return true;
    return driver_info().is_cpu_device;
}

/// Ends a fresh process as exit() does: with success if no expectation has failed.
[[noreturn]] inline void finish() {
    std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

}  // namespace pycuda::test
