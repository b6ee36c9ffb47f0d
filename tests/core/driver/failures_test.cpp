#include "pycuda/driver/failures.hpp"

#include <cuda.h>

#include <thread>

#include "pycuda/errors/advice.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

TEST(Failures, EveryResultRaisesItsClass) {
    for (const ResultInfo& info : results()) {
        if (info.code == 0) continue;
        try {
            raise("cuTest", info.code);
        } catch (const Error& error) {
            EXPECT_EQ(error.error_class(), info.error_class) << info.name;
            EXPECT_EQ(error.code(), info.code);
            EXPECT_EQ(error.routine(), "cuTest");
        }
    }
}

TEST(Failures, UnknownCodeIsARuntimeError) {
    EXPECT_EQ(result_info(12345).error_class, ErrorClass::RuntimeError);
    EXPECT_HAS(message_of<RuntimeError>([] { raise("cuTest", 12345); }), "cuTest failed: ");
}

TEST(Failures, ClassesAreSiblingsUnderError) {
    EXPECT_THROW(raise("cuTest", CUDA_ERROR_OUT_OF_MEMORY), Error);
    try {
        raise("cuTest", CUDA_ERROR_OUT_OF_MEMORY);
    } catch (const LogicError&) {
        FAIL() << "a MemoryError is no LogicError";
    } catch (const MemoryError&) {
    }
}

TEST(Failures, CleanUpIsSilentAfterTheEnd) {
    testing::internal::CaptureStderr();
    for (const int code :
         {CUDA_SUCCESS, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_INVALID_CONTEXT,
          CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ASSERT, CUDA_ERROR_MISALIGNED_ADDRESS})
        report_cleanup_failure("cuMemFree", code);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    report_cleanup_failure("cuMemFree", CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "[pycuda] cuMemFree failed in clean-up: invalid argument (CUDA_ERROR_INVALID_VALUE)\n");
}

TEST(FailureAdvice, SaysWhatToDoWithoutAContext) {
    init();
    EXPECT_HAS(message_of<LogicError>([] { Context::synchronize(); }),
               "no context is current on this thread: make a context with Device::make_context()");
    const auto context = Device(0).make_context();
    EXPECT_EQ(std::string(LogicError("f", CUDA_ERROR_INVALID_CONTEXT).what()).find("no context"), std::string::npos);
    context->detach();
}

TEST(FailureAdvice, NamesTheContextThatAThreadCouldPush) {
    init();
    const auto context = Device(0).make_context();
    std::string message;
    std::thread([&] { message = message_of<LogicError>([] { Context::synchronize(); }); }).join();
    EXPECT_HAS(message, "each thread has its own. A context of device 0 exists: call its push() in this thread");
    context->detach();
}

TEST(FailureAdvice, SaysThatAStreamIsOfAnotherContext) {
    init();
    const auto first = Device(0).make_context();
    const Stream stream;
    const auto second = Device(0).make_context();
    Event event;
    EXPECT_HAS(message_of<LogicError>([&] { event.record(&stream); }), "the stream belongs to another context");
    EXPECT_EQ(message_of<LogicError>([] { Device(99); }).find("the stream"), std::string::npos);
    second->detach();
    first->detach();
}

TEST(FailureAdvice, SaysWhatToDoBeforeInit) {
    EXPECT_FRESH_PROCESS(
        {
            EXPECT_HAS(message_of<LogicError>([] { Device::count(); }), "CUDA is not initialized: call pycuda::init()");
            set_advice({"import pycuda.autoinit", "", "", "", "", "", "", nullptr});
            EXPECT_HAS(message_of<LogicError>([] { Device::count(); }),
                       "CUDA is not initialized: import pycuda.autoinit");
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
