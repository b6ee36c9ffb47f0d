#include "pycuda/error.hpp"

#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "pycuda/event.hpp"
#include "pycuda/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

TEST(Error, TableAscendsSoThatItCanBeSearched) {
    for (std::size_t n = 1; n < results().size(); ++n) EXPECT_LT(results()[n - 1].code, results()[n].code);
    for (const ResultInfo& info : results()) EXPECT_STREQ(result_info(info.code).name, info.name);
}

TEST(Error, EveryResultRaisesItsClass) {
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

TEST(Error, MessageHasRoutineTextAndDetail) {
    EXPECT_STREQ(LogicError("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY).what(), "cuMemAlloc failed: out of memory");
    EXPECT_STREQ(LogicError("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, "asked for 123 bytes").what(),
                 "cuMemAlloc failed: out of memory - asked for 123 bytes");
    EXPECT_STREQ(RuntimeError("init", 0, "no such thing").what(), "init failed: no such thing");
}

TEST(Error, UnknownCodeIsARuntimeError) {
    EXPECT_EQ(result_info(12345).error_class, ErrorClass::RuntimeError);
    EXPECT_HAS(message_of<RuntimeError>([] { raise("cuTest", 12345); }), "cuTest failed: ");
}

TEST(Error, ClassesAreSiblingsUnderError) {
    EXPECT_THROW(raise("cuTest", CUDA_ERROR_OUT_OF_MEMORY), Error);
    try {
        raise("cuTest", CUDA_ERROR_OUT_OF_MEMORY);
    } catch (const LogicError&) {
        FAIL() << "a MemoryError is no LogicError";
    } catch (const MemoryError&) {
    }
}

TEST(Error, CompileErrorKeepsItsParts) {
    const CompileError error("nvcc refused it", "out", "err", {"nvcc", "-c", "k.cu"});
    EXPECT_EQ(error.msg(), "nvcc refused it");
    EXPECT_EQ(error.stdout_text(), "out");
    EXPECT_EQ(error.stderr_text(), "err");
    EXPECT_EQ(error.command_line(), (std::vector<std::string>{"nvcc", "-c", "k.cu"}));
    EXPECT_EQ(error.error_class(), ErrorClass::CompileError);
    for (const char* part : {"nvcc refused it", "nvcc -c k.cu", "out", "err"}) EXPECT_HAS(error.what(), part);
}

TEST(Error, ClosedObjectsAreNamed) {
    EXPECT_EQ(message_of<LogicError>([] { raise_closed("stream"); }), "stream is closed");
    EXPECT_EQ(message_of<LogicError>([] { raise_context_gone("event"); }), "event belongs to a context that is gone");
}

TEST(Error, CleanUpIsSilentAfterTheEnd) {
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

TEST(ErrorAdvice, SaysWhatToDoWithoutAContext) {
    init();
    EXPECT_HAS(message_of<LogicError>([] { Context::synchronize(); }),
               "no context is current on this thread: make a context with Device::make_context()");
    const auto context = Device(0).make_context();
    EXPECT_EQ(std::string(LogicError("f", CUDA_ERROR_INVALID_CONTEXT).what()).find("no context"), std::string::npos);
    context->detach();
}

TEST(ErrorAdvice, NamesTheContextThatAThreadCouldPush) {
    init();
    const auto context = Device(0).make_context();
    std::string message;
    std::thread([&] { message = message_of<LogicError>([] { Context::synchronize(); }); }).join();
    EXPECT_HAS(message, "each thread has its own. A context of device 0 exists: call its push() in this thread");
    context->detach();
}

TEST(ErrorAdvice, SaysThatAStreamIsOfAnotherContext) {
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

TEST(ErrorAdvice, SaysWhatToDoAfterAFork) {
    EXPECT_FRESH_PROCESS(
        {
            init();
            const pid_t child = fork();
            if (child == 0) {
                const std::string message = message_of<LogicError>([] { Device::count(); });
                _exit(message.find("forked") == std::string::npos ? 1 : 0);
            }
            int status = 1;
            waitpid(child, &status, 0);
            EXPECT_EQ(status, 0);
            finish();
        },
        "");
}

TEST(ErrorAdvice, SaysWhatToDoBeforeInit) {
    EXPECT_FRESH_PROCESS(
        {
            EXPECT_HAS(message_of<LogicError>([] { Device::count(); }), "CUDA is not initialized: call pycuda::init()");
            set_advice({"import pycuda.autoinit", "", "", "", ""});
            EXPECT_HAS(message_of<LogicError>([] { Device::count(); }),
                       "CUDA is not initialized: import pycuda.autoinit");
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
